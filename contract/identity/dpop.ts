// DPoP (RFC 9449): the sender of a request shows that it holds the key its token is bound to.
import { hash } from 'node:crypto'
import { openJws } from '../signing/jws.ts'

export const dpop_scheme = 'DPoP '

/** How long after it was made a proof is accepted, and how far a clock may be ahead of ours. */
export const proof_life_s = 30
const skew_s = 5
const id_form = /^[\w.~-]{8,128}$/
const url_chars_max = 2048

export interface DpopProof {
  /** 32 bytes, base64url: it signed the proof. */
  readonly public_key: string
  readonly method: string
  readonly url: string
  readonly issued_s: number
  /** Unique, so that a proof is used once. */
  readonly id: string
  /** The sha256 of the token it is sent with, base64url; undefined for a request without a token. */
  readonly token_hash?: string
  /** The sha256 of the body, hex: our SDKs bind a proof to it. */
  readonly body_sha256?: string
}

/** Undefined unless complete and signed by the key it names. The caller checks what it is for. */
export function readDpopProof(text: string): DpopProof | undefined {
  const opened = openJws(text, ({ typ, jwk }) => typ === 'dpop+jwt' && isPublicKey(jwk))
  if (!opened) return undefined
  const { htm, htu, iat, jti, ath, body_sha256 } = opened.payload
  if (typeof htm !== 'string' || typeof htu !== 'string' || htu.length > url_chars_max) return undefined
  if (!Number.isSafeInteger(iat) || typeof jti !== 'string' || !id_form.test(jti)) return undefined
  if (!isTextOrAbsent(ath) || !isTextOrAbsent(body_sha256)) return undefined
  return {
    public_key: opened.public_key,
    method: htm,
    url: htu,
    issued_s: iat as number,
    id: jti,
    ...(ath === undefined ? {} : { token_hash: ath }),
    ...(body_sha256 === undefined ? {} : { body_sha256 }),
  }
}

export interface ProvenRequest {
  readonly method: string
  /** As callers reach it, without query. */
  readonly url: string
  readonly token?: string | undefined
  readonly now_ms: number
}

/** Why a proof is not for this request, here and now; undefined where it is. */
export function faultOfProof(proof: DpopProof, request: ProvenRequest): string | undefined {
  if (proof.method !== request.method || sameForm(proof.url) !== sameForm(request.url))
    return 'proof for another address'
  const age_s = request.now_ms / 1000 - proof.issued_s
  if (age_s > proof_life_s || age_s < -skew_s) return 'proof out of time'
  const token_hash = request.token === undefined ? undefined : tokenHash(request.token)
  return proof.token_hash === token_hash ? undefined : 'proof for another token'
}

/** Until when a used proof must be remembered. */
export function proofUntilMs({ issued_s }: DpopProof): number {
  return (issued_s + proof_life_s + 1) * 1000
}

export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Without query and fragment, as the standard says; the names of this machine are the same. */
function sameForm(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return undefined
  if (url.hostname === 'localhost' || url.hostname === '[::1]') url.hostname = '127.0.0.1'
  return url.origin + url.pathname
}

function isPublicKey(jwk: unknown): boolean {
  const { kty, crv, d } = (jwk ?? {}) as Record<string, unknown>
  return kty === 'OKP' && crv === 'Ed25519' && d === undefined
}

function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}
