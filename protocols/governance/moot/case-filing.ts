// Files a case: checks the evidence, finds the court, and gives it access to the records in question.
import { openAuditLogTo } from '@svc/audit/query/shared-reading'
import { parseDid } from '@svc/contract/identity/did'
import { usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import type { Static } from 'typebox'
import { disputeContract, isBetween } from '../../economic/contracts/api.ts'
import {
  type Case,
  type CaseDraw,
  type CaseParty,
  type CaseSide,
  hasAppeal,
  keepCase,
  keepDraw,
  keepProgress,
  plead_ms,
  type Remedy,
  tenantsOf,
} from '../cases/api.ts'
import {
  checkEvidence,
  contractOf,
  isVerified,
  requireReadable,
  type Shown,
  treatyOf,
} from '../evidence/api.ts'
import { holdSuspension } from '../moat/api.ts'
import { type FileInput, type FileOutput, misfit, remedyOf } from './case-input.ts'
import { openCase, sideOfCaller } from './case-progress.ts'
import { drawFor, treatyAtIssue, venueFor } from './case-venue.ts'
import { filingFee, requireNoFeeOwed } from './filing-fee.ts'

export async function fileCase(
  input: FileInput,
  context: OperationContext<
    'audit_log' | 'authority' | 'charter' | 'engine' | 'lineages' | 'telemetry' | 'tenants' | 'treaties'
  >,
): Promise<Static<typeof FileOutput>> {
  const requested = remedyOf(input.requested_remedy, '/requested_remedy')
  await requireNoFeeOwed(context)
  const roles = input.appeal_of === undefined ? rolesOf(input, context) : await appealRoles(input, context)
  const shown = await checkEvidence(context, input.evidence)
  requireReadable(shown, input.evidence)
  const begun = await beginCase(input, context, roles, roles.appealed?.requested ?? requested, shown)
  if (!shown.checks.some(isVerified)) return await dismiss(context, begun)
  await requireThere(context, roles)
  await requireTarget(context, begun.requested, begun)
  const { appealed } = roles
  if (begun.treaty_id !== null)
    await holdSuspension(context.db, begun.treaty_id, `moot://case/${begun.case_id}`)
  const contracts = await pauseContracts(context, begun, [
    ...(appealed?.contracts ?? []),
    ...shown.contracts,
    ...targetOf(begun.requested),
  ])
  const filed: Case = { ...begun, contracts }
  const { draw, party_names } = await drawFor(context, {
    ...filed,
    parties: [filed.claimant, filed.respondent],
    appealed,
  })
  await keepCase(context.db, filed, null)
  await keepDraw(context.db, filed, draw, party_names)
  await openBooks(context, filed, filed.correlations)
  if (appealed) await keepProgress(context.db, { ...appealed, state: 'APPEALED' }, null)
  tellFiled(context, filed, draw)
  return answerOf(filed)
}

interface Roles {
  readonly claimant: CaseParty
  readonly respondent: CaseParty
  readonly filed_by: CaseSide
  readonly appealed: Case | undefined
}

function rolesOf({ respondent_did }: FileInput, { caller, tenant_id }: OperationContext): Roles {
  const home = parseDid(caller.did)?.namespace
  if (home !== tenant_id)
    throw refuse('policy_denied', `You do not belong to ${tenant_id}; file in your own organization.`, {
      reason: 'not your organization',
    })
  if (respondent_did === caller.did) throw misfit('/respondent_did', 'is the caller itself')
  const respondent_tenant = parseDid(respondent_did)!.namespace
  return {
    claimant: { tenant_id, did: caller.did },
    respondent: { tenant_id: respondent_tenant, did: respondent_did },
    filed_by: 'claimant',
    appealed: undefined,
  }
}

/** An appeal reopens the dispute: claimant and claim stay the same, and either side may file it. */
async function appealRoles(input: FileInput, context: OperationContext<'charter'>): Promise<Roles> {
  const appealed = await openCase(context, input.appeal_of!)
  const filed_by = await sideOfCaller(context, appealed)
  const { claimant, respondent, state, appeal_of, case_id, appeal_until } = appealed
  const other = filed_by === 'claimant' ? respondent : claimant
  if (other.did !== input.respondent_did)
    throw misfit('/respondent_did', `is not the other party of case ${case_id}: ${other.did}`)
  if (appeal_of !== null || (await hasAppeal(context.db, case_id)))
    throw denied(`Case ${case_id} was already appealed; only one appeal is allowed.`, 'one appeal only')
  const is_open = appeal_until !== null && appeal_until > new Date(context.now)
  if (state !== 'RULED' || !is_open)
    throw denied(
      `Case ${case_id} is ${state}${state === 'RULED' ? ' and its appeal period has ended' : ''}; ` +
        'file an appeal while it is RULED, within 14 days.',
      state === 'RULED' ? 'appeal window closed' : `case is ${state}; appeal needs RULED`,
    )
  return { claimant, respondent, filed_by, appealed }
}

async function beginCase(
  input: FileInput,
  context: OperationContext<'authority' | 'engine' | 'lineages' | 'telemetry' | 'tenants' | 'treaties'>,
  { claimant, respondent, filed_by, appealed }: Roles,
  requested: Remedy,
  { checks, correlations }: Shown,
): Promise<Case> {
  const parties = [claimant, respondent] as const
  const treaty = appealed ? undefined : await treatyAtIssue(context, input, parties)
  const venue = appealed?.venue ?? (await venueFor(context, treaty, parties, input.venue))
  const now = new Date(context.now)
  return {
    case_id: context.newId(),
    claimant,
    respondent,
    venue,
    filed_by,
    claim: input.claim,
    evidence: checks,
    correlations: [...new Set([...(appealed?.correlations ?? []), ...correlations])],
    contracts: [],
    requested,
    fee_micro_usd: filingFee(requested.micro_usd),
    treaty_id: appealed?.treaty_id ?? treaty?.id ?? null,
    appeal_of: appealed?.case_id ?? null,
    panel: [],
    state: 'FILED',
    filed_at: now,
    served_at: null,
    plead_by: new Date(now.getTime() + plead_ms),
    answered_at: null,
    rule_by: null,
    appeal_until: null,
    closed_at: null,
  }
}

/** No valid evidence: the respondent is not notified, and only the claimant's audit log records it. */
async function dismiss(context: OperationContext, begun: Case): Promise<Static<typeof FileOutput>> {
  const dismissed: Case = { ...begun, state: 'DISMISSED', closed_at: new Date(context.now) }
  await keepCase(context.db, dismissed, null)
  const { case_id, claimant, respondent, venue, state } = dismissed
  context.audit('CaseFiled', {
    case_id,
    claimant_did: claimant.did,
    respondent_did: respondent.did,
    venue,
    state,
    reason: 'no verifiable evidence',
  })
  return answerOf(dismissed)
}

/** Checked only after evidence was verified, so that filing does not reveal who exists. */
async function requireThere(
  context: OperationContext<'authority' | 'tenants'>,
  { respondent }: Roles,
): Promise<void> {
  const { identity } = await context.authority.of(respondent.did)
  const is_there = (await context.tenants.tierOf(respondent.tenant_id)) !== undefined
  if (!is_there || identity.auth_method === 'unresolved') throw notFound('respondent', respondent.did)
}

/** Only the parties of a contract or treaty may request a remedy on it. */
export async function requireTarget(
  context: OperationContext<'treaties'>,
  { kind, target }: Remedy,
  { claimant, respondent }: Pick<Case, 'claimant' | 'respondent'>,
): Promise<void> {
  const contract = contractOf(target)
  if (contract && !(await isBetween(context.db, contract.contract_id, claimant, respondent)))
    throw notFound('contract between the two parties', contract.contract_id)
  const treaty_id = treatyOf(target)
  if (kind !== 'terminate_treaty' || treaty_id === undefined) return
  const tenants = (await context.treaties.find(treaty_id))?.parties.map(({ tenant }) => tenant) ?? []
  if (!tenants.includes(claimant.tenant_id) || !tenants.includes(respondent.tenant_id))
    throw notFound('treaty between the two parties', treaty_id)
}

function targetOf({ target }: Remedy): string[] {
  const contract = contractOf(target)
  return contract ? [contract.contract_id] : []
}

/** Pauses contracts that are between the two parties until the case ends. */
export async function pauseContracts(
  { db, now }: OperationContext,
  { claimant, respondent }: Pick<Case, 'claimant' | 'respondent'>,
  contract_ids: readonly string[],
): Promise<string[]> {
  const paused: string[] = []
  // In a fixed order, so that two concurrent filings cannot deadlock.
  for (const contract_id of [...new Set(contract_ids)].sort()) {
    if (!(await isBetween(db, contract_id, claimant, respondent))) continue
    await disputeContract(db, contract_id, new Date(now))
    paused.push(contract_id)
  }
  return paused
}

/** Lets the court read both parties' records of the requests in question, and nothing else. */
export async function openBooks(
  { db, tenant_id }: OperationContext,
  dispute: Pick<Case, 'case_id' | 'claimant' | 'respondent' | 'venue'>,
  correlations: readonly string[],
): Promise<void> {
  const { case_id, claimant, respondent, venue } = dispute
  for (const owner_tenant of new Set([claimant.tenant_id, respondent.tenant_id])) {
    if (owner_tenant === venue) continue
    for (const correlation_id of correlations)
      await openAuditLogTo(db, {
        owner_tenant,
        tenant_id: venue,
        correlation_id,
        basis: 'case',
        ref: `moot://case/${case_id}`,
        granted_by: tenant_id,
      })
  }
}

/** The record in the venue's chain fixes what the panel is drawn from. */
function tellFiled(
  context: OperationContext,
  filed: Case,
  { seats, eligible_hash, follows }: CaseDraw,
): void {
  const { case_id, claimant, respondent, venue, requested, plead_by, appeal_of, treaty_id } = filed
  const meta = {
    case_id,
    claimant_did: claimant.did,
    respondent_did: respondent.did,
    filed_by: filed.filed_by,
    venue,
    seats,
    eligible_hash,
    ...(follows !== null && { follows }),
    remedy: requested.kind,
    ...(requested.micro_usd !== null && { amount_micro_usd: String(requested.micro_usd) }),
    evidence: filed.evidence.map(({ ref }) => ref),
    contracts: filed.contracts,
    plead_by: plead_by.toISOString(),
    ...(appeal_of !== null && { appeal_of }),
    ...(treaty_id !== null && { treaty_id }),
  }
  context.audit('CaseFiled', meta, { also: tenantsOf(filed) })
}

function answerOf({ case_id, state, venue, panel, fee_micro_usd, plead_by, evidence }: Case) {
  return {
    case_id,
    state,
    venue,
    panel: [...panel],
    fee_usd: usdText(fee_micro_usd),
    plead_by: plead_by.toISOString(),
    evidence_check: [...evidence],
  }
}

function denied(sentence: string, reason: string): Refusal {
  return refuse('policy_denied', sentence, { reason, denying_policy: 'MOOT appeal' })
}
