// X-SVC-Context: what a gateway knows of a caller, signed for one engine, one request and half a minute.
import { isIP } from 'node:net'
import { InvokeContext } from '@svc/contract/invoke-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, HexHash, ListOf, Uuid } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { signJws, verifyJws } from '@svc/contract/signing/jws'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Credential } from '@svc/engine/call'
import type { Resolution } from '@svc/engine/known'
import type { Clock } from '@svc/engine/ports'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Holding } from '../oauth/holding.ts'
import { type DispatchHeaders, traceContextOf } from './headers.ts'

const life_s = 30
/** Maximum clock difference between two machines. */
const leeway_s = 5
/** Request headers may hold 16 KiB in all, so a context stays well below that. */
const context_chars_max = 10 * 1024

const Claims = Closed({
  iss: Did,
  aud: Did,
  iat: Type.Integer(),
  exp: Type.Integer(),
  jti: Uuid,
  key_id: Type.String({ minLength: 1, maxLength: 64 }),
  /** Absent for an API key and for a session of an agent. */
  holding: Type.Optional(Holding),
  /** Of the caller's own proof, which must not cause a change twice. */
  proof_id: Type.Optional(Uuid),
  /** The network address the gateway saw; absent where it saw none. */
  address: Type.Optional(Type.String({ minLength: 2, maxLength: 64 })),
  head_sha256: HexHash,
  body_sha256: HexHash,
  context: InvokeContext,
  warnings: ListOf(Type.String({ maxLength: 1000 }), 0, 64),
})
export type Claims = Static<typeof Claims>

const claims_form = Compile(Claims)

/** The headers a dispatch depends on. A captured context must be invalid with other values of these. */
const bound_headers = ['accept', 'content-type', 'idempotency-key', 'prefer', 'x-svc-dry-run'] as const

function headHash(headers: DispatchHeaders): string {
  const values = bound_headers.map((name) => headers[name] ?? null)
  return sha256Hex(canonicalJson(['POST', '/v1/dispatch', ...values]))
}

export interface ToSign {
  readonly credential: Credential
  /** Absent for an API key and for a session of an agent. */
  readonly holding?: Holding | undefined
  readonly proof_id?: string | undefined
  readonly resolution: Resolution
  readonly correlation_id: string
  readonly address?: string | undefined
  readonly headers: DispatchHeaders
  readonly body: Uint8Array
}

/** An identity too large for a header is omitted; the engine then resolves the caller itself, as after a failure here. */
export function signContext(call: ToSign, audience: string, signer: SigningKey, clock: Clock): string {
  const now_ms = clock.now_ms()
  const iat = Math.floor(now_ms / 1000)
  const { credential, resolution, headers } = call
  const claims: Claims = {
    iss: signer.did,
    aud: audience,
    iat,
    exp: iat + life_s,
    jti: clock.uuid(),
    key_id: credential.key_id,
    holding: call.holding,
    proof_id: call.proof_id,
    ...addressClaim(call),
    head_sha256: headHash(headers),
    body_sha256: sha256Hex(call.body),
    context: {
      correlation_id: call.correlation_id,
      tenant_id: credential.tenant_id,
      agent_did: credential.did,
      resolved_identity: 'identity' in resolution ? resolution.identity : undefined,
      trace_context: traceContextOf(headers),
      timestamp: new Date(now_ms).toISOString(),
      metadata: {},
    },
    warnings: resolution.outcome === 'Partial' ? [...resolution.warnings] : [],
  }
  const text = signJws(claims, signer)
  if (text.length <= context_chars_max) return text
  const { resolved_identity: _, ...context } = claims.context
  return signJws({ ...claims, context, warnings: [] }, signer)
}

/** What is no address, because a proxy wrote something else, must not make the context invalid. */
function addressClaim({ address }: ToSign): Pick<Claims, 'address'> {
  return address !== undefined && isIP(address) !== 0 ? { address } : {}
}

/** A complete context, signed by one of `trusted`, for `audience`, for this time and this request's head. */
export function readContext(
  text: string,
  headers: DispatchHeaders,
  trusted: ReadonlySet<string>,
  audience: string,
  now_ms: number,
): Claims {
  const verified = verifyJws(text)
  if (!verified) throw untrusted('forged context', 'X-SVC-Context is not signed by the key it names.')
  const { did, payload } = verified
  if (!trusted.has(did)) {
    throw untrusted('untrusted gateway', `X-SVC-Context is signed by ${did}, which is no gateway of ours.`)
  }
  if (!claims_form.Check(payload) || payload.iss !== did) {
    throw untrusted('malformed context', 'X-SVC-Context does not hold what a gateway signs.')
  }
  if (payload.aud !== audience)
    throw untrusted('wrong audience', 'X-SVC-Context is meant for another engine.')
  requireMoment(payload, Math.floor(now_ms / 1000))
  if (payload.head_sha256 !== headHash(headers)) throw anotherRequest()
  return payload
}

/** Until when a used context must be remembered. */
export function goodUntilMs({ exp }: Claims): number {
  return (exp + leeway_s) * 1000
}

export function requireBody({ body_sha256 }: Claims, body: Uint8Array): void {
  if (sha256Hex(body) !== body_sha256) throw anotherRequest()
}

function requireMoment({ iat, exp }: Claims, now_s: number): void {
  if (exp <= now_s - leeway_s || exp - iat > life_s) {
    throw untrusted('context expired', `X-SVC-Context is good for ${life_s} s and those are over.`)
  }
  if (iat > now_s + leeway_s) {
    throw untrusted('context from the future', 'X-SVC-Context was signed by a clock ahead of ours.')
  }
}

function anotherRequest(): Refusal {
  return untrusted('another request', 'X-SVC-Context was signed for another request than this one.')
}

export function untrusted(reason: string, sentence: string): Refusal {
  return refuse('unauthenticated', `${sentence} Call through a gateway this engine trusts.`, { reason })
}
