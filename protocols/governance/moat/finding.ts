// Whether the other party complied with the treaty. Pure: the same records, counters and contracts give the
// same findings and ids.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { covers } from '@svc/contract/authority/capability'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import { isoWeekStart, treatyGrantWeek } from '@svc/contract/money/budget-counter'
import { microUsdAbove, usdText } from '@svc/contract/money/money'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { askedFrom, type Contract, default_after_ms, restOf } from '../../economic/contracts/api.ts'
import { weekOf } from './amendment.ts'
import { asStanding, type StoredTreaty } from './treaty.ts'

const week_ms = 7 * 86_400_000
/** Time until every engine knows of a change: calls admitted within it are not a breach. */
const heard_within_ms = 1_000
/** Records cited per finding; the total is in `observed`. */
const records_max = 64

export const finding_kinds = [
  'rate_exceeded',
  'budget_exceeded',
  'out_of_grant',
  'refused_attempt',
  'payment_overdue',
  'settlement_missing',
] as const

export interface Finding {
  readonly id: string
  readonly kind: (typeof finding_kinds)[number]
  /** The limit, week, capability or obligation concerned. */
  readonly about: string
  readonly observed: string
  readonly allowed: string
  readonly records: readonly string[]
}

export interface Evidence {
  /** Checking and checked organization. */
  readonly tenant_id: string
  readonly other: string
  /** Every version that both signed. */
  readonly line: readonly StoredTreaty[]
  /** Calls by the other party that succeeded here, in chain order. */
  readonly calls: readonly AuditRecord[]
  /** Calls by the other party that this treaty stopped, in chain order. */
  readonly attempts: readonly AuditRecord[]
  /** Micro-USD the other party has spent, by budget counter. */
  readonly spent: ReadonlyMap<string, { readonly quanta: bigint }>
  readonly contracts: readonly Contract[]
  readonly from: Date
  /** No later than now. */
  readonly to: Date
}

export function findingsOf(evidence: Evidence): Finding[] {
  return [
    ...ratesExceeded(evidence),
    ...budgetsExceeded(evidence),
    ...outOfGrant(evidence),
    ...refusedAttempts(evidence),
    ...unpaid(evidence),
  ]
}

type Draft = Omit<Finding, 'id'>

function withId(evidence: Evidence, draft: Draft): Finding {
  const { tenant_id, line } = evidence
  const hex = contentHash({ tenant_id, root_id: line[0]?.root_id ?? '', ...draft }).slice('sha256:'.length)
  const id = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  return { id: id.join('-'), ...draft }
}

const refOf = ({ tenant_id, record_hash }: AuditRecord): string => `max://${tenant_id}/record/${record_hash}`

function versionOf({ line }: Evidence, { meta }: AuditRecord): StoredTreaty | undefined {
  return line.find(({ id }) => id === meta.treaty_id)
}

/** Each call counts against the limit in force when it was made, so amendments do not apply backwards. */
function ratesExceeded(evidence: Evidence): Finding[] {
  const counts = new Map<string, { limit: number; seen: number; over: AuditRecord[] }>()
  for (const call of evidence.calls) {
    const version = versionOf(evidence, call)
    for (const { about, limit } of version ? ratesOf(version, call, evidence) : []) {
      const count = counts.get(about) ?? { limit, seen: 0, over: [] }
      count.seen++
      if (count.seen > limit) count.over.push(call)
      counts.set(about, { ...count, limit })
    }
  }
  return [...counts]
    .filter(([, { over }]) => over.length > 0)
    .map(([about, { limit, seen, over }]) =>
      withId(evidence, {
        kind: 'rate_exceeded',
        about,
        observed: `${seen} calls`,
        allowed: `${limit} calls`,
        records: over.slice(0, records_max).map(refOf),
      }),
    )
}

function ratesOf({ body }: StoredTreaty, { timestamp, meta }: AuditRecord, { other }: Evidence) {
  const { per_hour, per_day } = body.rate_limits
  const [hour, day] = [timestamp.slice(0, 13), timestamp.slice(0, 10)]
  const own = body.grants.find(({ to, capability }) => to === other && capability === meta.grant)
  const max_per_hour = own?.limits?.max_per_hour
  return [
    ...(per_hour === undefined ? [] : [{ about: `per_hour ${hour}`, limit: per_hour }]),
    ...(per_day === undefined ? [] : [{ about: `per_day ${day}`, limit: per_day }]),
    ...(max_per_hour === undefined
      ? []
      : [{ about: `max_per_hour ${own!.capability} ${hour}`, limit: max_per_hour }]),
  ]
}

/** Uses the widest budget any version set for the week: spending allowed at any time is not a breach. */
function budgetsExceeded(evidence: Evidence): Finding[] {
  const { line, other, spent, from, to, calls } = evidence
  const root_id = line[0]?.root_id ?? ''
  const names = new Set(
    line.flatMap(({ body }) =>
      body.grants.filter((grant) => grant.to === other).map(({ capability }) => capability),
    ),
  )
  const findings: Finding[] = []
  for (let week = isoWeekStart(from.getTime()); week < to.getTime(); week += week_ms) {
    for (const capability of names) {
      const allowed = budgetIn(evidence, capability, week)
      const quanta = spent.get(treatyGrantWeek(root_id, capability, week))?.quanta ?? 0n
      if (allowed === undefined || microUsdAbove(quanta) <= allowed) continue
      const made = calls.filter(
        ({ meta, timestamp }) => meta.grant === capability && isoWeekStart(Date.parse(timestamp)) === week,
      )
      findings.push(
        withId(evidence, {
          kind: 'budget_exceeded',
          about: `weekly_budget_usd ${capability} ${new Date(week).toISOString().slice(0, 10)}`,
          observed: `${usdText(microUsdAbove(quanta))} USD`,
          allowed: `${usdText(allowed)} USD`,
          records: made.slice(0, records_max).map(refOf),
        }),
      )
    }
  }
  return findings
}

/** Undefined if a version in force in this week set no budget. */
function budgetIn({ line, other }: Evidence, capability: string, week: number): bigint | undefined {
  let widest: bigint | undefined
  for (const { body, in_force_at, ended_at } of line) {
    if (!in_force_at || in_force_at.getTime() >= week + week_ms || (ended_at && ended_at.getTime() < week))
      continue
    for (const grant of body.grants) {
      if (grant.to !== other || grant.capability !== capability) continue
      const budget = weekOf(grant)
      if (budget === undefined) return undefined
      if (widest === undefined || budget > widest) widest = budget
    }
  }
  return widest
}

/** Calls that succeeded although the treaty they named did not allow them at that time. */
function outOfGrant(evidence: Evidence): Finding[] {
  const beyond = new Map<string, AuditRecord[]>()
  for (const call of evidence.calls) {
    const capability = String(call.meta.capability ?? '')
    if (isGranted(evidence, call, capability)) continue
    const about = `${capability} under ${String(call.meta.treaty_id ?? 'no treaty')}`
    beyond.set(about, [...(beyond.get(about) ?? []), call])
  }
  return [...beyond].map(([about, calls]) =>
    withId(evidence, {
      kind: 'out_of_grant',
      about,
      observed: `${calls.length} calls`,
      allowed: '0 calls',
      records: calls.slice(0, records_max).map(refOf),
    }),
  )
}

/** Calls that the terms stopped: they did no harm, but show what the other party tried. */
function refusedAttempts(evidence: Evidence): Finding[] {
  const aboutOf = ({ meta }: AuditRecord) => `${String(meta.capability ?? '')}: ${String(meta.reason ?? '')}`
  const countOf = ({ meta }: AuditRecord) => (typeof meta.count === 'number' ? meta.count : 1)
  return [...Map.groupBy(evidence.attempts, aboutOf)].map(([about, attempts]) =>
    withId(evidence, {
      kind: 'refused_attempt',
      about,
      observed: `${attempts.reduce((sum, one) => sum + countOf(one), 0)} calls refused`,
      allowed: '0 calls',
      records: attempts.slice(0, records_max).map(refOf),
    }),
  )
}

function isGranted(evidence: Evidence, call: AuditRecord, capability: string): boolean {
  const version = versionOf(evidence, call)
  if (!version) return false
  const [treaty, at_ms] = [asStanding(version), Date.parse(call.timestamp)]
  if (![at_ms, at_ms - heard_within_ms].some((ms) => treatyStateAt(treaty, ms) === 'ACTIVE')) return false
  return version.body.grants.some(
    (grant) => grant.to === evidence.other && covers(grant.capability, capability),
  )
}

/** Obligations of the findings that are still open, by contract: a court can enforce them. */
export function stillOwed(
  { contracts }: Pick<Evidence, 'contracts'>,
  findings: readonly Finding[],
): Map<string, string[]> {
  const named = new Set(findings.map(({ about }) => about))
  const owed = new Map<string, string[]>()
  for (const { contract_id, obligations } of contracts) {
    const open = obligations.filter(
      (obligation) =>
        named.has(`${contract_id} ${obligation.id}`) && !obligation.ended && restOf(obligation) > 0n,
    )
    if (open.length > 0)
      owed.set(
        contract_id,
        open.map(({ id }) => id),
      )
  }
  return owed
}

/** As of the end of the period: due in it and unpaid; also missing once the grace period has passed. */
function unpaid(evidence: Evidence): Finding[] {
  const { contracts, other, from, to } = evidence
  return contracts.flatMap((contract) =>
    contract.obligations.flatMap((obligation): Finding[] => {
      const payer = contract[obligation.from]
      const asked_from = askedFrom(contract, obligation)
      if (payer.tenant_id !== other || !asked_from || asked_from < from || asked_from >= to) return []
      if (obligation.ended_at && obligation.ended_at <= to) return []
      const is_missing = asked_from.getTime() + default_after_ms <= to.getTime()
      const draft: Draft = {
        kind: is_missing ? 'settlement_missing' : 'payment_overdue',
        about: `${contract.contract_id} ${obligation.id}`,
        observed: `unpaid by ${payer.did}`,
        allowed: `due ${asked_from.toISOString()}: ${obligation.amount} ${obligation.asset_id}`,
        records: [`made://contract/${contract.contract_id}`],
      }
      return [withId(evidence, draft)]
    }),
  )
}
