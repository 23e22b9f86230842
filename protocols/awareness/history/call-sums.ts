// Sums of calls for each resolution and each combination of names, as the writer adds them to the tables.
import { hash } from 'node:crypto'
import { bucketOfValue } from '@svc/contract/needs/measurement'
import type { ClientBase } from 'pg'
import { type CallNames, type CountedCall, name_fields } from './counted-call.ts'
import { history_resolutions, latency_bounds_ms } from './resolutions.ts'

interface CallSum {
  readonly tenant_id: string
  readonly resolution: number
  readonly from_ms: number
  readonly names: CallNames
  calls: number
  quanta: bigint
  /** Empty until a call was timed. */
  buckets: number[]
}

const [finest, ...coarser] = history_resolutions

/** Of every resolution: no later roll-up is needed, and late records count where they belong. */
function sumCalls(counted: readonly CountedCall[]): CallSum[] {
  const fine = new Map<string, CallSum>()
  for (const { tenant_id, at_ms, names, calls, quanta, latency_ms } of counted) {
    const sum = sumFor(fine, { tenant_id, names }, finest!.seconds, at_ms)
    sum.calls += calls
    sum.quanta += quanta
    if (latency_ms === undefined) continue
    if (sum.buckets.length === 0) sum.buckets = no_calls.slice()
    sum.buckets[bucketOfValue(latency_ms, latency_bounds_ms)]!++
  }
  const coarse = new Map<string, CallSum>()
  for (const { seconds } of coarser)
    for (const sum of fine.values()) addTo(sumFor(coarse, sum, seconds, sum.from_ms), sum)
  return [...fine.values(), ...coarse.values()]
}

const no_calls: readonly number[] = new Array(latency_bounds_ms.length + 1).fill(0)

function sumFor(
  sums: Map<string, CallSum>,
  { tenant_id, names }: Pick<CallSum, 'tenant_id' | 'names'>,
  resolution: number,
  at_ms: number,
): CallSum {
  const from_ms = Math.floor(at_ms / (resolution * 1000)) * resolution * 1000
  const key = `${tenant_id}\n${resolution}\n${from_ms}\n${textOf(names)}`
  let sum = sums.get(key)
  if (!sum) {
    sum = { tenant_id, resolution, from_ms, names, calls: 0, quanta: 0n, buckets: [] }
    sums.set(key, sum)
  }
  return sum
}

function addTo(sum: CallSum, { calls, quanta, buckets }: CallSum): void {
  sum.calls += calls
  sum.quanta += quanta
  if (sum.buckets.length === 0) sum.buckets = buckets.slice()
  else for (const [place, count] of buckets.entries()) sum.buckets[place]! += count
}

/** Well-formed, as it is hashed: names that differ only by half a character are one. */
function textOf(names: CallNames): string {
  return name_fields
    .map((field) => names[field])
    .join('\n')
    .toWellFormed()
}

/** Half of a SHA-256: short enough for an index, and nobody can make two names with the same. */
function nameId(names: CallNames): string {
  return hash('sha256', textOf(names), 'hex').slice(0, 32)
}

// The heads of these tenants are locked by the commit, so nobody else adds names meanwhile.
const find_new = `
  SELECT i.place::integer AS place, (SELECT count(*)::integer FROM (SELECT FROM call_sums k WHERE k.tenant_id = i.tenant_id
    AND k.resolution = i.resolution AND k.at = i.at LIMIT $5) AS counted) AS stored
  FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::uuid[])
    WITH ORDINALITY AS i(tenant_id, resolution, at, name_id, place)
  WHERE NOT EXISTS (SELECT FROM call_sums k WHERE k.tenant_id = i.tenant_id AND k.resolution = i.resolution
    AND k.at = i.at AND k.name_id = i.name_id)`

const add_names = `
  INSERT INTO call_names AS kept
    (tenant_id, name_id, seen_on, protocol, operation, caller_did, envelope_id, outcome, code, reason)
  SELECT * FROM unnest($1::text[], $2::uuid[], $3::date[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[])
  ON CONFLICT (tenant_id, name_id) DO UPDATE SET seen_on = excluded.seen_on WHERE kept.seen_on < excluded.seen_on`

const add_sums = `
  INSERT INTO call_sums AS kept (tenant_id, resolution, at, name_id, calls, quanta, buckets)
  SELECT i.tenant_id, i.resolution, i.at, i.name_id, i.calls, i.quanta, i.buckets::integer[]
  FROM unnest($1::text[], $2::integer[], $3::timestamptz[], $4::uuid[], $5::bigint[], $6::numeric[], $7::text[])
    AS i(tenant_id, resolution, at, name_id, calls, quanta, buckets)
  ON CONFLICT (tenant_id, resolution, at, name_id) DO UPDATE SET calls = kept.calls + excluded.calls,
    quanta = kept.quanta + excluded.quanta,
    buckets = CASE WHEN excluded.buckets = '{}' THEN kept.buckets ELSE ARRAY(
      SELECT coalesce(b.before, 0) + b.more
      FROM unnest(kept.buckets, excluded.buckets) WITH ORDINALITY AS b(before, more, place) ORDER BY b.place) END`

const names_max_of = new Map(history_resolutions.map(({ seconds, names_max }) => [seconds, names_max]))
const names_max = Math.max(...names_max_of.values())

export async function addCalls(client: ClientBase, counted: readonly CountedCall[]): Promise<void> {
  const sums = sumCalls(counted)
  const values = [...keyColumns(sums), names_max]
  const { rows } = await client.query<NewSum>({ name: 'find-new-calls', text: find_new, values })
  await writeSums(client, limitNames(sums, new Map(rows.map(({ place, stored }) => [place - 1, stored]))))
}

interface NewSum {
  /** Counted from 1. */
  readonly place: number
  /** Number of sums stored for the same time. */
  readonly stored: number
}

/** Past the most names of a time, a call is summed by outcome and code only: the totals stay exact. */
function limitNames(sums: readonly CallSum[], stored_before: ReadonlyMap<number, number>): CallSum[] {
  const limited = new Map<string, CallSum>()
  const added = new Map<string, number>()
  for (const [place, sum] of sums.entries()) {
    const { tenant_id, resolution, from_ms, names } = sum
    const stored = stored_before.get(place)
    let is_full = false
    if (stored !== undefined) {
      const slot = `${tenant_id} ${resolution} ${from_ms}`
      const added_before = added.get(slot) ?? 0
      is_full = stored + added_before >= names_max_of.get(resolution)!
      if (!is_full) added.set(slot, added_before + 1)
    }
    const { outcome, code } = names
    const limited_names = is_full ? { ...other_names, outcome, code } : names
    addTo(sumFor(limited, { tenant_id, names: limited_names }, resolution, from_ms), sum)
  }
  return [...limited.values()]
}

const other_names = { protocol: '', operation: '', caller_did: '', envelope_id: '', reason: '' }

async function writeSums(client: ClientBase, sums: readonly CallSum[]): Promise<void> {
  const newest = new Map<string, CallSum>()
  for (const sum of sums) {
    const key = `${sum.tenant_id}\n${textOf(sum.names)}`
    if (sum.from_ms > (newest.get(key)?.from_ms ?? Number.NEGATIVE_INFINITY)) newest.set(key, sum)
  }
  const named = [...newest.values()]
  const name_columns = [
    named.map(({ tenant_id }) => tenant_id),
    named.map(({ names }) => nameId(names)),
    named.map(({ from_ms }) => new Date(from_ms).toISOString()),
    ...name_fields.map((field) => named.map(({ names }) => names[field])),
  ]
  const sum_columns = [
    ...keyColumns(sums),
    sums.map(({ calls }) => calls),
    sums.map(({ quanta }) => quanta),
    sums.map(({ buckets }) => `{${buckets.join(',')}}`),
  ]
  await Promise.all([
    client.query({ name: 'add-call-names', text: add_names, values: name_columns }),
    client.query({ name: 'add-call-sums', text: add_sums, values: sum_columns }),
  ])
}

function keyColumns(sums: readonly CallSum[]): unknown[] {
  return [
    sums.map(({ tenant_id }) => tenant_id),
    sums.map(({ resolution }) => resolution),
    sums.map(({ from_ms }) => new Date(from_ms).toISOString()),
    sums.map(({ names }) => nameId(names)),
  ]
}
