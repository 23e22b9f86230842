// How a witness signs: a C2SP cosignature/v1, an Ed25519 signature over a checkpoint and its time.
import { hash, type KeyObject, sign } from 'node:crypto'

export interface CosigningKey {
  readonly name: string
  readonly public_key: Buffer
  readonly private_key: KeyObject
}

const cosignature_algorithm = 0x04
const key_id_bytes = 4

/** For verifiers: name, id and key in one string, for --witness-key. */
export function verifierKeyOf({ name, public_key }: Pick<CosigningKey, 'name' | 'public_key'>): string {
  const typed = Buffer.concat([Buffer.of(cosignature_algorithm), public_key])
  return `${name}+${cosigningKeyId(name, public_key)}+${typed.toString('base64')}`
}

/** Differs from the id of the same key as a log signer, so that neither signature passes for the other. */
export function cosigningKeyId(name: string, public_key: Uint8Array): string {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(cosignature_algorithm), public_key])
  return hash('sha256', named, 'hex').slice(0, key_id_bytes * 2)
}

/** The line to add to a note; `text` is the part above the note's empty line. */
export function cosign(text: string, key: CosigningKey, at_seconds: number): string {
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${at_seconds}\n${text}`), key.private_key)
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(at_seconds))
  const id = Buffer.from(cosigningKeyId(key.name, key.public_key), 'hex')
  return `\u2014 ${key.name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`
}
