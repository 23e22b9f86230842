// Whether this caller may use an administrative route. The same capability rules as a dispatch, and the same record of a yes.
import { coversForOperator, type HeldCapability } from '@svc/contract/authority/capability'
import { isCaveatSatisfied } from '@svc/contract/authority/caveat'
import { unresolved } from '@svc/contract/identity/identity'
import { refuse, unavailable } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import { isExpired } from '@svc/engine/grant-caveats'
import type { Effective } from '@svc/engine/known'
import type { Capabilities, IdentityResolver } from '@svc/engine/ports'
import type { FastifyRequest } from 'fastify'
import { authenticate } from './dispatch/authenticate.ts'
import { readHeaders } from './dispatch/headers.ts'
import { type DispatchEndpoint, recordRefusedRequest } from './dispatch/refusal-recorder.ts'

/** Of whoever watches over an engine; no role gives it. */
export const observer_capability = 'svc.admin.observability'

export interface Gate {
  readonly identity: IdentityResolver
  readonly capabilities: Capabilities
}

export function runsEngine(
  { own, developers_tenant_id }: Pick<DispatchEndpoint, 'own' | 'developers_tenant_id'>,
  tenant_id: string,
): boolean {
  return tenant_id === own.tenant_id || tenant_id === developers_tenant_id
}

interface Wish {
  readonly capability: string
  /** As in "You may not …". */
  readonly doing: string
  /** Shows more than the engine's own state: only identities of the organization that runs it, whatever they hold. */
  readonly is_operators?: boolean
  /** What the request asks has words of the caller: recorded apart from those of the engine. */
  readonly asks_in_words?: boolean
}

/** The same key and capability rules as a dispatch, and the same record of both answers, with what the request asks. */
export async function permit<Asked extends object>(
  dispatch_endpoint: DispatchEndpoint,
  gate: Gate,
  request: FastifyRequest,
  { capability, doing, is_operators = false, asks_in_words = false }: Wish,
  read: (request: FastifyRequest) => Asked,
): Promise<Asked> {
  let credential: Credential | undefined
  try {
    const headers = readHeaders(request.raw.rawHeaders)
    const { method, url: path } = request
    const presented = { headers, method, path, request: request.raw }
    credential = await authenticate(presented, dispatch_endpoint, method !== 'GET')
    await dispatch_endpoint.audit_log.ready(credential.tenant_id)
    await requireCapability(dispatch_endpoint, gate, credential, capability, doing)
    if (is_operators && !runsEngine(dispatch_endpoint, credential.tenant_id))
      throw notOperator(capability, doing)
    const question = read(request)
    await recordAllowed(dispatch_endpoint, credential, capability, {
      method,
      ...(asks_in_words ? { supplied: question } : question),
    })
    return question
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    recordRefusedRequest(dispatch_endpoint, refusal, request.raw, credential)
    throw refusal
  }
}

function notOperator(requested_capability: string, doing: string) {
  const sentence = `You may not ${doing}: only the organization that runs this engine may; ask its operator.`
  return refuse('capability_denied', sentence, { requested_capability, reason: 'operator only' })
}

async function requireCapability(
  dispatch_endpoint: DispatchEndpoint,
  gate: Gate,
  credential: Credential,
  capability: string,
  doing: string,
): Promise<void> {
  const { held, unknown } = await heldBy(gate, credential)
  if (held.some((grant) => grants(grant, capability, dispatch_endpoint.clock.now_ms()))) return
  if (unknown) throw unavailable(unknown)
  throw refuse(
    'capability_denied',
    `You may not ${doing}: it needs ${capability}; ask whoever runs this engine.`,
    {
      requested_capability: capability,
      reason: 'no matching capability',
    },
  )
}

/** Further fields say what was requested of the route, and what it changed. */
export async function recordAllowed(
  { audit_log, clock }: DispatchEndpoint,
  credential: Credential,
  capability: string,
  meta: Readonly<Record<string, unknown>>,
): Promise<void> {
  audit_log.record({
    id: clock.uuid(),
    event_type: 'AuthorizationCheck',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: credential.tenant_id,
    caller_did: credential.did,
    outcome: 'success',
    latency_ms: 0,
    meta: { gate: capability, origin: 'http', ...meta },
  })
  await audit_log.written()
}

/** Held capabilities as far as known, to narrow or check them. */
export async function heldBy({ identity, capabilities }: Gate, credential: Credential): Promise<Effective> {
  const resolution = await identity.resolve(credential.did)
  const is_unknown = resolution.outcome === 'Unavailable'
  if (is_unknown && resolution.unknown === 'revocation') throw unavailable('identity', resolution.reason)
  const caller =
    is_unknown || resolution.outcome === 'Failed' ? unresolved(credential.did) : resolution.identity
  const effective = await capabilities.effective(caller, credential, credential.tenant_id)
  return is_unknown ? { ...effective, unknown: 'identity' } : effective
}

/** Only the time is known here: a caveat about anything else is not satisfied. */
function grants(grant: HeldCapability, capability: string, now_ms: number): boolean {
  const now = new Date(now_ms)
  const usable =
    !isExpired(grant, now_ms) && grant.caveats.every((caveat) => isCaveatSatisfied(caveat, { now }))
  return usable && coversForOperator(grant, capability)
}
