// A JSON value sealed in one column: the wrapped key precedes the box.

import { envelope_bytes } from '@svc/audit/sealing/root-keys'
import type { Vault } from '@svc/contract/needs/vault'
import { canonicalJson } from '@svc/contract/signing/canonical-json'

/** Before root keys the length of the wrapped key, below 256, came first. */
const older_length_bytes = 2

export function sealJson(vault: Vault, name: string, value: unknown): Buffer {
  const { sealed, wrapped_key } = vault.seal(name, canonicalJson(value))
  return Buffer.concat([wrapped_key, sealed])
}

export function openJson<Value>(vault: Vault, name: string, packed: Buffer): Value {
  const from = packed[0] === 0 ? older_length_bytes : 0
  const to = from === 0 ? envelope_bytes : from + packed.readUInt16BE()
  const box = { wrapped_key: packed.subarray(from, to), sealed: packed.subarray(to) }
  return JSON.parse(vault.open(name, box).toString()) as Value
}
