// Compact EdDSA JWS whose signer is a DID. The header carries the public key, and the DID is its digest: nothing to look up.
import type { SigningKey } from './signature.ts'
import { isKeyOf, isSignedBy, signText } from './signature.ts'

export interface VerifiedJws {
  readonly did: string
  readonly payload: Record<string, unknown>
}

const jws_chars_max = 64 * 1024

export function signJws(payload: object, signer: SigningKey): string {
  const header = { alg: 'EdDSA', kid: signer.did, jwk: { kty: 'OKP', crv: 'Ed25519', x: signer.public_key } }
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${signText(signer.private_key, text)}`
}

/** Who signed what; undefined for anything that is not a whole, valid signature. Time and audience are the asker's to judge. */
export function verifyJws(text: string): VerifiedJws | undefined {
  if (text.length > jws_chars_max) return undefined
  const [head, body, signature, ...more] = text.split('.')
  if (!head || !body || !signature || more.length > 0) return undefined
  const header = decode(head)
  const payload = decode(body)
  if (!header || !payload || header.alg !== 'EdDSA' || typeof header.kid !== 'string') return undefined
  const { x } = (header.jwk ?? {}) as { x?: unknown }
  // What a signer calls critical we do not know, so we may not pass over it.
  if (Object.hasOwn(header, 'crit')) return undefined
  if (typeof x !== 'string' || !isKeyOf(header.kid, x)) return undefined
  return isSignedBy(x, `${head}.${body}`, signature) ? { did: header.kid, payload } : undefined
}

/** Who a signature says it is by, at the cost of reading it: worth nothing until it is verified. */
export function claimedSigner(text: string): string | undefined {
  if (text.length > jws_chars_max) return undefined
  const kid = decode(text.slice(0, Math.max(0, text.indexOf('.'))))?.kid
  return typeof kid === 'string' ? kid : undefined
}

function encode(object: object): string {
  return Buffer.from(JSON.stringify(object)).toString('base64url')
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
