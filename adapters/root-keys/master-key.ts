// The port of the master key, which wraps the root keys and nothing else: 32 bytes of a setting, or a key that Vault holds.
import { deriveKey, open, seal } from '@svc/audit/sealing/seal'
import { type TransitKey, transitKey } from './vault-transit.ts'

export interface MasterKey {
  /** For people and for the database: tells which master key wrapped something, and nothing about it. */
  readonly name: string
  /** Its own bytes, where this process has them. */
  readonly bytes?: Uint8Array
  wrap(key: Uint8Array, bound_to: string): Promise<Buffer>
  unwrap(wrapped: Uint8Array, bound_to: string): Promise<Buffer>
}

/** As set: 32 bytes, or where Vault has a key. */
export type MasterKeySetting = Uint8Array | TransitKey

const name_hex = 16

export function masterKeyOf(setting: MasterKeySetting): MasterKey {
  return setting instanceof Uint8Array ? ownKey(setting) : transitKey(setting)
}

function ownKey(bytes: Uint8Array): MasterKey {
  const key = deriveKey(bytes, 'root-keys')
  const name = `own:${deriveKey(bytes, 'name of the master key').toString('hex').slice(0, name_hex)}`
  return {
    name,
    bytes,
    wrap: async (root_key, bound_to) => seal(key, root_key, bound_to),
    unwrap: async (wrapped, bound_to) => open(key, wrapped, bound_to),
  }
}
