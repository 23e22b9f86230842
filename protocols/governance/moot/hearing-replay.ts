// Hears a case: replays and verifies both parties' records of the disputed requests, side by side.
import { headOf } from '@svc/audit/query/records'
import {
  isAuditLogSigned,
  type ReplayedRecord,
  replayRecords,
  span_max,
  spanFaults,
} from '@svc/audit/query/replay'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import {
  Closed,
  described,
  Hash,
  HexHash,
  ListOf,
  OneOf,
  Ref,
  TenantId,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, type TSchema, Type } from 'typebox'
import { type Case, type EvidenceCheck, keepProgress, rule_ms, tenantsOf } from '../cases/api.ts'
import { checkRecords, isVerified } from '../evidence/api.ts'
import { EvidenceChecks, misfit, State } from './case-input.ts'
import { keepHearing, pleadingsOf } from './case-papers.ts'
import { openCase, requireArbiter, requireCaseState } from './case-progress.ts'
import { compareChains, type HearingFinding, inOrderOfTime } from './hearing.ts'

const records_per_chain_max = 500
const findings_max = 1_000
const timeline_max = 2 * records_per_chain_max

export const HearInput = Closed({
  case_id: described(Uuid, 'Case to hear.'),
  scope: Type.Optional(
    Closed(
      {
        from: Type.Optional(described(Timestamp, 'Only records from this time on.')),
        to: Type.Optional(described(Timestamp, 'Only records before this time.')),
      },
      { description: 'Only records of this time; absent: all of the disputed requests.' },
    ),
  ),
})
export type HearInput = Static<typeof HearInput>

/** One entry per party's organization. */
export function PerChain<T extends TSchema>(value: T) {
  const tenant = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,62}$' })
  return Type.Record(tenant, value, { additionalProperties: false, maxProperties: 2 })
}

export const HearOutput = Closed({
  hearing_id: described(Hash, 'Hash of this report.'),
  state: State,
  timeline: described(
    ListOf(
      Closed({
        at: described(Timestamp, 'When it was recorded.'),
        tenant: described(TenantId, 'Organization whose audit log holds it.'),
        record_hash: described(HexHash, 'Hash of the record.'),
        event_type: Type.String({ description: 'What happened, as the audit log names it.' }),
        protocol: Type.Optional(Type.String({ description: 'Protocol of the call.' })),
        operation: Type.Optional(Type.String({ description: 'Operation of the call.' })),
        outcome: Type.String({ description: 'How it ended: success, refused or error.' }),
        party: Type.Optional(
          described(OneOf('claimant', 'respondent'), 'Side that called; absent if it was neither.'),
        ),
      }),
      0,
      timeline_max,
    ),
    'Records of both parties, in order of time.',
  ),
  chain_verified: described(PerChain(Type.Boolean()), 'For each organization, whether its records verified.'),
  heads: described(
    PerChain(
      Closed({
        seq: Type.Integer({ minimum: 0, description: 'Number of the record.' }),
        hash: described(HexHash, 'Hash of the record.'),
      }),
    ),
    'For each organization, the newest record when it was read.',
  ),
  findings: described(
    ListOf(
      Closed({
        fact: Type.String({ description: 'What was found, in words.' }),
        supported_by: described(ListOf(Ref), 'References that show it.'),
        contradicted_by: described(ListOf(Ref), 'References that speak against it.'),
      }),
      0,
      findings_max,
    ),
    'What the records show, such as a call that only one side recorded.',
  ),
  evidence_check: described(EvidenceChecks, 'What verifying all evidence again showed.'),
  unproven: described(ListOf(Ref, 0, 2816), 'Evidence that did not verify.'),
})
type Hearing = Static<typeof HearOutput>

export async function hear(
  input: HearInput,
  context: OperationContext<'audit_log' | 'telemetry'>,
): Promise<Hearing> {
  requireScope(input.scope)
  const dispute = await openCase(context, input.case_id)
  requireArbiter(context, dispute)
  requireCaseState(dispute, 'hear', ['PLEADED', 'DEFAULTED', 'HEARD'])
  await context.audit_log.settled()
  const report = await replay(context, dispute, input.scope)
  const hearing_id = contentHash({ case_id: dispute.case_id, scope: input.scope ?? null, ...report })
  const { caller, now } = context
  await keepHearing(context.db, dispute, { hearing_id, held_by: caller.did, report, held_at: now })
  const heard = await keepHeard(context, dispute)
  const { chain_verified, heads, findings, unproven } = report
  const facts = { hearing_id, chain_verified, heads, findings: findings.length, unproven: unproven.length }
  context.audit(
    'CaseHeard',
    { case_id: dispute.case_id, state: heard.state, ...facts },
    { also: tenantsOf(dispute) },
  )
  return { hearing_id, state: heard.state, ...report }
}

/** The first hearing starts the voting period; later ones do not change it. */
async function keepHeard(context: OperationContext, dispute: Case): Promise<Case> {
  if (dispute.state === 'HEARD') return dispute
  const rule_by = new Date(Date.parse(context.now) + rule_ms)
  const heard: Case = { ...dispute, state: 'HEARD', rule_by }
  await keepProgress(context.db, heard, rule_by)
  return heard
}

async function replay(
  context: OperationContext<'telemetry'>,
  dispute: Case,
  scope: HearInput['scope'],
): Promise<Omit<Hearing, 'hearing_id' | 'state'>> {
  const tenants = [dispute.claimant.tenant_id, dispute.respondent.tenant_id] as const
  const chain_verified: Record<string, boolean> = {}
  const heads: Hearing['heads'] = {}
  const replayed_records: ReplayedRecord[] = []
  const faults: HearingFinding[] = []
  for (const tenant_id of new Set(tenants)) {
    const chain = await replayChain(context, dispute, tenant_id, scope)
    chain_verified[tenant_id] = chain.is_sound
    heads[tenant_id] = chain.head
    replayed_records.push(...chain.records)
    faults.push(...chain.faults)
  }
  const shown = await shownIn(context, dispute)
  const looked = new Map((await checkRecords(context, [...shown.keys()])).map((check) => [check.ref, check]))
  // Evidence that the venue cannot read keeps the result of its check at filing.
  const evidence_check = [...shown.values()].map((check) => looked.get(check.ref) ?? check)
  const records = inOrderOfTime(replayed_records.map(({ record }) => record))
  return {
    timeline: records.map((record) => timelineEntry(record, dispute)),
    chain_verified,
    heads,
    findings: [...faults, ...compareChains(replayed_records, tenants)].slice(0, findings_max).map(asAnswer),
    evidence_check,
    unproven: evidence_check.filter((check) => !isVerified(check)).map(({ ref }) => ref),
  }
}

/** Up to the current head, so that a later replay to that head gives the same result. */
async function replayChain(
  { db }: OperationContext,
  { correlations }: Case,
  tenant_id: string,
  scope: HearInput['scope'] = {},
) {
  const head = await headOf(db, tenant_id)
  const filter = { correlation_ids: [...correlations], ...scope, limit: records_per_chain_max }
  const all = correlations.length === 0 ? [] : await replayRecords(db, tenant_id, filter)
  const records = all.filter(({ record }) => record.seq <= head.seq)
  const seqs = records.map(({ record }) => record.seq)
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)]
  const broken = seqs.length === 0 ? [] : await spanFaults(db, tenant_id, first, last)
  const is_proved =
    records.every(({ hash_ok, signature_ok }) => hash_ok && signature_ok) &&
    // A log without records of this case must verify, too.
    (records.length > 0 || (await isAuditLogSigned(db, tenant_id)))
  const faults = broken.map((seq) => fault(`the chain of ${tenant_id} is broken at record ${seq}`))
  if (last - first >= span_max)
    faults.push(
      fault(`only the last ${span_max} links before ${last} of the chain of ${tenant_id} were checked`),
    )
  if (all.length === records_per_chain_max)
    faults.push(fault(`${tenant_id} has more than ${records_per_chain_max} records in this scope; narrow it`))
  return { head, records, is_sound: is_proved && broken.length === 0, faults }
}

function fault(fact: string): HearingFinding {
  return { fact, supported_by: [], contradicted_by: [] }
}

/** All evidence of both sides, without duplicates. */
async function shownIn({ db }: OperationContext, dispute: Case): Promise<Map<string, EvidenceCheck>> {
  const pleadings = await pleadingsOf(db, dispute.case_id)
  const shown = [...dispute.evidence, ...pleadings.flatMap(({ evidence }) => evidence)]
  return new Map(shown.map((check) => [check.ref, check]))
}

function timelineEntry(record: ReplayedRecord['record'], { claimant, respondent }: Case) {
  const { timestamp, tenant_id, record_hash, event_type, protocol, operation, outcome, caller_did } = record
  const party = (
    [
      ['claimant', claimant.did],
      ['respondent', respondent.did],
    ] as const
  ).find(([, did]) => did === caller_did)?.[0]
  return {
    at: timestamp,
    tenant: tenant_id,
    record_hash,
    event_type,
    ...(protocol !== undefined && { protocol }),
    ...(operation !== undefined && { operation }),
    outcome,
    ...(party && { party }),
  }
}

function asAnswer({ fact, supported_by, contradicted_by }: HearingFinding): Hearing['findings'][number] {
  return { fact, supported_by: [...supported_by], contradicted_by: [...contradicted_by] }
}

function requireScope(scope: HearInput['scope'] = {}): void {
  for (const name of ['from', 'to'] as const)
    if (scope[name] !== undefined && !isMoment(scope[name]))
      throw misfit(`/scope/${name}`, 'is not a valid time')
}
