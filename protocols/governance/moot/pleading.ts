// Pleadings of the parties: limited in number, never taken back; an agreement of both ends the case.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Static } from 'typebox'
import {
  type Case,
  type CaseSide,
  keepProgress,
  otherCaseSide,
  pleadings_per_side_max,
  type Remedy,
  remedyOfKept,
  storedRemedy,
  tenantsOf,
} from '../cases/api.ts'
import { checkEvidence, correlations_max, requireReadable, tooMuch } from '../evidence/api.ts'
import { openBooks, pauseContracts, requireTarget } from './case-filing.ts'
import { misfit, type PleadInput, type PleadOutput, remedyOf } from './case-input.ts'
import { keepPleading, type Plea, type Pleading, pleadingsOf } from './case-papers.ts'
import { openCase, requireCaseState, requirePaperReader, sideOfCaller } from './case-progress.ts'
import { servedByReading } from './case-service.ts'
import { docketOf } from './pleading-docket.ts'
import { endAppealed, ruleByConsent } from './ruling-making.ts'

type Answer = Static<typeof PleadOutput>

export async function plead(
  input: PleadInput,
  context: OperationContext<'audit_log' | 'charter' | 'register' | 'telemetry' | 'treaties'>,
): Promise<Answer> {
  const dispute = await openCase(context, input.case_id)
  if (input.plea === 'view') return await view(context, dispute)
  const side = await sideOfCaller(context, dispute)
  const statement = sayingOf(input, dispute, side)
  requireCaseState(dispute, 'plead', ['FILED', 'PLEADED'])
  const before = await pleadingsOf(context.db, dispute.case_id)
  requireTurn(before, side)
  const { counterclaim } = statement
  if (counterclaim) await requireTarget(context, remedyOfKept(counterclaim.requested), dispute)
  const { evidence = [] } = input
  const shown = await checkEvidence(context, evidence)
  requireReadable(shown, evidence)
  const pleading: Pleading = {
    ...statement,
    place: before.length + 1,
    side,
    pleaded_by: context.caller.did,
    evidence: shown.checks,
    pleaded_at: new Date(context.now),
  }
  await keepPleading(context.db, dispute, pleading)
  const correlations = [...new Set([...dispute.correlations, ...shown.correlations])]
  if (correlations.length > 2 * correlations_max) throw tooMuch(`records of ${2 * correlations_max} requests`)
  const added = correlations.filter((id) => !dispute.correlations.includes(id))
  await openBooks(context, dispute, added)
  const contracts = await pauseContracts(context, dispute, shown.contracts)
  const heard = { ...dispute, correlations, contracts: [...new Set([...dispute.contracts, ...contracts])] }
  const after = await follow(context, heard, [...before, pleading], pleading)
  return { ...answerOf(after, before.length + 1), evidence_check: [...shown.checks] }
}

/** Effects of a plea on the rows and on the audit logs of all three. */
async function follow(
  context: OperationContext<'register'>,
  dispute: Case,
  pleadings: readonly Pleading[],
  pleading: Pleading,
): Promise<Case> {
  const { plea, side } = pleading
  const now = new Date(context.now)
  const is_answer = side !== dispute.filed_by && dispute.answered_at === null
  const answered: Case = is_answer ? { ...dispute, state: 'PLEADED', answered_at: now } : dispute
  const agreed = plea === 'settle' ? agreementOf(pleadings) : undefined
  const after: Case = agreed
    ? { ...answered, state: 'SETTLED' }
    : plea === 'withdraw'
      ? { ...answered, state: 'WITHDRAWN' }
      : answered
  const next_at = agreed || plea === 'withdraw' ? now : after.state === 'FILED' ? after.plead_by : null
  await keepProgress(context.db, after, next_at)
  if (agreed) await ruleByConsent(context, after, agreed)
  // A withdrawn appeal leaves the earlier ruling in force; an agreement replaces it.
  if (after.appeal_of !== null && (agreed || plea === 'withdraw'))
    await endAppealed(context.db, after.appeal_of, agreed !== undefined, now)
  const { case_id, state } = after
  context.audit(
    'CasePleaded',
    { case_id, side, plea, state, place: pleading.place },
    { also: tenantsOf(after) },
  )
  return after
}

/** The last offers of both sides, if they are equal. */
function agreementOf(pleadings: readonly Pleading[]): Remedy | undefined {
  const lastOf = (side: CaseSide) =>
    pleadings.findLast((pleading) => pleading.side === side && pleading.settlement !== null)?.settlement
  const [one, other] = [lastOf('claimant'), lastOf('respondent')]
  if (!one || !other || one.kind !== other.kind || one.micro_usd !== other.micro_usd) return undefined
  return remedyOfKept(one)
}

function sayingOf(
  input: PleadInput,
  dispute: Case,
  side: CaseSide,
): Pick<Pleading, 'plea' | 'argument' | 'counterclaim' | 'settlement'> {
  const { argument, counterclaim, settlement } = input
  const plea = input.plea as Plea
  if (argument === undefined) throw misfit('/argument', 'is required with every plea')
  if ((plea === 'counterclaim') !== (counterclaim !== undefined))
    throw misfit('/counterclaim', 'is only allowed with the plea counterclaim')
  if ((plea === 'settle') !== (settlement !== undefined))
    throw misfit('/settlement', 'is only allowed with the plea settle')
  requireRole(plea, dispute, side)
  const countered = counterclaim && {
    claim: counterclaim.claim,
    requested: storedRemedy(remedyOf(counterclaim.requested_remedy, '/counterclaim/requested_remedy')),
  }
  const offered = settlement && storedRemedy(offerOf(settlement, dispute))
  return { plea, argument, counterclaim: countered ?? null, settlement: offered ?? null }
}

/** A claimant cannot deny or admit its own claim, and only the filing side may withdraw. */
function requireRole(plea: Plea, { filed_by }: Case, side: CaseSide): void {
  if (plea === 'withdraw' && side !== filed_by)
    throw refuse('policy_denied', `Only the ${filed_by}, who filed this case, may withdraw it.`, {
      reason: `only the ${filed_by} may withdraw`,
      denying_policy: 'MOOT parties',
    })
  if ((plea === 'admit' || plea === 'counterclaim') && side !== 'respondent')
    throw refuse('policy_denied', `Only the respondent may ${plea} the claim.`, {
      reason: `only the respondent may ${plea}`,
      denying_policy: 'MOOT parties',
    })
}

/** The requested remedy, money instead, or a declaration; never more than requested. */
function offerOf(settlement: NonNullable<PleadInput['settlement']>, { requested }: Case): Remedy {
  const { kind } = settlement
  const target = kind === requested.kind ? requested.target : null
  const offered = remedyOf({ ...settlement, ...(target !== null && { target }) }, '/settlement')
  if (kind !== requested.kind && kind !== 'pay' && kind !== 'declaratory')
    throw misfit('/settlement/kind', `must be ${requested.kind}, as requested, or pay, or declaratory`)
  if (requested.micro_usd !== null && (offered.micro_usd ?? 0n) > requested.micro_usd)
    throw misfit('/settlement/amount_usd', 'is more than was requested')
  return offered
}

function requireTurn(before: readonly Pleading[], side: CaseSide): void {
  if (before.filter((pleading) => pleading.side === side).length < pleadings_per_side_max) return
  throw refuse(
    'policy_denied',
    `Each side may plead at most ${pleadings_per_side_max} times, and the ${side} has done so; wait for the hearing.`,
    { reason: 'pleading limit reached', denying_policy: 'MOOT pleadings' },
  )
}

async function view(context: OperationContext<'charter'>, dispute: Case): Promise<Answer> {
  const is_arbiter = await requirePaperReader(context, dispute)
  const is_other = !is_arbiter && (await sideOfCaller(context, dispute)) !== dispute.filed_by
  const served = await servedByReading(context, dispute, is_other)
  const pleadings = await pleadingsOf(context.db, dispute.case_id)
  return {
    ...answerOf(served, pleadings.length),
    docket: await docketOf(context.db, served, pleadings),
  }
}

/** The panel may hear the case after the answer, or once the time to answer has passed. */
function answerOf(dispute: Case, pleadings_count: number): Answer {
  const { case_id, state, answered_at, plead_by } = dispute
  const is_before = state === 'FILED' || state === 'PLEADED' || state === 'DEFAULTED'
  const hear_after = answered_at ?? plead_by
  return { case_id, state, pleadings_count, ...(is_before && { hear_after: hear_after.toISOString() }) }
}

/** Whom the remedy of a finding would favour, and its maximum. */
export function claimOf(
  { requested }: Case,
  pleadings: readonly Pleading[],
  side: CaseSide,
): Remedy | undefined {
  if (side === 'claimant') return requested
  const countered = pleadings.findLast(
    (pleading) => pleading.side === otherCaseSide('claimant') && pleading.counterclaim !== null,
  )
  return countered?.counterclaim ? remedyOfKept(countered.counterclaim.requested) : undefined
}
