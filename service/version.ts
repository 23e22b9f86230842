import { readFileSync } from 'node:fs'

/** The version in package.json: the only place it is written. */
export const service_version: string = JSON.parse(
  readFileSync(new URL('./package.json', import.meta.url), 'utf8'),
).version
