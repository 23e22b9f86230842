// What organizations forbid beyond capabilities, checked in stage 4 after a grant matched. Without policies it costs nothing.

import type { PolicyCouncil, PolicyRuling, Scene } from '@svc/contract/authority/policy'
import { usdOf } from '@svc/contract/money/money'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { addDemand } from './approval-demand.ts'
import type { Authorised } from './call.ts'
import type { Ports } from './ports.ts'

/** Longer values could not be recorded with their verdict. */
const action_kind_length_max = 128

const levels = { L0: 0, L1: 1, L2: 2 } as const

/** The caller's own policies, and those of the called organization. */
export function applyPolicies(call: Authorised, ports: Ports): Authorised | Promise<Authorised> {
  const { credential, request } = call.asked
  if (credential.tenant_id !== request.tenant_id) return applyBoth(call, ports)
  return call.books.has_policies ? apply(call, ports, credential.tenant_id) : call
}

async function applyBoth(call: Authorised, ports: Ports): Promise<Authorised> {
  const { credential, request } = call.asked
  if (call.books.has_policies) await apply(call, ports, credential.tenant_id)
  const { has_policies } = await ports.treasury.of(request.tenant_id)
  return has_policies ? apply(call, ports, request.tenant_id) : call
}

function apply(call: Authorised, ports: Ports, tenant_id: string): Authorised | Promise<Authorised> {
  // A policy may depend on the identity document, so nobody is judged without it.
  if (call.unknown_of_caller) throw unavailable('identity')
  const scene = sceneOf(call)
  call.scene ??= storedOf(scene)
  const ruling = ports.policies.judge(tenant_id, scene)
  return ruling instanceof Promise
    ? ruling.then((policy_ruling) => obey(call, ports, tenant_id, policy_ruling))
    : obey(call, ports, tenant_id, ruling)
}

function obey(
  call: Authorised,
  ports: Ports,
  tenant_id: string,
  ruling: PolicyRuling,
): Authorised | Promise<Authorised> {
  const { correlation_id } = call
  call.policy_sets = { ...call.policy_sets, [tenant_id]: ruling.set_digest }
  for (const warning of ruling.warnings) ports.log.warn({ correlation_id, tenant_id }, warning)
  if (ruling.allowed || isLiftedByConsent(call, tenant_id, ruling)) return call
  return councilBehind(call, ports, tenant_id, ruling).then((council) => {
    throw forbidden(call, tenant_id, ruling, council)
  })
}

function isLiftedByConsent(call: Authorised, tenant_id: string, { approvals = [] }: Denial): boolean {
  if (approvals.length === 0) return false
  return approvals.every(({ who, policy }) => addDemand(call, { tenant_id, who, by: 'policy', ref: policy }))
}

type Denial = Extract<PolicyRuling, { allowed: false }>

/** The refusal is the same whether or not its council can be looked up. */
async function councilBehind(
  { correlation_id }: Authorised,
  { policies, log }: Ports,
  tenant_id: string,
  { denying_policy }: Denial,
): Promise<PolicyCouncil | undefined> {
  try {
    return await policies.councilOf(tenant_id, denying_policy)
  } catch (error) {
    log.warn({ err: error, correlation_id, tenant_id, denying_policy }, 'a dissent could not be looked up')
    return undefined
  }
}

/** Another organization learns that there was dissent and where to find it, not whose it was. */
function dissentFor({ asked }: Authorised, tenant_id: string, { verdict, dissent }: PolicyCouncil) {
  const is_own = asked.credential.tenant_id === tenant_id
  const shown_dissent = is_own
    ? dissent
    : dissent.map(({ position, position_id }) => ({ position, position_id }))
  return { verdict, dissent: shown_dissent }
}

function forbidden(
  call: Authorised,
  tenant_id: string,
  { reason, denying_policy, appeal_path, reads_input }: Denial,
  council: PolicyCouncil | undefined,
): Refusal {
  return refuse(
    'policy_denied',
    `${call.operation.capability} is forbidden by a rule of ${tenant_id}: ${reason}. Ask MAXIM constitutional_interpretation why.`,
    {
      requested_capability: call.operation.capability,
      reason,
      denying_policy,
      appeal_path,
      ...(reads_input && { reads_input }),
      ...(council && dissentFor(call, tenant_id, council)),
    },
  )
}

/** Jurisdiction comes from the identity document; a call itself states only its kind and amount. */
function sceneOf(call: Authorised): Scene {
  const { caller, asked, registered, operation, now_ms, grant } = call
  const now = new Date(now_ms)
  const { jurisdiction } = caller.extended
  return {
    principal: {
      did: caller.did,
      tenant: asked.credential.tenant_id,
      kind: caller.entity_kind,
      level: levels[caller.conformance_level],
      lineage_verified: caller.lineage_verified,
      human_root: caller.human_root_did,
    },
    resource: {
      protocol: registered.facts.id,
      operation: operation.name,
      state_changing: operation.facts.effect === 'write',
    },
    context: {
      tenant: asked.credential.tenant_id,
      target_tenant: asked.request.tenant_id,
      hour: now.getUTCHours(),
      weekday: now.getUTCDay() || 7,
      origin: asked.origin,
      jurisdiction: typeof jurisdiction === 'string' ? jurisdiction : undefined,
      treaty_id: grant.source === 'treaty' ? grant.source_ref : undefined,
      ...saidOf(asked.request.input),
      // Never undefined: that would mean that it is not available.
      input: asked.request.input ?? null,
    },
    at_ms: now_ms,
  }
}

/** What the record does not state anyway. */
function storedOf({ principal, resource, context }: Scene): Record<string, unknown> {
  const { action_kind, amount_micro_usd, jurisdiction } = context
  return {
    action_kind,
    amount_micro_usd: amount_micro_usd?.toString(),
    human_root: principal.human_root,
    jurisdiction,
    state_changing: resource.state_changing,
  }
}

function saidOf(input: unknown): Pick<Scene['context'], 'action_kind' | 'amount_micro_usd'> {
  if (typeof input !== 'object' || input === null) return {}
  const own = (name: string): unknown => Object.getOwnPropertyDescriptor(input, name)?.value
  const [action_kind, amount] = [own('action_kind'), own('amount_usd')]
  if (typeof action_kind === 'string' && action_kind.length > action_kind_length_max) {
    throw refuse(
      'invalid_payload',
      `action_kind may have ${action_kind_length_max} characters where rules judge it; shorten it.`,
      { reason: 'too_large', faults: [{ pointer: '/action_kind', message: 'is too long' }] },
    )
  }
  return {
    action_kind: typeof action_kind === 'string' ? action_kind : undefined,
    amount_micro_usd: typeof amount === 'string' || typeof amount === 'number' ? usdOf(amount) : undefined,
  }
}
