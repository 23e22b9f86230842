// The engine's side of X-SVC-Context: accepted once, from a trusted gateway, and only while its key, grant or session is valid.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { HandleRequestInput } from '@svc/contract/dispatch'
import { unavailable } from '@svc/contract/refusal'
import type { Asked, Credential } from '@svc/engine/call'
import type { Clock, KeyRecord, KeyRing } from '@svc/engine/ports'
import type { Logins } from '../oauth/logins.ts'
import type { DispatchHeaders } from './headers.ts'
import type { Proofs } from './proofs.ts'
import { concerning } from './refused-holder.ts'
import { type Claims, goodUntilMs, readContext, untrusted } from './signed-context.ts'
import { usedIds } from './use-once.ts'

/** Longer than any context lives. */
const generation_ms = 60_000

export interface GatewaySettings {
  readonly dids: ReadonlySet<string>
  /** The required audience of contexts: this engine. */
  readonly audience: string
  /** Callers without a gateway are refused. */
  readonly required: boolean
  isWrite(protocol: string, operation: string): boolean
  isTenant(tenant_id: string): boolean | Promise<boolean>
  /** False where any replica has seen this id. Asked for writes only: replaying a read within its half minute reveals nothing new. */
  claim(jti: string, until_ms: number): Promise<boolean>
  /** Records a gateway's report exactly once, however often it is sent. */
  keepReport(id: string, until_ms: number, entries: readonly AuditEntry[]): Promise<void>
}

export interface GatewayTrust extends GatewaySettings {
  /** False where this process has seen this id. */
  useOnce(jti: string): boolean
}

export interface Vouched {
  readonly claims: Claims
  readonly credential: Credential
  readonly identity: Asked['identity']
  readonly gateway: NonNullable<Asked['gateway']>
}

export interface Checkpost {
  readonly gateways?: GatewayTrust
  readonly keys: KeyRing
  readonly logins?: Pick<Logins, 'fromGateway'>
  readonly proofs?: Proofs
  readonly clock: Clock
}

/** All checks that are possible before the body is read. */
export async function acceptContext(
  text: string,
  headers: DispatchHeaders,
  post: Checkpost,
): Promise<Vouched> {
  const { gateways, keys, clock } = post
  if (headers.authorization !== undefined) {
    throw untrusted('two credentials', 'The request has both Authorization and X-SVC-Context; send one.')
  }
  const { dids, audience } = gateways ?? { dids: new Set<string>(), audience: '' }
  const claims = readContext(text, headers, dids, audience, clock.now_ms())
  if (!gateways?.useOnce(claims.jti)) throw replayed()
  const credential = requireSame(await lookUp(claims, post), claims)
  const claimed_did = headers['x-agent-did']
  if (claimed_did !== undefined && claimed_did !== credential.did) {
    const refusal = untrusted('agent did mismatch', 'X-Agent-Did is not the DID the gateway vouched for.')
    throw concerning(credential, refusal)
  }
  if (!claims.holding) keys.used(credential.key_id)
  const { timestamp, resolved_identity } = claims.context
  const gateway = { did: claims.iss, timestamp, warnings: claims.warnings }
  return { claims, credential, identity: resolved_identity, gateway }
}

/** With the request at hand: one signature never causes a change twice. */
export async function redeemContext(
  { claims }: Vouched,
  request: HandleRequestInput,
  gateways: GatewayTrust,
  proofs: Proofs | undefined,
): Promise<void> {
  if (claims.holding?.kind === 'proof') proofs!.requireOpen(request)
  if (!gateways.isWrite(request.protocol, request.operation)) return
  const fresh = await gateways.claim(claims.proof_id ?? claims.jti, goodUntilMs(claims)).catch((error) => {
    throw unavailable('database', error)
  })
  if (!fresh) throw replayed()
}

/** The gateway's claim about a key, grant or session is not trusted: it is looked up, so a revoked one is refused here too. */
export async function lookUp(
  { key_id, holding, context }: Claims,
  { keys, logins, proofs, clock }: Checkpost,
): Promise<Credential> {
  if (!holding) return goodKey(await keys.find(key_id), clock)
  if (holding.kind === 'proof') {
    const credential = await proofs?.credentialOf(context.agent_did, holding.public_key)
    if (credential) return credential
    throw untrusted('unknown identity', 'The gateway vouches for an identity that is not known here.')
  }
  if (logins) return (await logins.fromGateway(key_id, holding)).credential
  throw untrusted('no logins', 'The gateway vouches for somebody who signed in, and nobody can here.')
}

export function goodKey(record: KeyRecord | undefined, clock: Clock): Credential {
  if (!record) throw untrusted('unknown key', 'The gateway vouches for an API key that is not known here.')
  if (record.revoked)
    throw concerning(record, untrusted('key revoked', 'This API key was revoked; ask for a new one.'))
  if (record.expires_at_ms !== null && record.expires_at_ms <= clock.now_ms()) {
    throw concerning(record, untrusted('key expired', 'This API key has expired; ask for a new one.'))
  }
  return record
}

function requireSame(credential: Credential, { context }: Claims): Credential {
  if (context.agent_did !== credential.did || context.tenant_id !== credential.tenant_id) {
    const sentence = 'The gateway vouches for another agent than the credential is bound to.'
    throw concerning(credential, untrusted('agent did mismatch', sentence))
  }
  const { resolved_identity } = context
  // The development identity is never accepted from outside, whoever signs it.
  if (
    resolved_identity &&
    (resolved_identity.did !== credential.did || resolved_identity.auth_method === 'local-admin')
  ) {
    const sentence = 'The gateway vouches for an identity this caller cannot have.'
    throw concerning(credential, untrusted('identity mismatch', sentence))
  }
  return credential
}

export function trustGateways(settings: GatewaySettings, clock: Clock): GatewayTrust {
  return { ...settings, useOnce: usedIds(generation_ms, clock) }
}

function replayed() {
  return untrusted('context replayed', 'X-SVC-Context has been used before; each is good for one request.')
}
