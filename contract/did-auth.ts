// How a service outside knows which engine is calling: a short-lived signature over the request's own bytes.
import { sha256Hex } from './canonical-json.ts'
import { signJws, verifyJws } from './jws.ts'
import type { SigningKey } from './signature.ts'

export const did_auth_scheme = 'DID '

const life_s = 30
const skew_s = 5

export interface SignedRequest {
  /** Whom the request is for: a signature for one service is worth nothing at another. */
  readonly audience: string
  readonly body: string | Uint8Array
  readonly now_ms: number
}

/** The value of the Authorization header. `id` makes it unique, so that it can be used once. */
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

/** Who signed this very request, or why nobody did. Whether the signer is trusted, and whether `id` is new, is the asker's to judge. */
export function readAuthorization(
  authorization: string | undefined,
  request: SignedRequest,
): Caller | string {
  if (!authorization?.startsWith(did_auth_scheme)) return 'no did-auth signature'
  const verified = verifyJws(authorization.slice(did_auth_scheme.length))
  if (!verified) return 'signature invalid'
  const { aud, iat, exp, jti, body } = verified.payload
  if (aud !== request.audience) return 'signed for another service'
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof jti !== 'string')
    return 'signature incomplete'
  const now_s = request.now_ms / 1000
  if (exp - iat > life_s || now_s > exp + skew_s || iat > now_s + skew_s) return 'signature out of time'
  if (body !== sha256Hex(request.body)) return 'signed for another request'
  return { did: verified.did, id: jti, expires_at_ms: (exp + skew_s) * 1000 }
}
