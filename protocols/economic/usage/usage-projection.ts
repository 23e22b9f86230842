// Runs in the writer thread: meters a record's usage in the transaction that stores the record.
import type { CommittedRecord } from '@svc/audit/chain/chain'
import { usageEventOf } from '@svc/audit/query/usage-event'
import type { Projection } from '@svc/audit/writer/commit'
import {
  envelopeDay,
  envelopeMonth,
  grantHour,
  grantWeek,
  runway_counter,
  treatyDay,
  treatyGrantHour,
  treatyGrantWeek,
  treatyHour,
} from '@svc/contract/money/budget-counter'
import type { UsageEvent } from '@svc/contract/money/usage'
import type { ClientBase } from 'pg'
import { addUsage, columns, countEvents, readClosings } from './usage-sums.ts'

// First: these locks block roll-up and the closing of a period until this commit.
const add_spend = `
  INSERT INTO spend AS kept (tenant_id, budget_counter, quanta, calls, seq)
  SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'),
    string_to_array($3, E'\\n')::numeric[], string_to_array($4, E'\\n')::bigint[], string_to_array($5, E'\\n')::bigint[])
  ON CONFLICT (tenant_id, budget_counter) DO UPDATE SET quanta = kept.quanta + excluded.quanta,
    calls = kept.calls + excluded.calls, seq = excluded.seq`

interface Spending {
  readonly tenant_id: string
  readonly budget_counter: string
  quanta: bigint
  calls: number
  seq: number
}

async function projectUsage(client: ClientBase, records: readonly CommittedRecord[]): Promise<boolean> {
  const events = records.flatMap(({ fields }) => usageEventOf(fields) ?? [])
  if (events.length === 0) return false
  const spent = columns(sumByCounter(events), ['tenant_id', 'budget_counter', 'quanta', 'calls', 'seq'])
  const tenant_ids = [...new Set(events.map(({ tenant_id }) => tenant_id))]
  // In this order: until the first one has its locks, a period may still be closed.
  const [, closings] = await Promise.all([
    client.query({ name: 'add-spend', text: add_spend, values: spent }),
    readClosings(client, tenant_ids),
  ])
  await addUsage(client, countEvents(events, closings))
  return false
}

export const projections: readonly Projection[] = [projectUsage]

/** In the common lock order. */
export function sumByCounter(events: readonly UsageEvent[]): Spending[] {
  const sums = new Map<string, Spending>()
  for (const event of events) {
    const { tenant_id, quanta, seq } = event
    for (const budget_counter of countersOf(event)) {
      const key = `${tenant_id} ${budget_counter}`
      const sum = sums.get(key)
      if (!sum) sums.set(key, { tenant_id, budget_counter, quanta, calls: 1, seq })
      else {
        sum.quanta += quanta
        sum.calls++
        sum.seq = seq
      }
    }
  }
  return [...sums.keys()].sort().map((key) => sums.get(key)!)
}

function countersOf(event: UsageEvent): string[] {
  const { envelope_id, treaty_root: root, grant_name, grant_chain, at_ms } = event
  const budget_counters = [runway_counter]
  if (!envelope_id && !root && grant_chain.length === 0) return budget_counters
  const at = new Date(at_ms).toISOString()
  if (envelope_id) budget_counters.push(envelopeDay(envelope_id, at), envelopeMonth(envelope_id, at))
  if (root) {
    budget_counters.push(treatyHour(root, at), treatyDay(root, at))
    budget_counters.push(treatyGrantHour(root, grant_name, at), treatyGrantWeek(root, grant_name, at_ms))
  }
  for (const link of grant_chain) {
    const slash = link.indexOf('/')
    const [holder, capability] = [link.slice(0, slash), link.slice(slash + 1)]
    budget_counters.push(grantHour(holder, capability, at), grantWeek(holder, capability, at_ms))
  }
  return budget_counters
}
