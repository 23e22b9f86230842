// Decisions that took nothing from any limit (refusals, dry runs), so a flood can cause thousands: the first are recorded singly, the rest
// are counted, and each count is a record.

import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { AuditLogPort, Clock, RefusalSums, Source } from '../ports.ts'

/** A count is recorded when its window is over; settling runs every `settle_every_ms`: together one second. */
const window_ms = 900
export const settle_every_ms = 100
/** The first of a kind is recorded singly; of a known source also others, up to this many per window of any kind. */
const each_max = 10
/** Sources and kinds tracked at a time; beyond that, those of one tenant's log and kind share a row. */
const rows_max_default = 4_096
export const other_sources = 'other sources'

export interface SumsOptions {
  readonly record: AuditLogPort['record']
  /** Rejects where what was just recorded could not be written: a count is then told again. */
  readonly written?: AuditLogPort['written']
  readonly clock: Pick<Clock, 'monotonic_ms'>
  readonly rows_max?: number
  /** False while nothing more can be recorded: then everything is counted. */
  readonly hasRoom?: () => boolean
}

interface Row {
  since_ms: number
  /** From now on only counts, one record per window, while it lasts. */
  counting: boolean
  /** Counts being written just now. */
  telling: number
  /** Of the newest recorded singly: counted ones are answered with it, so a crash loses no more than a count. */
  correlation_id: string | undefined
  sum: Sum | undefined
}

interface Sum {
  readonly first: AuditEntry
  readonly count: number
  readonly until: string
}

function newRow(since_ms: number): Row {
  return { since_ms, counting: false, telling: 0, correlation_id: undefined, sum: undefined }
}

function recordOf({ first, count, until }: Sum): AuditEntry {
  return { ...first, meta: { ...first.meta, count, until } }
}

function plus(earlier: Sum | undefined, later: Sum | undefined): Sum | undefined {
  if (!earlier || !later) return earlier ?? later
  return {
    first: inCommon(earlier.first, later.first),
    count: earlier.count + later.count,
    until: later.until,
  }
}

/** Counts one more; returns the correlation id to find it by. */
function countIn(row: Row, entry: AuditEntry): string {
  row.counting = true
  row.correlation_id ??= entry.correlation_id
  const { correlation_id } = row
  row.sum = plus(row.sum, { first: { ...entry, correlation_id }, count: 1, until: entry.timestamp })
  return correlation_id
}

/** A count states only what is true of all it counts; the caller's text is that of the first. */
function inCommon(first: AuditEntry, other: AuditEntry): AuditEntry {
  const { meta, protocol, operation, caller_did } = first
  const isSame = (name: string) => name === 'supplied' || meta[name] === other.meta[name]
  return {
    ...first,
    caller_did: caller_did === other.caller_did ? caller_did : other_sources,
    protocol: protocol === other.protocol ? protocol : undefined,
    operation: operation === other.operation ? operation : undefined,
    meta: Object.fromEntries(Object.entries(meta).filter(([name]) => isSame(name))),
  }
}

/** The row starts over; its sum comes back where it could not be written. */
function tell(row: Row, record: AuditLogPort['record'], written: AuditLogPort['written']): void {
  const { sum } = row
  if (!sum) return
  row.sum = undefined
  row.telling++
  record(recordOf(sum))
  written()
    .catch(() => {
      row.sum = plus(sum, row.sum)
    })
    .finally(() => row.telling--)
}

/** How many more of a source are recorded singly; a window later it starts over. */
function eachOf(): (source: Source, now_ms: number) => boolean {
  const spent = new Map<string, number>()
  let since_ms = 0
  return ({ kind, id }, now_ms) => {
    if (kind === 'unknown') return false
    if (now_ms - since_ms >= window_ms) {
      spent.clear()
      since_ms = now_ms
    }
    const before = spent.get(id) ?? 0
    spent.set(id, before + 1)
    return before < each_max
  }
}

export function refusalSums(options: SumsOptions): RefusalSums {
  const { record, written = async () => {}, clock } = options
  const { rows_max = rows_max_default, hasRoom = () => true } = options
  const rows = { known: new Map<string, Row>(), unknown: new Map<string, Row>() }
  const isOneOfFew = eachOf()
  /** True where nothing is left to remember of it. */
  const settleRow = (row: Row, now_ms: number): boolean => {
    if (now_ms - row.since_ms < window_ms) return false
    if (!row.sum) return row.telling === 0
    if (!hasRoom()) return false
    tell(row, record, written)
    row.since_ms = now_ms
    return false
  }
  const rowFor = (entry: AuditEntry, { kind, id, about = '' }: Source, now_ms: number): [Row, AuditEntry] => {
    const what = `${entry.tenant_id} ${entry.event_type} ${entry.meta.code} ${entry.meta.reason}`
    const table = rows[kind]
    const find = (key: string): Row | undefined => {
      const row = table.get(key)
      return row && !settleRow(row, now_ms) ? row : undefined
    }
    const own_key = `${id} ${about} ${what}`
    const shares = table.size >= rows_max && !table.has(own_key)
    const key = shares ? `${other_sources} ${what}` : own_key
    const row = find(key) ?? newRow(now_ms)
    table.set(key, row)
    return [row, shares ? { ...entry, meta: { ...entry.meta, source: other_sources } } : entry]
  }
  return {
    take(entry, source) {
      const now_ms = clock.monotonic_ms()
      const [row, recorded] = rowFor(entry, source, now_ms)
      const is_one_of_few = recorded === entry && isOneOfFew(source, now_ms)
      const is_first = row.correlation_id === undefined
      if (row.counting || !hasRoom() || !(is_first || is_one_of_few))
        return { correlation_id: countIn(row, recorded), record_id: null }
      row.correlation_id = entry.correlation_id
      record(recorded)
      return { correlation_id: entry.correlation_id, record_id: entry.id }
    },
    settle() {
      const now_ms = clock.monotonic_ms()
      for (const table of [rows.known, rows.unknown])
        for (const [key, row] of table) if (settleRow(row, now_ms)) table.delete(key)
    },
    close() {
      for (const table of [rows.known, rows.unknown]) {
        for (const row of table.values()) tell(row, record, written)
        table.clear()
      }
    },
  }
}
