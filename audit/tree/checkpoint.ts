// A checkpoint: the tenant's key signs size and root of its tree, as a C2SP signed note that any such tool can read.
import { hash, type KeyObject, sign } from 'node:crypto'

export interface SigningKey {
  readonly key_id: string
  readonly public_key: Buffer
  readonly private_key: KeyObject
}

const ed25519_algorithm = 0x01
const key_hash_bytes = 4

/** The note's origin is the key's name: one log, one signer. */
export function checkpointOrigin(tenant_id: string): string {
  return `svc/${tenant_id}`
}

/** The first four bytes of sha256(name, newline, algorithm, public key), in hex. */
export function keyId(name: string, public_key: Uint8Array): string {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ed25519_algorithm), public_key])
  return hash('sha256', named, 'hex').slice(0, key_hash_bytes * 2)
}

/** For other tools: name, id and key in one string, as they read the key of a signed note. */
export function verifierKeyOfLog(tenant_id: string, public_key: Uint8Array): string {
  const origin = checkpointOrigin(tenant_id)
  const typed = Buffer.concat([Buffer.of(ed25519_algorithm), public_key])
  return `${origin}+${keyId(origin, public_key)}+${typed.toString('base64')}`
}

export function signCheckpoint(tenant_id: string, size: number, root: Buffer, key: SigningKey): string {
  const origin = checkpointOrigin(tenant_id)
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`
  const signature = sign(null, Buffer.from(text), key.private_key)
  const line = Buffer.concat([Buffer.from(key.key_id, 'hex'), signature]).toString('base64')
  return `${text}\n\u2014 ${origin} ${line}\n`
}
