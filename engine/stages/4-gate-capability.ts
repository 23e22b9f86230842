// Stage 4: may this caller do this? Exact name, then the protocol's wildcard, then the global one.

import type { Books } from '@svc/contract/books'
import type { AgentCapability, HeldCapability } from '@svc/contract/capability'
import { type CaveatFacts, isCaveatSatisfied } from '@svc/contract/caveat'
import { meetsLevel, type ResolvedAgentIdentity } from '@svc/contract/identity'
import { grantWeek } from '@svc/contract/purse'
import { refuse } from '@svc/contract/refusal'
import { costOf, worstOf } from '../budget.ts'
import type { Admitted, Authorised, Call, Identified } from '../call.ts'
import type { Ports } from '../ports.ts'

/** Waits only where a grant's caveat needs to be looked up, or the caller's grants are not cached. */
export function gateCapability(call: Admitted, ports: Ports): Authorised | Promise<Authorised> {
  call.stage = 4
  const held = ports.capabilities.effective(call.caller, call.asked.credential, call.asked.request.tenant_id)
  return held instanceof Promise ? held.then((found) => gate(call, ports, found)) : gate(call, ports, held)
}

function gate(
  call: Admitted,
  ports: Ports,
  held: readonly HeldCapability[],
): Authorised | Promise<Authorised> {
  requireSameTenant(call, held)
  const grant = findGrant(call, ports, held)
  return grant instanceof Promise ? grant.then((found) => learn(call, found, held)) : learn(call, grant, held)
}

function learn(
  call: Admitted,
  grant: HeldCapability | undefined,
  held: readonly HeldCapability[],
): Authorised {
  if (!grant) {
    throw refuse(
      'capability_denied',
      `${call.caller.did} holds no usable capability for ${call.operation.capability}; ask its owner to grant or delegate it.`,
      { requested_capability: call.operation.capability, reason: reasonFor(call, held) },
    )
  }
  requireLevel(call)
  return Object.assign(call, { grant })
}

/** Another organization's tenant answers only under a treaty; its grants arrive as capabilities of source `treaty`. */
function requireSameTenant(call: Admitted, held: readonly HeldCapability[]): void {
  const { credential, request } = call.asked
  if (credential.tenant_id === request.tenant_id || held.some((grant) => grant.source === 'treaty')) return
  throw refuse(
    'capability_denied',
    `Tenant ${credential.tenant_id} has no active treaty with the tenant asked for; propose one with MOAT propose.`,
    {
      requested_capability: call.operation.capability,
      reason: 'no active treaty',
      appeal_path: 'MOAT propose',
    },
  )
}

function findGrant(call: Admitted, ports: Ports, held: readonly HeldCapability[]) {
  // `svc.*` and `svc.*.read` are deliberately not here: no wildcard crosses protocols by halves.
  const candidates: HeldCapability[] = []
  for (const name of call.operation.granted_by) {
    for (const grant of held) {
      if (grant.name !== name || isExpired(grant, call.now_ms)) continue
      // Nothing before it and no caveat on it: this is the grant, and nothing has to be waited for.
      if (candidates.length === 0 && grant.caveats.length === 0) return grant
      candidates.push(grant)
    }
  }
  return candidates.length === 0 ? undefined : firstSatisfied(candidates, call, ports)
}

/** Also asked where stage 1 must know whether a caller may have a pre-release. */
export async function firstSatisfied(
  candidates: readonly HeldCapability[],
  call: Identified,
  ports: Ports,
): Promise<HeldCapability | undefined> {
  for (const grant of candidates) if (await caveatsHold(grant, call, ports)) return grant
  return undefined
}

export function isExpired(grant: AgentCapability, now_ms: number): boolean {
  return grant.expires_at !== undefined && !(Date.parse(grant.expires_at) > now_ms)
}

async function caveatsHold(grant: HeldCapability, call: Identified, ports: Ports): Promise<boolean> {
  if (grant.caveats.length === 0) return true
  const facts = await factsFor(grant, call, ports)
  return grant.caveats.every((caveat) => isCaveatSatisfied(caveat, facts))
}

async function factsFor(grant: HeldCapability, call: Identified, ports: Ports): Promise<CaveatFacts> {
  const budgeted = grant.caveats.some((caveat) => caveat.startsWith('weekly_budget:'))
  const { input } = call.asked.request
  const action_kind =
    typeof input === 'object' && input !== null
      ? Object.getOwnPropertyDescriptor(input, 'action_kind')?.value
      : undefined
  return {
    now: new Date(call.now_ms),
    // Jurisdiction is what the identity document says, never what the caller says of itself.
    jurisdiction: asText(call.caller.extended.jurisdiction),
    action_kind: asText(action_kind),
    ...(budgeted && (await weekOf(grant, call, ports))),
  }
}

/** Looked at here, so that a grant whose week is spent gives way to another; taken exactly by stage 5. */
async function weekOf(grant: HeldCapability, call: Identified, ports: Ports) {
  const purse = grantWeek(call.caller.did, grant.name, call.now_ms)
  const state = await ports.purses.state(call.asked.credential.tenant_id, purse)
  return {
    week_spend_micro_usd: state.spent_micro_usd + state.reserved_micro_usd,
    call_cost_micro_usd: isAdmitted(call)
      ? costOf(call, worstOf(call, grant.limits?.max_tokens), ports.settings.watts_per_core)
      : undefined,
  }
}

/** Stage 1 asks about pre-releases before anything is known that could be priced. */
function isAdmitted(call: Call & { books?: Books }): call is Admitted {
  return call.books !== undefined
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function reasonFor(call: Admitted, held: readonly HeldCapability[]): string {
  const named = held.filter((grant) => call.operation.granted_by.includes(grant.name))
  if (named.length === 0) return 'no matching capability'
  return named.every((grant) => isExpired(grant, call.now_ms)) ? 'capability expired' : 'caveat not satisfied'
}

function requireLevel(call: Admitted): void {
  const { level } = call.operation.facts
  if (meetsLevel(call.caller, level)) return
  throw refuse(
    'policy_denied',
    `${call.operation.capability} needs conformance ${level}; ${lacking(call.caller, level)}.`,
    {
      requested_capability: call.operation.capability,
      reason: reasonForLevel(call.caller, level),
      denying_policy: `conformance ${level}`,
    },
  )
}

function reasonForLevel(caller: ResolvedAgentIdentity, level: string): string {
  if (caller.auth_method === 'unresolved') return 'unresolved identity'
  return level === 'L2' ? 'conformance L2 required' : 'verified lineage required'
}

function lacking(caller: ResolvedAgentIdentity, level: string): string {
  if (caller.auth_method === 'unresolved')
    return `the identity of ${caller.did} could not be resolved; publish its document`
  return `${caller.did} is at ${caller.conformance_level}; ${level === 'L2' ? 'add signed attestations and reputation to its document' : 'prove its lineage with MACS verify_response'}`
}
