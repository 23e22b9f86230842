// A search of the audit log: its form in the address and its form as a query to the engine.
import type { InputOf, OutputOf } from '@svc/sdk'
import type { StoredViews } from '../../list/describe.ts'
import type { Place } from '../../shell/address.ts'

const page_records = 50
const stored_page_records = 1_000
/** The newest record comes first; there is none after this. */
const after_all = Number.MAX_SAFE_INTEGER

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

/** The text of each field; '' if empty. */
export type Search = Readonly<Record<(typeof search_fields)[number], string>>

export const outcomes = ['success', 'refused', 'error'] as const

export function searchOf(query: Place['query']): Search {
  return Object.fromEntries(search_fields.map((field) => [field, query[field] ?? ''])) as Search
}

/** Without the empty fields, which do not appear in the address. */
export function queryOf(search: Search): Place['query'] {
  return Object.fromEntries(Object.entries(search).filter(([, text]) => text.trim() !== ''))
}

/** From the end of the audit log backwards, unless oldest first; `cursor` is the last record shown. */
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
      : { before_seq: cursor ?? (start === undefined ? after_all : start + 1) }),
  }
}

/** A search as a view that the engine stores, and back. */
export function storedIn(page: 'requests' | 'audit-log/records'): StoredViews {
  return {
    page,
    operation: 'MAX.audit_query',
    filtersOf: (query) => ({ ...questionOf(searchOf(query), undefined), limit: stored_page_records }),
    queryOf: (filters) => queryOf(searchIn(filters)),
  }
}

/** Fields that no search of this page has are left out. */
function searchIn(filters: Readonly<Record<string, unknown>>): Search {
  const { event_type, after_seq, before_seq } = filters
  const texts = search_fields.map((field) => [
    field,
    typeof filters[field] === 'string' ? filters[field] : '',
  ])
  const start =
    typeof after_seq === 'number' && after_seq > 0
      ? after_seq + 1
      : typeof before_seq === 'number' && before_seq < after_all
        ? before_seq - 1
        : undefined
  return {
    ...(Object.fromEntries(texts) as Search),
    event_type: Array.isArray(event_type) ? event_type.join(' ') : '',
    order: after_seq === undefined ? '' : 'oldest',
    seq: start === undefined ? '' : String(start),
  }
}

export function nextOf({ next_after_seq, next_before_seq }: AuditLogPage): number | undefined {
  const next = next_before_seq ?? next_after_seq
  // There is no record before the first.
  return next_before_seq === 1 ? undefined : next
}

function isOutcome(text: string): text is (typeof outcomes)[number] {
  return (outcomes as readonly string[]).includes(text)
}

/** The value of a date-time field, read as UTC; browsers omit seconds that are zero. */
function momentOf(typed: string): string {
  if (/Z$/i.test(typed)) return typed
  return `${/T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed}Z`
}
