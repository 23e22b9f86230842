// Runs in the writer thread: meters a record's usage in the transaction that stores the record.
import type { CommittedRecord } from '@svc/audit/chain/chain'
import type { Projection } from '@svc/audit/writer/commit'
import {
  envelopeDay,
  envelopeMonth,
  runway_counter,
  treatyDay,
  treatyGrantHour,
  treatyGrantWeek,
  treatyHour,
} from '@svc/contract/money/budget-counter'
import type { ClientBase } from 'pg'
import { type UsageEvent, usageEventOf } from './usage-event.ts'

// First: these locks block roll-up and the closing of a period until this commit.
const add_spend = `
  INSERT INTO spend AS kept (tenant_id, purse, quanta, calls, seq)
  SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'),
    string_to_array($3, E'\\n')::numeric[], string_to_array($4, E'\\n')::bigint[], string_to_array($5, E'\\n')::bigint[])
  ON CONFLICT (tenant_id, purse) DO UPDATE SET quanta = kept.quanta + excluded.quanta,
    calls = kept.calls + excluded.calls, seq = excluded.seq`

// Usage of a closed period counts at the first open moment; an hour already summed is summed again.
const add_events = `
  WITH books AS MATERIALIZED (
    SELECT tenant_id, closed_until, kept_until FROM billing WHERE tenant_id = ANY(string_to_array($20, E'\\n'))
  ), added AS (
    INSERT INTO meter_events (tenant_id, at, seq, event_id, protocol, operation, caller_did, grant_name, origin,
      envelope_id, tokens_in, tokens_out, ms, uwh, bps_tokens, bps_seconds, bps_watts, rate, quanta, occurred_at)
    SELECT e.tenant_id, greatest(e.at::timestamptz, b.closed_until), e.seq::bigint, e.event_id::uuid, e.protocol,
      e.operation, e.caller_did, e.grant_name, e.origin, e.envelope_id, e.tokens_in::bigint, e.tokens_out::bigint,
      e.ms::bigint, e.uwh::bigint, e.bps_tokens::integer, e.bps_seconds::integer, e.bps_watts::integer,
      e.rate::integer, e.quanta::numeric,
      CASE WHEN e.at::timestamptz < b.closed_until THEN e.at::timestamptz END
    FROM unnest(
      string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), string_to_array($3, E'\\n'),
      string_to_array($4, E'\\n'), string_to_array($5, E'\\n'), string_to_array($6, E'\\n'),
      string_to_array($7, E'\\n'), string_to_array($8, E'\\n', ''), string_to_array($9, E'\\n', ''),
      string_to_array($10, E'\\n', ''), string_to_array($11, E'\\n'), string_to_array($12, E'\\n'),
      string_to_array($13, E'\\n'), string_to_array($14, E'\\n'), string_to_array($15, E'\\n'),
      string_to_array($16, E'\\n'), string_to_array($17, E'\\n'), string_to_array($18, E'\\n'),
      string_to_array($19, E'\\n')
    ) AS e(tenant_id, at, seq, event_id, protocol, operation, caller_did, grant_name, origin, envelope_id,
      tokens_in, tokens_out, ms, uwh, bps_tokens, bps_seconds, bps_watts, rate, quanta)
    LEFT JOIN books b ON b.tenant_id = e.tenant_id
    RETURNING tenant_id, at
  )
  INSERT INTO meter_hours (tenant_id, hour, events, root)
  SELECT DISTINCT a.tenant_id, date_trunc('hour', a.at, 'UTC'), 0, NULL::bytea
  FROM added a JOIN books b ON b.tenant_id = a.tenant_id AND a.at < b.kept_until
  ON CONFLICT (tenant_id, hour) DO UPDATE SET root = NULL`

interface Sum {
  readonly tenant_id: string
  readonly budget_counter: string
  quanta: bigint
  calls: number
  seq: number
}

async function projectUsage(client: ClientBase, records: readonly CommittedRecord[]): Promise<boolean> {
  const events = records.flatMap(({ fields }) => usageEventOf(fields) ?? [])
  if (events.length === 0) return false
  const sums = sumByCounter(events)
  const tenants = [...new Set(sums.map(({ tenant_id }) => tenant_id))].join('\n')
  const spent = columns(sums, ['tenant_id', 'budget_counter', 'quanta', 'calls', 'seq'])
  await Promise.all([
    client.query({ name: 'add-spend', text: add_spend, values: spent }),
    client.query({ name: 'add-usage', text: add_events, values: [...eventColumns(events), tenants] }),
  ])
  return false
}

export const projections: readonly Projection[] = [projectUsage]

/** In the common lock order. */
export function sumByCounter(events: readonly UsageEvent[]): Sum[] {
  const sums = new Map<string, Sum>()
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

function countersOf({ envelope_id, treaty_root: root, grant_name, at }: UsageEvent): string[] {
  const budget_counters = [runway_counter]
  if (envelope_id) budget_counters.push(envelopeDay(envelope_id, at), envelopeMonth(envelope_id, at))
  if (root) {
    budget_counters.push(treatyHour(root, at), treatyDay(root, at))
    budget_counters.push(
      treatyGrantHour(root, grant_name, at),
      treatyGrantWeek(root, grant_name, Date.parse(at)),
    )
  }
  return budget_counters
}

const plain = ['tenant_id', 'at', 'seq', 'event_id', 'protocol', 'operation', 'caller_did'] as const
const optional = ['grant_name', 'origin', 'envelope_id', 'tokens_in', 'tokens_out', 'ms', 'uwh'] as const

function eventColumns(events: readonly UsageEvent[]): string[] {
  const bps = [0, 1, 2].map((place) => events.map((event) => event.bps[place]).join('\n'))
  return [...columns(events, [...plain, ...optional]), ...bps, ...columns(events, ['rate', 'quanta'])]
}

/** Each column is sent as one text, separated by newlines: no name or number here contains one. */
function columns<Row>(rows: readonly Row[], names: readonly (keyof Row)[]): string[] {
  return names.map((name) => rows.map((row) => row[name]).join('\n'))
}
