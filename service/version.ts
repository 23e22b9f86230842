import { readFileSync } from 'node:fs'

/** From package.json, the only place it is written. */
export const service_version: string = JSON.parse(
  readFileSync(new URL('./package.json', import.meta.url), 'utf8'),
).version
