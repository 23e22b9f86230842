// Advances a case to the current time inside a call; who may act in it.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  advanceCase,
  asAdvanced,
  type Case,
  type CaseSide,
  type CaseState,
  case_sides,
  keepProgress,
  lockCase,
  tenantsOf,
} from '../cases/api.ts'

/** Locked and up to date: due changes are stored before anything else is done. */
export async function openCase(context: OperationContext, case_id: string): Promise<Case> {
  const dispute = await lockCase(context.db, case_id)
  const advanced = advanceCase(dispute, new Date(context.now))
  if (advanced.state === dispute.state) return dispute
  const current = asAdvanced(dispute, advanced)
  await keepProgress(context.db, current, advanced.next_at)
  tellDefault(context, current)
  return current
}

export function defaultChanges({ case_id, plead_by, served_at, filed_by }: Case): Record<string, unknown> {
  const silent = filed_by === 'claimant' ? 'respondent' : 'claimant'
  const at = served_at && { served_at: served_at.toISOString() }
  return { case_id, state: 'DEFAULTED', silent, ...at, plead_by: plead_by.toISOString() }
}

function tellDefault(context: OperationContext, dispute: Case): void {
  if (dispute.state === 'DEFAULTED')
    context.audit('CasePleaded', defaultChanges(dispute), { also: tenantsOf(dispute) })
}

/** The party itself or a charter member of its organization. */
export async function sideOfCaller(context: OperationContext<'charter'>, dispute: Case): Promise<CaseSide> {
  const { caller, tenant_id } = context
  const own = case_sides.find((side) => dispute[side].did === caller.did)
  if (own && dispute[own].tenant_id === tenant_id) return own
  const homes = case_sides.filter((side) => dispute[side].tenant_id === tenant_id)
  const is_home = parseDid(caller.did)?.namespace === tenant_id
  if (homes.length === 1 && is_home && (await context.charter.has(caller.did))) return homes[0]!
  throw refuse(
    'policy_denied',
    `Only ${dispute.claimant.did}, ${dispute.respondent.did} and the charter members of their organizations may act in this case; ` +
      'ask one of them.',
    { reason: 'not a party of this case', denying_policy: 'MOOT parties' },
  )
}

/** Only parties and panel may read the documents. True for an arbiter. */
export async function requirePaperReader(
  context: OperationContext<'charter'>,
  dispute: Case,
): Promise<boolean> {
  const { panel, venue } = dispute
  if (panel.includes(context.caller.did) && context.tenant_id === venue) return true
  await sideOfCaller(context, dispute)
  return false
}

/** Arbiters act in the venue's tenant, as themselves. */
export function requireArbiter({ caller, tenant_id }: OperationContext, { panel, venue }: Case): void {
  if (panel.includes(caller.did) && tenant_id === venue) return
  throw refuse(
    'policy_denied',
    `You are not on the panel of this case; only the panel that was drawn for it may decide.`,
    { reason: 'not on the panel', denying_policy: 'MOOT panel', appeal_path: 'MOOT file with appeal_of' },
  )
}

export function requireCaseState({ state }: Case, action: string, needed: readonly CaseState[]): void {
  if (!needed.includes(state)) throw wrongState(state, action, needed)
}

function wrongState(state: CaseState, action: string, needed: readonly CaseState[]): Refusal {
  return refuse(
    'policy_denied',
    `The case is ${state}, and ${action} needs ${needed.join(' or ')}; read its current state with plead view.`,
    { reason: `case is ${state}; ${action} needs ${needed.join(' or ')}`, state },
  )
}
