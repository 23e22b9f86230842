// Refusals that took nothing from any limit, so that a flood can make them by the thousand: the first are recorded
// one by one, the rest are counted, and each count is a record of its own.
import type { AuditEntry } from '@svc/contract/audit-record'
import type { AuditBook, Clock } from './ports.ts'

/** A count is recorded when its window is over; whoever settles does so every `settle_every_ms`: together one second. */
const window_ms = 900
export const settle_every_ms = 100
/** Recorded one by one within a window, of one kind and source. */
const each_max = { known: 10, unknown: 1 } as const
/** Sources and kinds told apart at a time; beyond that unknown ones share a row and known ones are recorded each. */
const rows_max_default = 4_096
const other_sources = 'other sources'

/** Who is refused: the id of a credential, or the network address of somebody who has shown none. */
export interface Source {
  readonly kind: 'known' | 'unknown'
  readonly id: string
}

export interface TakenRefusal {
  /** By which the caller finds it in the audit log: its own, or that of one alike that was recorded before it. */
  readonly correlation_id: string
  /** Null where it was counted: its record comes later. */
  readonly record_id: string | null
}

export interface RefusalSums {
  /** Records it, or counts it. Never waits. */
  take(entry: AuditEntry, source: Source): TakenRefusal
  /** Records the counts whose window is over. */
  settle(): void
  /** Records all counts, before the end. */
  close(): void
}

export interface SumsOptions {
  readonly record: AuditBook['record']
  readonly clock: Pick<Clock, 'monotonic_ms'>
  readonly rows_max?: number
  /** False while nothing more can be recorded: everything is counted then, and kept. */
  readonly hasRoom?: () => boolean
}

interface Row {
  since_ms: number
  each_left: number
  /** Of the newest that was recorded by itself: those that are counted are answered with it, so a kill loses no more than a count. */
  correlation_id: string | undefined
  sum: { readonly first: AuditEntry; count: number; until: string } | undefined
}

/** The record of a count; the row begins anew. */
function summed(row: Row): AuditEntry {
  const { first, count, until } = row.sum!
  row.sum = undefined
  return { ...first, meta: { ...first.meta, count, until } }
}

function newRow(since_ms: number, kind: Source['kind']): Row {
  return { since_ms, each_left: each_max[kind], correlation_id: undefined, sum: undefined }
}

/** One more of those that are counted; answers by which correlation id it is found. */
function countIn(row: Row, entry: AuditEntry): string {
  const { correlation_id = entry.correlation_id } = row
  row.sum ??= { first: { ...entry, correlation_id }, count: 0, until: entry.timestamp }
  row.sum.count++
  row.sum.until = entry.timestamp
  return row.sum.first.correlation_id
}

export function refusalSums(options: SumsOptions): RefusalSums {
  const { record, clock, rows_max = rows_max_default, hasRoom = () => true } = options
  const rows = { known: new Map<string, Row>(), unknown: new Map<string, Row>() }
  const tell = (row: Row) => record(summed(row))
  /** True where nothing is left to remember of it. */
  const settleRow = (row: Row, now_ms: number): boolean => {
    if (now_ms - row.since_ms < window_ms) return false
    if (!row.sum) return true
    if (!hasRoom()) return false
    tell(row)
    // While it goes on, nothing but counts: one record a window.
    Object.assign(row, { since_ms: now_ms, each_left: 0 })
    return false
  }
  const rowFor = (entry: AuditEntry, { kind, id }: Source, now_ms: number): [Row, AuditEntry] | undefined => {
    const what = `${entry.tenant_id} ${entry.event_type} ${entry.meta.code} ${entry.meta.reason}`
    const table = rows[kind]
    const known = table.get(`${id} ${what}`)
    if (known && !settleRow(known, now_ms)) return [known, entry]
    const fresh = newRow(now_ms, kind)
    if (known || table.size < rows_max) {
      table.set(`${id} ${what}`, fresh)
      return [fresh, entry]
    }
    if (kind === 'known') return undefined
    const shared = table.get(`${other_sources} ${what}`) ?? fresh
    table.set(`${other_sources} ${what}`, shared)
    return [shared, { ...entry, meta: { ...entry.meta, source: other_sources } }]
  }
  return {
    take(entry, source) {
      const now_ms = clock.monotonic_ms()
      const found = rowFor(entry, source, now_ms)
      const at_once = !found || (found[0].each_left > 0 && hasRoom())
      if (at_once) {
        if (found) {
          found[0].each_left--
          found[0].correlation_id = entry.correlation_id
        }
        record(found?.[1] ?? entry)
        return { correlation_id: entry.correlation_id, record_id: entry.id }
      }
      return { correlation_id: countIn(...found), record_id: null }
    },
    settle() {
      const now_ms = clock.monotonic_ms()
      for (const table of [rows.known, rows.unknown])
        for (const [key, row] of table) if (settleRow(row, now_ms)) table.delete(key)
    },
    close() {
      for (const table of [rows.known, rows.unknown]) {
        for (const row of table.values()) if (row.sum) tell(row)
        table.clear()
      }
    },
  }
}
