// How an outside service knows which engine is calling: a short-lived signature over the request's bytes.
import { sha256Hex } from '../signing/canonical-json.ts'
import { claimedSigner, signJws, verifyJws } from '../signing/jws.ts'
import type { SigningKey } from '../signing/signature.ts'

export const did_auth_scheme = 'DID '

const life_s = 30
const skew_s = 5
/** Returned with the answer's signature, in a header. */
const id_chars_max = 128

export interface SignedRequest {
  /** The intended service: a signature for one is invalid at another. */
  readonly audience: string
  readonly body: string | Uint8Array
  readonly now_ms: number
}

/** The value of the Authorization header. `id` makes it unique, so it can be used once. */
export function authorizeRequest(signer: SigningKey, request: SignedRequest, id: string): string {
  const iat = Math.floor(request.now_ms / 1000)
  const payload = { aud: request.audience, iat, exp: iat + life_s, jti: id, body: sha256Hex(request.body) }
  return did_auth_scheme + signJws(payload, signer)
}

export interface Caller {
  readonly did: string
  readonly id: string
  readonly expires_at_ms: number
}

/** The claims of a signature, once verified. */
export interface Signed {
  readonly did: string
  readonly id: string
  readonly audience: unknown
  readonly iat: number
  readonly exp: number
  /** The sha256 of the signed bytes. */
  readonly body: unknown
}

/** The claimed signer. Verifying costs far more than finding out that the claim is irrelevant. */
export function claimedSignerOf(authorization: string | undefined): string | undefined {
  if (!authorization?.startsWith(did_auth_scheme)) return undefined
  return claimedSigner(authorization.slice(did_auth_scheme.length))
}

/** The signer, before its body is read; or why there is none. */
export function openSignature(authorization: string | undefined): Signed | string {
  if (!authorization?.startsWith(did_auth_scheme)) return 'no did-auth signature'
  const verified = verifyJws(authorization.slice(did_auth_scheme.length))
  if (!verified) return 'signature invalid'
  const { aud: audience, iat, exp, jti, body } = verified.payload
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof jti !== 'string')
    return 'signature incomplete'
  if (jti.length > id_chars_max) return 'signature incomplete'
  return { did: verified.did, id: jti, audience, iat, exp, body }
}

/** Why a signature is not valid here and now; undefined where it is. */
export function faultOfSignature(
  { audience, iat, exp }: Signed,
  { audience: own, now_ms }: Omit<SignedRequest, 'body'>,
): string | undefined {
  if (audience !== own) return 'signed for another service'
  const now_s = now_ms / 1000
  return exp - iat > life_s || now_s > exp + skew_s || iat > now_s + skew_s
    ? 'signature out of time'
    : undefined
}

export function isSignedFor({ body }: Signed, bytes: string | Uint8Array): boolean {
  return body === sha256Hex(bytes)
}

/** Until when a used id must be remembered. */
export function goodUntilMs({ exp }: Signed): number {
  return (exp + skew_s) * 1000
}

/** The signer of this exact request, or why there is none. The caller checks trust and whether `id` is new. */
export function readAuthorization(
  authorization: string | undefined,
  request: SignedRequest,
): Caller | string {
  const signed = openSignature(authorization)
  if (typeof signed === 'string') return signed
  const fault = faultOfSignature(signed, request)
  if (fault) return fault
  if (!isSignedFor(signed, request.body)) return 'signed for another request'
  return { did: signed.did, id: signed.id, expires_at_ms: goodUntilMs(signed) }
}
