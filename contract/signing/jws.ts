// Compact EdDSA JWS signed by a DID. The header carries the public key, whose digest is the DID, so no lookup is needed.
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

/** Signer and payload; undefined unless a complete, valid signature. The caller checks time and audience. */
export function verifyJws(text: string): VerifiedJws | undefined {
  const opened = openJws(text, ({ kid }, public_key) => typeof kid === 'string' && isKeyOf(kid, public_key))
  return opened && { did: opened.header.kid as string, payload: opened.payload }
}

export interface OpenedJws {
  readonly header: Record<string, unknown>
  /** Of the header: it made the signature. */
  readonly public_key: string
  readonly payload: Record<string, unknown>
}

/** Undefined unless signed by the key in its header. `accepts` is asked before the signature is verified, which costs far more. */
export function openJws(
  text: string,
  accepts: (header: Record<string, unknown>, public_key: string) => boolean,
): OpenedJws | undefined {
  if (text.length > jws_chars_max) return undefined
  const [head, body, signature, ...more] = text.split('.')
  if (!head || !body || !signature || more.length > 0) return undefined
  const header = decode(head)
  const payload = decode(body)
  if (!header || !payload || header.alg !== 'EdDSA') return undefined
  const { x: public_key } = (header.jwk ?? {}) as { x?: unknown }
  // We do not support any critical header, so one must not be ignored.
  if (Object.hasOwn(header, 'crit') || typeof public_key !== 'string') return undefined
  if (!accepts(header, public_key)) return undefined
  return isSignedBy(public_key, `${head}.${body}`, signature) ? { header, public_key, payload } : undefined
}

/** The claimed signer, without verification: worth nothing until verified. */
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
