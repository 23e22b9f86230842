// Checks whether the other party complied, and acts on it: suspend, resume, or file a case.

import { TreatyState } from '@svc/contract/authority/treaty'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, OneOf, Period, Ref, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type Finding, finding_kinds, findingsOf, stillOwed } from './finding.ts'
import { gatherEvidence, keepFindings } from './finding-store.ts'
import { otherParty, type StoredTreaty, stepTo, suspension_ms } from './treaty.ts'
import { resumption } from './treaty-ending.ts'
import {
  openHead,
  openTreaty,
  requireHome,
  requireState,
  requireVoice,
  take,
  tell,
} from './treaty-progress.ts'
import { findHead, findLast, findTreaty } from './treaty-store.ts'

const period_ms_max = 92 * 86_400_000
const evidence_max = 256
const findings_max = 1_000

export const EnforceInput = Closed({
  treaty_id: described(Hash, 'Any treaty of the line.'),
  period: described(Period, 'What to check, at most 92 days, half-open: from <= t < to.'),
  measure: Type.Optional(
    described(
      OneOf('report', 'suspend', 'resume', 'claim'),
      'Default report: only check. Suspend stops calls for up to 30 days; claim files a MOOT case.',
    ),
  ),
  finding_ids: Type.Optional(described(ListOf(Uuid, 1, 256), 'Findings to act on; default all.')),
  reason: Type.Optional(Text(2000, { description: 'Required unless the measure is report.' })),
})
type EnforceInput = Static<typeof EnforceInput>

export const EnforceOutput = Closed({
  findings: described(
    ListOf(
      Closed({
        id: described(Uuid, 'Derived from its content: the same breach has the same id.'),
        kind: described(
          OneOf(...finding_kinds),
          'Limit, budget or grant exceeded, a call that the terms stopped, or payment late, or missing beyond the grace period.',
        ),
        about: Type.String({
          description:
            'The limit with its hour, day or week, the capability, or the contract and obligation.',
        }),
        observed: Type.String({ description: 'What happened, such as 12 calls.' }),
        allowed: Type.String({ description: 'What the treaty allows, such as 10 calls.' }),
        records: described(ListOf(Ref, 0, 64), 'Evidence: the first 64 audit records, or the contract.'),
      }),
      0,
      findings_max,
    ),
    'Breaches by the other party and its refused attempts, recomputed from records, budgets and contracts.',
  ),
  compliant: Type.Boolean({
    description: 'True if no breach was found in the period; a refused attempt is none.',
  }),
  state: TreatyState,
  case_id: Type.Optional(Type.String({ description: 'MOOT case, after claim.' })),
})
type EnforceOutput = Static<typeof EnforceOutput>

export async function enforce(
  input: EnforceInput,
  context: OperationContext<'audit_log' | 'charter'>,
): Promise<EnforceOutput> {
  requireHome(context, 'enforce it')
  const { measure = 'report' } = input
  requirePeriod(input.period)
  const named = await findTreaty(context.db, input.treaty_id)
  if (!named) throw notFound('treaty', input.treaty_id)
  const evidence = await gatherEvidence(context, named, input.period)
  const findings = findingsOf(evidence).slice(0, findings_max)
  const chosen = choose(findings, input.finding_ids)
  const answer = (state: StoredTreaty['state'], case_id?: string): EnforceOutput => ({
    findings: chosen.map((finding) => ({ ...finding, records: [...finding.records] })),
    compliant: findings.every((finding) => !isBreach(finding)),
    state,
    ...(case_id !== undefined && { case_id }),
  })
  if (measure === 'report') return answer((await standing(context, named)).state)
  if (input.reason === undefined) throw unreasoned(measure)
  await requireVoice(context, named, measure)
  if (measure === 'claim') {
    const remedy = remedyFor(stillOwed(evidence, chosen))
    const { case_id, treaty } = await claim(context, named, chosen, { reason: input.reason, remedy })
    return answer(treaty.state, case_id)
  }
  const head = await openStanding(context, input.treaty_id, measure)
  const changed = measure === 'suspend' ? await suspend(context, head, chosen) : await resume(context, head)
  return answer(changed.state)
}

async function standing({ db }: OperationContext, { root_id }: StoredTreaty): Promise<StoredTreaty> {
  return (await findHead(db, root_id)) ?? (await findLast(db, root_id))
}

async function openStanding(
  context: OperationContext,
  treaty_id: string,
  action: 'suspend' | 'resume',
): Promise<StoredTreaty> {
  const named = await openTreaty(context, treaty_id)
  const head = (await openHead(context, named.root_id)) ?? named
  requireState(head, action, action === 'suspend' ? ['ACTIVE'] : ['SUSPENDED'])
  return head
}

async function suspend(
  context: OperationContext,
  head: StoredTreaty,
  findings: readonly Finding[],
): Promise<StoredTreaty> {
  requireFindings(findings, 'suspend')
  const from = new Date(context.now)
  const by = context.tenant_id
  const suspended = { from, until: new Date(from.getTime() + suspension_ms), by }
  await note(context, head, findings, 'suspend')
  const step = stepTo(
    head,
    'TreatySuspended',
    { state: 'SUSPENDED', suspended },
    {
      by,
      until: suspended.until.toISOString(),
      findings: findings.length,
    },
  )
  return take(context, step)
}

/** Only the party that suspended it may resume it; the other may file a case. */
async function resume(context: OperationContext, head: StoredTreaty): Promise<StoredTreaty> {
  if (head.suspended?.by !== context.tenant_id)
    throw refuse(
      'policy_denied',
      `The treaty was suspended by ${head.suspended?.by ?? 'nobody'}, and only that party may resume it; ask them, or file a case.`,
      { reason: 'not the suspender', denying_policy: 'MOAT suspension', appeal_path: 'MOOT file' },
    )
  return take(context, resumption(head, new Date(context.now), context.tenant_id))
}

/** The case has its own transaction and may lock the treaty, so it must not be locked here before. */
async function claim(
  context: OperationContext,
  named: StoredTreaty,
  findings: readonly Finding[],
  { reason, remedy }: { readonly reason: string; readonly remedy: ReturnType<typeof remedyFor> },
) {
  requireFindings(findings, 'claim')
  const treaty = await standing(context, named)
  const cited = [...new Set(findings.flatMap(({ records }) => records)), `moat://${treaty.id}`]
  const filed = (await context.call('MOOT', 'file', {
    respondent_did: otherParty(treaty, context.tenant_id).did,
    claim: reason,
    evidence: cited.slice(0, evidence_max),
    requested_remedy: remedy,
    treaty_id: treaty.id,
  })) as { case_id: string }
  await note(context, treaty, findings, 'claim', filed.case_id)
  return { case_id: filed.case_id, treaty }
}

/** A contract debt is enforced under its contract: paid separately, it would still be owed. */
function remedyFor(owed: ReadonlyMap<string, readonly string[]>) {
  const [first, ...others] = owed
  if (!first) return { kind: 'declaratory' }
  if (others.length > 0)
    throw refuse(
      'policy_denied',
      `The findings concern ${owed.size} contracts, and a claim can enforce only one; pass the finding_ids of one contract.`,
      { reason: 'several contracts', denying_policy: 'MOAT enforcement', contracts: [...owed.keys()] },
    )
  const [contract_id, obligations] = first
  const one = obligations.length === 1 ? `/obligation/${obligations[0]}` : ''
  return { kind: 'specific_performance', target: `made://contract/${contract_id}${one}` }
}

async function note(
  context: OperationContext,
  treaty: StoredTreaty,
  findings: readonly Finding[],
  measure: string,
  case_id?: string,
): Promise<void> {
  const { tenant_id, db, now: at } = context
  const { id: treaty_id, root_id } = treaty
  const other = otherParty(treaty, tenant_id).tenant
  await keepFindings(db, { treaty_id, tenant_id, other, measure, at }, findings)
  const kinds = [...new Set(findings.map(({ kind }) => kind))]
  const meta = { treaty_id, root_id, measure, findings: findings.length, kinds, case_id }
  tell(context, treaty, { type: 'TreatyEnforced', meta })
}

function choose(findings: readonly Finding[], ids: readonly string[] | undefined): readonly Finding[] {
  if (!ids) return findings
  const unknown = ids.find((finding_id) => !findings.some(({ id }) => id === finding_id))
  if (unknown !== undefined) throw notFound('finding of this period', unknown)
  return findings.filter(({ id }) => ids.includes(id))
}

function requirePeriod({ from, to }: Static<typeof Period>): void {
  const fault = (name: string, message: string) =>
    refuse('invalid_payload', `The period is invalid: ${name} ${message}; choose another.`, {
      reason: 'no_such_period',
      faults: [{ pointer: `/period/${name}`, message }],
    })
  if (!isMoment(from)) throw fault('from', 'is not a valid time')
  if (!isMoment(to)) throw fault('to', 'is not a valid time')
  const span_ms = Date.parse(to) - Date.parse(from)
  if (span_ms <= 0) throw fault('to', 'must be later than from')
  if (span_ms > period_ms_max) throw fault('to', 'must be at most 92 days after from')
}

function requireFindings(findings: readonly Finding[], measure: string): void {
  if (findings.some(isBreach)) return
  throw refuse(
    'policy_denied',
    `The other party complied with the treaty in this period, so there is no ground to ${measure}; choose another period.`,
    { reason: 'no findings', denying_policy: 'MOAT enforcement' },
  )
}

/** What the terms stopped did no harm, and may have been a mistake. */
function isBreach({ kind }: Finding): boolean {
  return kind !== 'refused_attempt'
}

function unreasoned(measure: string): Refusal {
  return refuse(
    'invalid_payload',
    `To ${measure} under a treaty needs a reason, which the other party will read; send one.`,
    {
      reason: 'reason missing',
      faults: [{ pointer: '/reason', message: `is required to ${measure}` }],
    },
  )
}
