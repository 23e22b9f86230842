import { fromBase64url, toHex } from '@svc/sdk/verify/bytes'
import { platformPrimitives } from '@svc/sdk/verify/primitives'

/** SHA-256 of the key's 32 bytes, in groups that are easy to read aloud. */
export async function fingerprintOf(public_key: string): Promise<string> {
  const raw = fromBase64url(public_key)
  if (raw?.length !== 32) return 'not an Ed25519 key'
  const hex = toHex(await platformPrimitives().sha256(raw))
  return hex.match(/.{4}/g)!.join(' ')
}
