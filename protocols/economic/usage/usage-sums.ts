// The rows that usage goes into: a sum for each hour and each combination of names. Single events stay in the audit log.
import { hash } from 'node:crypto'
import type { UsageEvent } from '@svc/contract/money/usage'
import type { ClientBase } from 'pg'

const hour_ms = 3_600_000

const read_closings = `
  SELECT tenant_id, closed_until, kept_until FROM billing WHERE tenant_id = ANY(string_to_array($1, E'\\n'))`

const add_names = `
  INSERT INTO meter_names (tenant_id, name_id, protocol, operation, caller_did, grant_name, origin, envelope_id, rate)
  SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n')::uuid[], string_to_array($3, E'\\n'),
    string_to_array($4, E'\\n'), string_to_array($5, E'\\n'), string_to_array($6, E'\\n', ''),
    string_to_array($7, E'\\n', ''), string_to_array($8, E'\\n', ''), string_to_array($9, E'\\n')::integer[])
  ON CONFLICT DO NOTHING`

const add_sums = `
  INSERT INTO meter_sums AS kept (tenant_id, hour, name_id, calls, tokens, ms, uwh, quanta)
  SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n')::timestamptz[],
    string_to_array($3, E'\\n')::uuid[], string_to_array($4, E'\\n')::bigint[], string_to_array($5, E'\\n')::numeric[],
    string_to_array($6, E'\\n')::numeric[], string_to_array($7, E'\\n')::numeric[],
    string_to_array($8, E'\\n')::numeric[])
  ON CONFLICT (tenant_id, hour, name_id, repair) DO UPDATE SET calls = kept.calls + excluded.calls,
    tokens = kept.tokens + excluded.tokens, ms = kept.ms + excluded.ms, uwh = kept.uwh + excluded.uwh,
    quanta = kept.quanta + excluded.quanta`

const add_moved = `
  INSERT INTO meter_moved (tenant_id, seq, at)
  SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n')::bigint[],
    string_to_array($3, E'\\n')::timestamptz[])`

/** An hour already hashed is hashed again. */
const doubt_hours = `
  INSERT INTO meter_hours (tenant_id, hour, events, root)
  SELECT h.tenant_id, h.hour, 0, NULL
  FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n')::timestamptz[]) AS h(tenant_id, hour)
  ON CONFLICT (tenant_id, hour) DO UPDATE SET root = NULL`

interface Closing {
  readonly tenant_id: string
  readonly closed_until: Date | null
  readonly kept_until: Date | null
}

export async function readClosings(
  client: ClientBase,
  tenant_ids: readonly string[],
): Promise<ReadonlyMap<string, Closing>> {
  const values = [tenant_ids.join('\n')]
  const { rows } = await client.query<Closing>({ name: 'read-closings', text: read_closings, values })
  return new Map(rows.map((row) => [row.tenant_id, row]))
}

/** What names a sum beside its hour: the fields of its row in `meter_names`. */
const name_fields = [
  'protocol',
  'operation',
  'caller_did',
  'grant_name',
  'origin',
  'envelope_id',
  'rate',
] as const
export type UsageNames = Pick<UsageEvent, (typeof name_fields)[number]>

export interface HourSum extends UsageNames {
  readonly tenant_id: string
  readonly hour: string
  readonly name_id: string
  calls: number
  tokens: bigint
  ms: bigint
  uwh: bigint
  quanta: bigint
}

interface Counted {
  readonly sums: readonly HourSum[]
  readonly moved: readonly { readonly tenant_id: string; readonly seq: number; readonly at: string }[]
  readonly doubted: readonly { readonly tenant_id: string; readonly hour: string }[]
}

/** Usage of a closed period counts at the first open moment. */
export function countEvents(events: readonly UsageEvent[], closings: ReadonlyMap<string, Closing>): Counted {
  const sums = new Map<string, HourSum>()
  const moved: Counted['moved'][number][] = []
  const doubted = new Map<string, Counted['doubted'][number]>()
  for (const event of events) {
    const { tenant_id, seq } = event
    const { closed_until, kept_until } = closings.get(tenant_id) ?? {}
    const counted_ms = Math.max(event.at_ms, closed_until?.getTime() ?? Number.NEGATIVE_INFINITY)
    if (counted_ms !== event.recorded_ms)
      moved.push({ tenant_id, seq, at: new Date(counted_ms).toISOString() })
    const { hour } = addToSum(sums, event, counted_ms)
    if (kept_until && counted_ms < kept_until.getTime())
      doubted.set(`${tenant_id} ${hour}`, { tenant_id, hour })
  }
  return { sums: [...sums.values()], moved, doubted: [...doubted.values()] }
}

/** Returns the sum it is part of now. */
export function addToSum(sums: Map<string, HourSum>, event: UsageEvent, counted_ms: number): HourSum {
  const { tenant_id, protocol, operation, caller_did, grant_name, origin, envelope_id, rate } = event
  const hour = hourOf(counted_ms)
  const names = { protocol, operation, caller_did, grant_name, origin, envelope_id, rate }
  const key = sumKey({ tenant_id, hour, ...names })
  let sum = sums.get(key)
  if (!sum) {
    sum = { tenant_id, hour, name_id: nameId(names), ...names, ...no_usage }
    sums.set(key, sum)
  }
  sum.calls++
  sum.tokens += BigInt(event.tokens_in) + BigInt(event.tokens_out)
  sum.ms += BigInt(event.ms)
  sum.uwh += BigInt(event.uwh)
  sum.quanta += event.quanta
  return sum
}

/** Most events are of the same hour; its text is made once. */
function hourOf(ms: number): string {
  const from_ms = Math.floor(ms / hour_ms) * hour_ms
  if (from_ms !== last_hour.from_ms) last_hour = { from_ms, text: new Date(from_ms).toISOString() }
  return last_hour.text
}

let last_hour = { from_ms: Number.NaN, text: '' }

export function sumKey(sum: UsageNames & Pick<HourSum, 'tenant_id' | 'hour'>): string {
  return [sum.tenant_id, sum.hour, ...name_fields.map((field) => sum[field])].join('\n')
}

const no_usage = { calls: 0, tokens: 0n, ms: 0n, uwh: 0n, quanta: 0n }

/** Half of a SHA-256: short enough for an index, and nobody can make two names with the same. */
function nameId(names: UsageNames): string {
  return hash('sha256', name_fields.map((field) => names[field]).join('\n'), 'hex').slice(0, 32)
}

export async function addUsage(client: ClientBase, { sums, moved, doubted }: Counted): Promise<void> {
  const named = columns(sums, ['tenant_id', 'name_id', ...name_fields])
  const amounts = ['calls', 'tokens', 'ms', 'uwh', 'quanta'] as const
  const summed = columns(sums, ['tenant_id', 'hour', 'name_id', ...amounts])
  await Promise.all([
    client.query({ name: 'add-names', text: add_names, values: named }),
    client.query({ name: 'add-sums', text: add_sums, values: summed }),
    moved.length > 0 && client.query(add_moved, columns(moved, ['tenant_id', 'seq', 'at'])),
    doubted.length > 0 && client.query(doubt_hours, columns(doubted, ['tenant_id', 'hour'])),
  ])
}

/** Each column is sent as one text, separated by newlines: no name or number here contains one. */
export function columns<Row>(rows: readonly Row[], names: readonly (keyof Row)[]): string[] {
  return names.map((name) => rows.map((row) => row[name]).join('\n'))
}
