import { join } from 'node:path'

/** The repository. */
export const root = join(import.meta.dirname, '../..')
