// What would have changed a decision, whatever stage made it.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { microUsd } from '@svc/contract/money/money'
import { levelAt, type PrecedingCalls } from './bucket-again.ts'
import { type Counterfactual, gateCounterfactuals, grantedAbroad, withoutGrant } from './counterfactuals.ts'
import { judgeGate, type RulesThen, situationOf } from './gate-again.ts'
import { notJudged, outsideChanges } from './outside-changes.ts'

const level_reasons: readonly unknown[] = [
  'verified lineage required',
  'conformance L2 required',
  'unresolved identity',
]
/** A record has the time when a call arrived; its bucket was asked a moment later. */
const asked_later_ms = 100
const grant_reasons: readonly unknown[] = [
  'no matching capability',
  'capability expired',
  'caveat not satisfied',
]

/** `before`: the calls that took from the same bucket; undefined where the log cannot tell. */
export function whatWouldChange(
  record: AuditRecord,
  rules: RulesThen,
  before: PrecedingCalls | undefined,
): Counterfactual[] {
  const { meta, outcome } = record
  if (outcome === 'success') return withoutGrant(record)
  if (outcome === 'error') return []
  const retry_after_ms = typeof meta.retry_after_ms === 'number' ? meta.retry_after_ms : undefined
  return [
    ...(isOfGate(record) ? gateCounterfactuals(record, rules) : []),
    ...(meta.reason === 'no active treaty' ? grantedAbroad(record, rules) : []),
    ...outsideChanges(record),
    ...newPeriod(record, rules),
    ...(retry_after_ms === undefined ? [] : [waited(record, retry_after_ms, before)]),
  ]
}

/** Refused by what stage 4 can judge again from a record: capability, level, policy or consent. */
function isOfGate({ meta }: AuditRecord): boolean {
  const { code, reason, denying_policy } = meta
  if (meta.stage !== 4 && code !== 'approval_required') return false
  if (code === 'capability_denied') return grant_reasons.includes(reason)
  const by_policy = typeof denying_policy === 'string' && denying_policy.startsWith('maxim://')
  return by_policy || code === 'approval_required' || level_reasons.includes(reason)
}

const periods = {
  'envelope day limit reached': 'day',
  'envelope month limit reached': 'month',
} as const

/** In a new day or month nothing is spent yet, so only the limit itself and the rules of that hour stand against the call. */
function newPeriod(record: AuditRecord, rules: RulesThen): Counterfactual[] {
  const { meta } = record
  const reason = String(meta.reason)
  if (!Object.hasOwn(periods, reason)) return []
  const span = periods[reason as keyof typeof periods]
  const change = `the call came in the next ${span}, UTC`
  const [cost, limit] = [meta.cost_usd, meta.limit_usd].map((text) =>
    typeof text === 'string' ? microUsd(text) : undefined,
  )
  const situation = situationOf(record)
  if (cost === undefined || limit === undefined || !situation)
    return [notJudged(change, 'what the call may cost is not in the record')]
  if (cost > limit) return []
  const verdict = judgeGate(record, { ...situation, at_ms: beginOfNext(span, situation.at_ms) }, rules)
  if (verdict.kind === 'passes')
    return [{ change, outcome: 'passes', result: 'stage 4 and this budget would have passed' }]
  if (verdict.kind === 'open')
    return [notJudged(change, 'the rules of that hour read what is not in the record')]
  const { stage, code, reason: next_reason } = verdict
  const result = `then refused at stage ${stage} with ${code}: ${next_reason}`
  return [{ change, outcome: 'refused_next', result, next: { stage, code, reason: next_reason } }]
}

function beginOfNext(span: 'day' | 'month', at_ms: number): number {
  const at = new Date(at_ms)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return span === 'day' ? Date.UTC(year, month, at.getUTCDate() + 1) : Date.UTC(year, month + 1, 1)
}

/** The bucket is filled again from the calls before; of anything else only the engine knew when it would be free. */
function waited(
  { timestamp, meta }: AuditRecord,
  retry_after_ms: number,
  before: PrecedingCalls | undefined,
): Counterfactual {
  const change = `the call came ${retry_after_ms} ms later`
  const at_ms = Date.parse(timestamp)
  const isFree = ({ called_ms, bucket }: PrecedingCalls, when_ms: number) =>
    levelAt(called_ms, when_ms, bucket) >= 1
  // A bucket that these calls had not emptied was another one, or was also emptied by calls the log does not have.
  if (!before || isFree(before, at_ms))
    return notJudged(change, 'what was full or closed then is not in the log')
  if (isFree(before, at_ms + retry_after_ms + asked_later_ms))
    return { change, outcome: 'passes', result: `stage ${meta.stage} would have passed` }
  const next = { stage: 3, code: 'rate_limited', reason: 'bucket empty' }
  return {
    change,
    outcome: 'refused_next',
    result: 'then refused at stage 3 with rate_limited: bucket empty',
    next,
  }
}
