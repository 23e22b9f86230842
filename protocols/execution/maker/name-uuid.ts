import { sha256Hex } from '@svc/contract/signing/canonical-json'

/** The same UUID for the same name: version 8, for custom bits. */
export function uuidOf(name: string): string {
  const hex = sha256Hex(name)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
