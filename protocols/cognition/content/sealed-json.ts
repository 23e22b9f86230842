// A JSON value sealed with the tenant's key in one column: the wrapped key precedes the box.

import type { Vault } from '@svc/contract/needs/vault'
import { canonicalJson } from '@svc/contract/signing/canonical-json'

const length_bytes = 2

export function sealJson(vault: Vault, name: string, value: unknown): Buffer {
  const { sealed, wrapped_key } = vault.seal(name, canonicalJson(value))
  const length = Buffer.alloc(length_bytes)
  length.writeUInt16BE(wrapped_key.length)
  return Buffer.concat([length, wrapped_key, sealed])
}

export function openJson<Value>(vault: Vault, name: string, packed: Buffer): Value {
  const start = length_bytes + packed.readUInt16BE()
  const box = { wrapped_key: packed.subarray(length_bytes, start), sealed: packed.subarray(start) }
  return JSON.parse(vault.open(name, box).toString()) as Value
}
