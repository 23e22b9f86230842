// What is looked for in the book: as the address holds it, and as the engine is asked.
import type { InputOf, OutputOf } from '@svc/sdk'
import type { Place } from '../../shell/address.ts'

const page_records = 50

export type AuditLogPage = OutputOf<'MAX', 'audit_query'>
export type AuditLogRecord = AuditLogPage['records'][number]
type Question = InputOf<'MAX', 'audit_query'>

export const search_fields = [
  'event_type',
  'protocol',
  'operation',
  'outcome',
  'caller_did',
  'correlation_id',
  'from',
  'to',
  'seq',
  'order',
] as const

/** Texts as they were typed; '' where a field says nothing. */
export type Search = Readonly<Record<(typeof search_fields)[number], string>>

export const outcomes = ['success', 'refused', 'error'] as const

export function searchOf(query: Place['query']): Search {
  return Object.fromEntries(search_fields.map((field) => [field, query[field] ?? ''])) as Search
}

/** Without the fields that say nothing; in the address only what was chosen stands. */
export function queryOf(search: Search): Place['query'] {
  return Object.fromEntries(Object.entries(search).filter(([, text]) => text.trim() !== ''))
}

/** From the end of the book backwards unless the oldest are wished first; `cursor` is the last record seen. */
export function questionOf(search: Search, cursor: number | undefined): Question {
  const { event_type, outcome, from, to, order, seq } = search
  const events = event_type.split(/[\s,]+/).filter(Boolean)
  const start = /^[1-9]\d{0,14}$/.test(seq.trim()) ? Number(seq) : undefined
  const text = (field: 'protocol' | 'operation' | 'caller_did' | 'correlation_id') =>
    search[field].trim() === '' ? {} : { [field]: search[field].trim() }
  return {
    limit: page_records,
    ...text('protocol'),
    ...text('operation'),
    ...text('caller_did'),
    ...text('correlation_id'),
    ...(events.length > 0 ? { event_type: events } : {}),
    ...(isOutcome(outcome) ? { outcome } : {}),
    ...(from ? { from: momentOf(from) } : {}),
    ...(to ? { to: momentOf(to) } : {}),
    ...(order === 'oldest'
      ? { after_seq: cursor ?? (start ?? 1) - 1 }
      : { before_seq: cursor ?? (start === undefined ? Number.MAX_SAFE_INTEGER : start + 1) }),
  }
}

export function nextOf({ next_after_seq, next_before_seq }: AuditLogPage): number | undefined {
  const next = next_before_seq ?? next_after_seq
  // Nothing stands before the first.
  return next_before_seq === 1 ? undefined : next
}

function isOutcome(text: string): text is (typeof outcomes)[number] {
  return (outcomes as readonly string[]).includes(text)
}

/** What a field for date and time holds, read as UTC: browsers leave out seconds that are zero. */
function momentOf(typed: string): string {
  if (/Z$/i.test(typed)) return typed
  return `${/T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed}Z`
}
