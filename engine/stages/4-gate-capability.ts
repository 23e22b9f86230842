// Stage 4: may this caller do this? Exact name, then the protocol's wildcard, then the global one.

import { holdsRole } from '@svc/contract/authority/approval'
import type { Grant, HeldCapability } from '@svc/contract/authority/capability'
import { administrator, roleCapability } from '@svc/contract/authority/role'
import { no_treaty, type TreatyAnswer } from '@svc/contract/authority/treaty-grants'
import { meetsLevel, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { type Dependency, type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { demandByGrant } from '../approval-demand.ts'
import type { Admitted, Authorised, Identified } from '../call.ts'
import { crossTenantCallGrants, unmet, unsatisfiedCaveat } from '../cross-tenant-call.ts'
import { factsFor, firstSatisfied, firstUnmet, isExpired, ownText, type Unmet } from '../grant-caveats.ts'
import type { Effective } from '../known.ts'
import { applyPolicies } from '../policies.ts'
import type { Ports } from '../ports.ts'

/** Consent that a caveat wants is asked for after stage 6. */
const asked_before_it_runs = true

/** Waits only where a caveat needs a lookup, or the caller's grants or policies are not cached. */
export function gateCapability(call: Admitted, ports: Ports): Authorised | Promise<Authorised> {
  call.stage = 4
  requireStanding(call)
  requireListed(call)
  // A bare DID may have been revoked: nothing it holds can be used before that is known.
  if (call.unknown_of_caller === 'revocation') throw unavailable('identity')
  const { credential, request } = call.asked
  if (credential.tenant_id !== request.tenant_id) {
    requireNoDelegation(call)
    return crossBorder(call, ports)
  }
  const open = openGrant(call)
  if (open) return learn(call, ports, open, { held: [] })
  const held_capabilities = ports.capabilities.effective(call.caller, credential, request.tenant_id)
  return held_capabilities instanceof Promise
    ? held_capabilities.then((effective) => gate(call, ports, effective))
    : gate(call, ports, held_capabilities)
}

/** Without these an unresolved caller could never become a resolved one, so they need no grant. */
function openGrant({ asked, operation, caller }: Admitted): Grant | undefined {
  const { open_to } = operation.facts
  if (open_to === undefined || caller.revoked) return undefined
  if (open_to === 'self' && ownText(asked.request.input, 'did') !== caller.did) return undefined
  return { name: operation.capability, caveats: [], source: 'open' }
}

/** A plugin uses its caller's rights only as far as its manifest declares, a bounded key those of its identity. */
function requireListed({ asked, operation }: Admitted): void {
  const { usable_for } = asked.credential
  if (
    usable_for &&
    operation.facts.open_to === undefined &&
    !operation.granted_by.some((name) => usable_for.includes(name))
  )
    throw refuse(
      'capability_denied',
      `This key was not made for ${operation.capability}; use another key, or ask an administrator for one with it.`,
      { requested_capability: operation.capability, reason: 'not in the key' },
    )
  if (asked.credential.budget && operation.facts.hands_on)
    throw refuse(
      'capability_denied',
      `${operation.capability} gives rights to others, and what they spend would not count on the budget of this key; use another key.`,
      { requested_capability: operation.capability, reason: 'key with a budget' },
    )
  const beyond = asked.within?.ceilings?.some(
    (names) => !operation.granted_by.some((name) => names.includes(name)),
  )
  if (!beyond) return
  throw refuse(
    'capability_denied',
    `A plugin calls ${operation.capability}, which its manifest does not list; add it there as an integration of kind capability.`,
    { requested_capability: operation.capability, reason: "not in the plugin's manifest" },
  )
}

function gate(call: Admitted, ports: Ports, effective: Effective): Authorised | Promise<Authorised> {
  const grant = findGrant(call, ports, effective.held)
  return grant instanceof Promise
    ? grant.then(async (capability) => {
        const unmet = capability ? undefined : await firstUnmet(call, ports, effective.held)
        return learn(call, ports, capability, effective, unmet)
      })
    : learn(call, ports, grant, effective)
}

function learn(
  call: Admitted,
  ports: Ports,
  grant: Grant | undefined,
  { held, unknown }: Effective,
  unmet?: Unmet,
): Authorised | Promise<Authorised> {
  if (!grant) {
    requireKnown(call, unknown)
    const { capability } = call.operation
    if (call.caller.suspended)
      throw refuse(
        'capability_denied',
        'This identity is suspended; ask its parent or a charter member to resume it.',
        {
          requested_capability: capability,
          reason: 'identity suspended',
        },
      )
    throw refuse(
      'capability_denied',
      unmet
        ? `This identity holds ${capability} only under the caveat ${unmet.caveat}, and ${unmet.instead}; ask whoever granted it for a wider grant.`
        : `This identity holds no usable capability for ${capability}; ask its parent, or an administrator, to grant or delegate it.`,
      {
        requested_capability: capability,
        reason: reasonFor(call, held),
        caveat: unmet?.caveat,
        agent_did: call.caller.did,
      },
    )
  }
  if (call.operation.facts.for_administrators) requireAdministrator(call, held)
  requireLevel(call)
  return applyPolicies(demandByGrant(Object.assign(call, { grant })), ports)
}

/** By the role itself, which no wildcard covers; a key or plugin that is bounded must be bounded to it. */
function requireAdministrator({ asked, operation, now_ms }: Admitted, grants: Effective['held']): void {
  const { usable_for } = asked.credential
  const bounds = [...(usable_for ? [usable_for] : []), ...(asked.within?.ceilings ?? [])]
  const may =
    holdsRole(grants, administrator, new Date(now_ms)) &&
    bounds.every((names) => names.includes(roleCapability(administrator)))
  if (may) return
  throw refuse(
    'capability_denied',
    `Only an administrator of ${asked.request.tenant_id} changes people and roles; ask one, or whoever runs this engine to make you one.`,
    { requested_capability: operation.capability, reason: 'not an administrator' },
  )
}

/** The unavailable dependency might have granted it, so it is not denied. */
function requireKnown({ unknown_of_caller }: Identified, unknown?: Dependency): void {
  if (unknown_of_caller) throw unavailable('identity')
  if (unknown) throw unavailable(unknown)
}

/** All that a caller holds, for handlers that need the complete set. */
export async function knownHoldings(
  call: Identified,
  { capabilities }: Ports,
  tenant_id: string,
): Promise<readonly HeldCapability[]> {
  const { held, unknown } = await capabilities.effective(call.caller, call.asked.credential, tenant_id)
  requireKnown(call, unknown)
  return held
}

/** A delegation counts in its own organization, and a session under it has nothing else. */
function requireNoDelegation({ asked, operation }: Admitted): void {
  if (asked.credential.delegation_id === undefined) return
  throw refuse(
    'capability_denied',
    'This session acts under a delegation, which does not reach other organizations; prove yourself without it.',
    { requested_capability: operation.capability, reason: 'session under a delegation' },
  )
}

/** In another organization only a treaty counts, not the caller's own capabilities. */
function crossBorder(call: Admitted, ports: Ports): Authorised | Promise<Authorised> {
  const { credential, request } = call.asked
  const answer = crossTenantCallGrants(ports, {
    from_tenant: credential.tenant_id,
    to_tenant: request.tenant_id,
    capability: call.operation.capability,
    at_ms: call.now_ms,
  })
  return answer instanceof Promise
    ? answer.then((treaty_answer) => cross(call, ports, treaty_answer))
    : cross(call, ports, answer)
}

async function cross(call: Admitted, ports: Ports, answer: TreatyAnswer): Promise<Authorised> {
  const { tenant_id } = call.asked.request
  if (answer.reason !== no_treaty || (await isTenant(tenant_id, ports))) call.other_tenant = tenant_id
  if (answer.reason) throw noCrossTenantCall(call, answer.reason, answer.treaty?.id)
  if (call.caller.revoked) throw noCrossTenantCall(call, 'identity revoked')
  if (call.operation.facts.for_administrators) requireAdministrator(call, [])
  const grant = await firstSatisfied(answer.grants, call, ports, asked_before_it_runs)
  if (!grant) {
    const nearest = answer.grants[0]!
    const caveat = unsatisfiedCaveat(nearest, await factsFor(nearest, call, ports))
    requireKnown(call)
    throw noCrossTenantCall(call, unmet(caveat!), nearest.source_ref)
  }
  requireLevel(call)
  return applyPolicies(demandByGrant(Object.assign(call, { grant })), ports)
}

/** Where the lookup fails no tenant is named: the name may be invented. */
async function isTenant(tenant_id: string, { tenants, log }: Ports): Promise<boolean> {
  try {
    return (await tenants.tierOf(tenant_id)) !== undefined
  } catch (error) {
    log.warn({ err: error }, 'the tenant that was called could not be looked up')
    return false
  }
}

/** Does not reveal whether the tenant exists. */
function noCrossTenantCall(call: Admitted, reason: string, denying_policy?: string): Refusal {
  const { tenant_id } = call.asked.credential
  const none = reason === no_treaty
  return refuse(
    'capability_denied',
    none
      ? `Tenant ${tenant_id} has no active treaty with the tenant asked for; propose one with MOAT propose.`
      : `${call.operation.capability} is not open to tenant ${tenant_id} there: ${reason}; look with MOAT compliance_query, or amend the treaty.`,
    {
      requested_capability: call.operation.capability,
      reason,
      denying_policy,
      appeal_path: none ? 'MOAT propose' : 'MOAT propose_amendment',
    },
  )
}

/** A dissolving tenant takes on nothing new; a sealed one does nothing, and its attempts are in the operator's audit log. */
function requireStanding(call: Admitted): void {
  const { standing } = call.books
  if (standing === 'active') return
  const { engages, outlives } = call.operation.facts
  if (standing === 'dissolving' ? !engages : outlives) return
  const { tenant_id } = call.asked.credential
  const reason = standing === 'dissolving' ? 'organization dissolving' : 'organization sealed'
  throw refuse(
    'policy_denied',
    standing === 'dissolving'
      ? `Tenant ${tenant_id} is being wound up, and ${call.operation.capability} would bind it anew; finish what is open, or cancel with MAUSOLEUM initiate.`
      : `Tenant ${tenant_id} was dissolved and its audit log is sealed; read its records with MAX audit_query.`,
    {
      requested_capability: call.operation.capability,
      reason,
      denying_policy: 'MAUSOLEUM',
      ...(standing === 'dissolving' && { appeal_path: 'MAUSOLEUM initiate' }),
    },
  )
}

function findGrant(call: Admitted, ports: Ports, capabilities: readonly HeldCapability[]) {
  // `svc.*` and `svc.*.read` are deliberately not here: no wildcard covers parts of all protocols.
  const candidates: HeldCapability[] = []
  for (const name of call.operation.granted_by) {
    for (const grant of capabilities) {
      if (grant.name !== name || isExpired(grant, call.now_ms)) continue
      // Nothing before it and no caveat on it: this is the grant, and nothing has to be awaited.
      if (candidates.length === 0 && grant.caveats.length === 0) return grant
      candidates.push(grant)
    }
  }
  return candidates.length === 0 ? undefined : firstSatisfied(candidates, call, ports, asked_before_it_runs)
}

function reasonFor(call: Admitted, capabilities: readonly HeldCapability[]): string {
  const named = capabilities.filter((grant) => call.operation.granted_by.includes(grant.name))
  if (named.length === 0) return 'no matching capability'
  return named.every((grant) => isExpired(grant, call.now_ms)) ? 'capability expired' : 'caveat not satisfied'
}

function requireLevel(call: Admitted): void {
  const { level } = call.operation.facts
  if (meetsLevel(call.caller, level)) return
  requireKnown(call)
  throw refuse(
    'policy_denied',
    `${call.operation.capability} needs conformance ${level}; ${lacking(call.caller, level)}.`,
    {
      requested_capability: call.operation.capability,
      reason: reasonForLevel(call.caller, level),
      denying_policy: `conformance ${level}`,
      agent_did: call.caller.did,
    },
  )
}

function reasonForLevel(caller: ResolvedAgentIdentity, level: string): string {
  if (caller.auth_method === 'unresolved') return 'unresolved identity'
  return level === 'L2' ? 'conformance L2 required' : 'verified lineage required'
}

function lacking(caller: ResolvedAgentIdentity, level: string): string {
  if (caller.auth_method === 'unresolved')
    return 'the document of this identity could not be resolved; publish it'
  return `this identity is at ${caller.conformance_level}; ${level === 'L2' ? 'add signed attestations and reputation to its document' : 'prove its lineage with MACS verify_response'}`
}
