// Audit log against sums: each success counted once, at its time and at its price.
import type { Database } from '@svc/contract/database'
import { base_rate, chargeQuanta, type RateVersion } from '@svc/contract/money/charge'
import type { CountedEvent, Span, UsageEvent } from '@svc/contract/money/usage'
import { addToSum, eventsOf, HourIds, type HourSum } from '../usage/api.ts'
import type { Invoice } from './invoice.ts'
import { findInvoices } from './invoice-store.ts'
import { ratesOf } from './rate-store.ts'
import type { Drift } from './reconcile.ts'
import { readHourHashes, readHourSums } from './reconcile-sums.ts'
import { spansToRead } from './statement-store.ts'

export const drift_max = 1_000
export const hour_ref = 'meal://hour/'
const hour_ms = 3_600_000
const farthest_ms = Date.UTC(9999, 0)
const amounts = ['tokens', 'ms', 'uwh', 'quanta'] as const

export interface UsageFindings {
  /** Sums that differ from what the log says. */
  readonly of_sums: Drift[]
  /** Records that are wrong in themselves, or whose moment was lost. */
  readonly of_records: Drift[]
  readonly of_hours: Drift[]
  /** What the sums lack, as rows to add; complete if they then agree. */
  readonly lost: HourSum[]
  readonly unmoved: { readonly seq: number; readonly at_ms: number }[]
}

interface Rules {
  readonly rates: ReadonlyMap<number, RateVersion>
  readonly invoices: readonly Invoice[]
}

/** Of all hours that the period touches. */
export async function compareUsage(db: Database, tenant_id: string, period: Span): Promise<UsageFindings> {
  const findings: UsageFindings = { of_sums: [], of_records: [], of_hours: [], lost: [], unmoved: [] }
  const hours = {
    from_ms: Math.floor(period.from_ms / hour_ms) * hour_ms,
    to_ms: Math.ceil(period.to_ms / hour_ms) * hour_ms,
  }
  const rules: Rules = {
    rates: new Map([base_rate, ...(await ratesOf(db, tenant_id))].map((rate) => [rate.version, rate])),
    // With the one that ends where these hours begin: usage that came after it was closed counts at its end.
    invoices: await findInvoices(db, tenant_id, { from_ms: hours.from_ms - 1, to_ms: farthest_ms }),
  }
  for (const span of await spansToRead(db, tenant_id, hours)) {
    await compareSpan(db, tenant_id, span, rules, findings)
    if (findings.of_sums.length + findings.of_records.length >= drift_max) break
  }
  return findings
}

async function compareSpan(
  db: Database,
  tenant_id: string,
  span: Span,
  rules: Rules,
  findings: UsageFindings,
): Promise<void> {
  const { sums, until_seq } = await readHourSums(db, tenant_id, span)
  const hashes = await readHourHashes(db, tenant_id, span)
  const expected = new Map<string, HourSum>()
  const reported = new Set<string>()
  const ids = new HourIds()
  for await (const events of eventsOf(db, tenant_id)(span, until_seq)) {
    ids.add(events)
    for (const one of events) {
      const { event, counted_ms } = one
      findings.of_records.push(...judgeRecord(one, rules, reported))
      const at_ms = momentCounted(event, rules.invoices)
      if (at_ms !== counted_ms && counted_ms === event.recorded_ms)
        findings.unmoved.push({ seq: event.seq, at_ms })
      if (at_ms >= span.from_ms && at_ms < span.to_ms) addToSum(expected, event, at_ms)
    }
  }
  compareSums(expected, sums, findings)
  for (const [hour, root] of await ids.takeRoots(db)) {
    const stored = hashes.get(hour)
    if (stored && !stored.equals(root)) findings.of_hours.push(hourDrift(hour, root, stored))
  }
}

function judgeRecord(
  { event, counted_ms, record_hash }: CountedEvent,
  { rates, invoices }: Rules,
  reported: Set<string>,
): Drift[] {
  const { tenant_id, event_id, quanta, recorded_ms } = event
  const ref = `meal://event/${event_id}`
  const drifts: Drift[] = []
  if (event.at_ms !== recorded_ms) {
    if (reported.has(event_id))
      drifts.push({ kind: 'duplicate', ref, expected: '1', actual: '2', off_quanta: quanta })
    reported.add(event_id)
  }
  const at_ms = momentCounted(event, invoices)
  if (at_ms !== counted_ms)
    drifts.push({
      kind: counted_ms === recorded_ms ? 'missing_meter' : 'orphan_meter',
      ref: `max://${tenant_id}/record/${record_hash}`,
      expected: new Date(at_ms).toISOString(),
      actual: new Date(counted_ms).toISOString(),
      off_quanta: 0n,
    })
  const rate = rates.get(event.rate)
  const price = rate && chargeQuanta(event, rate, event.bps)
  if (price !== quanta)
    drifts.push({
      kind: 'charge_mismatch',
      ref,
      expected: price === undefined ? 'no such rate' : String(price),
      actual: String(quanta),
      off_quanta: quanta - (price ?? 0n),
    })
  return drifts
}

/** The moment an event counts at, as the engine chose it: the end of the last period that was closed before. */
function momentCounted({ at_ms, seq }: UsageEvent, invoices: readonly Invoice[]): number {
  const closed = invoices.filter(({ counted_seq }) => counted_seq < BigInt(seq))
  return Math.max(at_ms, ...closed.map(({ period }) => period.to_ms))
}

function compareSums(
  expected: ReadonlyMap<string, HourSum>,
  actual: ReadonlyMap<string, HourSum>,
  findings: UsageFindings,
): void {
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    const named = (expected.get(key) ?? actual.get(key))!
    const nothing = { ...named, calls: 0, tokens: 0n, ms: 0n, uwh: 0n, quanta: 0n }
    const [right, sum] = [expected.get(key) ?? nothing, actual.get(key) ?? nothing]
    const lacks = { ...named, calls: right.calls - sum.calls }
    for (const amount of amounts) lacks[amount] = right[amount] - sum[amount]
    if (lacks.calls === 0 && amounts.every((amount) => lacks[amount] === 0n)) continue
    findings.of_sums.push({
      kind: lacks.calls > 0 ? 'missing_meter' : lacks.calls < 0 ? 'orphan_meter' : 'charge_mismatch',
      ref: `meal://usage/${named.hour}/${named.protocol}/${named.operation}`,
      expected: `${right.calls} calls, ${right.quanta} quanta`,
      actual: `${sum.calls} calls, ${sum.quanta} quanta`,
      off_quanta: -lacks.quanta,
    })
    if (lacks.calls >= 0 && amounts.every((amount) => lacks[amount] >= 0n)) findings.lost.push(lacks)
  }
}

function hourDrift(hour: number, root: Buffer, stored: Buffer): Drift {
  return {
    kind: 'balance_cache',
    ref: `${hour_ref}${new Date(hour).toISOString()}`,
    expected: `sha256:${root.toString('hex')}`,
    actual: `sha256:${stored.toString('hex')}`,
    off_quanta: 0n,
  }
}
