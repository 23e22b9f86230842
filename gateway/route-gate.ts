// May this caller use a route of its own kind? The same capability rules as a dispatch, and the same record of a yes.
import { type AgentCapability, covers } from '@svc/contract/capability'
import { isCaveatSatisfied } from '@svc/contract/caveat'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity'
import { refuse } from '@svc/contract/refusal'
import type { Capabilities, Credential, IdentityResolver } from '@svc/engine/ports'
import { isExpired } from '@svc/engine/stages/4-gate-capability'
import type { Door } from './doorkeeper.ts'

export interface Gate {
  readonly identity: IdentityResolver
  readonly capabilities: Capabilities
}

export async function requireCapability(
  door: Door,
  gate: Gate,
  credential: Credential,
  capability: string,
  doing: string,
): Promise<void> {
  const caller = await resolve(gate, credential.did)
  const held = await gate.capabilities.effective(caller, credential, credential.tenant_id)
  if (held.some((grant) => grants(grant, capability, door.clock.now_ms()))) return
  throw refuse('capability_denied', `${credential.did} may not ${doing}; it needs ${capability}.`, {
    requested_capability: capability,
    reason: 'no matching capability',
  })
}

/** What is added to it says what was asked of the route, and what it changed. */
export async function recordAllowed(
  { book, clock }: Door,
  credential: Credential,
  capability: string,
  meta: Readonly<Record<string, unknown>>,
): Promise<void> {
  book.record({
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
  await book.written()
}

async function resolve({ identity }: Gate, did: string): Promise<ResolvedAgentIdentity> {
  const resolution = await identity.resolve(did)
  return resolution.outcome === 'Failed' ? unresolved(did) : resolution.identity
}

/** Only the moment is known here: a caveat about anything else is not satisfied. */
function grants(grant: AgentCapability, capability: string, now_ms: number): boolean {
  const now = new Date(now_ms)
  const usable =
    !isExpired(grant, now_ms) && grant.caveats.every((caveat) => isCaveatSatisfied(caveat, { now }))
  return usable && covers(grant.name, capability)
}
