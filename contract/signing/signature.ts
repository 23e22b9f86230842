// Ed25519 over `<domain>\n` + canonical JSON: a signature for one purpose is invalid for another.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { keyMatchesDid } from '../identity/did.ts'
import { canonicalJson } from './canonical-json.ts'

export type SigningDomain =
  | 'svc-macs-challenge-v1'
  | 'svc-lineage-v1'
  | 'svc-document-v1'
  | 'svc-key-event-v1'
  | 'svc-attestation-v1'
  | 'svc-delegation-v1'
  | 'svc-treaty-v1'
  | 'svc-vote-v1'
  | 'svc-contract-v1'
  | 'svc-registry-v1'
  | 'svc-tool-v1'
  | 'svc-audit-v1'
  | 'svc-report-v1'
  | 'svc-device-v1'
  | 'svc-command-v1'
  | 'svc-plugin-v1'

export interface SigningKey {
  readonly did: string
  /** 32 bytes, base64url. */
  readonly public_key: string
  readonly private_key: KeyObject
}

/** The exact text that is signed. */
export function signingInput(domain: SigningDomain, object: unknown): string {
  return `${domain}\n${canonicalJson(object)}`
}

const seed_bytes = 32
const pkcs8_prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function privateKeyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== seed_bytes) throw new TypeError('an Ed25519 seed has 32 bytes')
  return createPrivateKey({ key: Buffer.concat([pkcs8_prefix, seed]), format: 'der', type: 'pkcs8' })
}

/** 32 bytes, base64url. */
export function publicKeyOf(private_key: KeyObject): string {
  return createPublicKey(private_key).export({ format: 'jwk' }).x as string
}

/** 64 bytes, base64url. */
export function signText(private_key: KeyObject, text: string | Uint8Array): string {
  return sign(null, typeof text === 'string' ? Buffer.from(text) : text, private_key).toString('base64url')
}

/** False for anything but a valid signature of this text, malformed keys included; never throws. */
export function isSignedBy(public_key: string, text: string, signature: string): boolean {
  try {
    const bytes = Buffer.from(signature, 'base64url')
    // A signature has one spelling: replay detection by its text depends on it.
    if (bytes.toString('base64url') !== signature) return false
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: public_key }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, bytes)
  } catch {
    return false
  }
}

/** Whether this key is the one the DID certifies: its first. Later ones, see identity/key-events.ts. */
export function isKeyOf(did: string, public_key: string): boolean {
  return isPublicKey(public_key) && keyMatchesDid(did, Buffer.from(public_key, 'base64url'))
}

/** Another spelling of the same bytes is refused: what is hashed and compared must be one text. */
export function isPublicKey(public_key: string): boolean {
  const raw = Buffer.from(public_key, 'base64url')
  return raw.length === 32 && raw.toString('base64url') === public_key
}
