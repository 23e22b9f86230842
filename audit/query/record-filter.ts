// What a search asks of a record, and the names by which its pages are found.
import { boundOf, columnText, momentOf } from '../pages/columns.ts'
import type { Matches } from '../pages/read-records.ts'
import { bodyOf, keepParsed } from '../pages/stored-record.ts'
import { type TermKind, termOf } from '../pages/summary.ts'

export interface RecordFilter {
  readonly correlation_ids?: readonly string[]
  readonly event_types?: readonly string[]
  readonly protocol?: string
  readonly operation?: string
  readonly outcome?: string
  readonly caller_did?: string
  readonly from?: string
  readonly to?: string
  readonly after_seq?: number
  readonly before_seq?: number
  /** From the end of the chain backwards. */
  readonly newest_first?: boolean
  readonly limit: number
}

const fields = ['protocol', 'operation', 'outcome', 'caller_did'] as const
const kinds: Record<(typeof fields)[number], TermKind> = {
  protocol: 'protocol',
  operation: 'operation',
  outcome: 'outcome',
  caller_did: 'caller',
}

/** A page can only hold what is asked for if it has a term of each group. */
export function termGroups(filter: Omit<RecordFilter, 'limit'>): string[][] {
  const groups = fields.flatMap((field) => {
    const text = filter[field]
    return text === undefined ? [] : [[termOf(kinds[field], text)]]
  })
  if (filter.event_types) groups.push(filter.event_types.map((event_type) => termOf('event', event_type)))
  return groups
}

/** What cannot be read matches unless a name is asked for: damage is shown to whoever reads a stretch or a request. */
export function matcherOf(filter: Omit<RecordFilter, 'limit'>): Matches {
  const { correlation_ids, event_types, after_seq = 0, before_seq = Number.POSITIVE_INFINITY } = filter
  const from_ms = filter.from === undefined ? Number.NEGATIVE_INFINITY : boundOf(filter.from)
  const to_ms = filter.to === undefined ? Number.POSITIVE_INFINITY : boundOf(filter.to)
  const names = fields.flatMap((field) => {
    const text = filter[field]
    return text === undefined ? [] : [[field, text] as const]
  })
  const isOther = dismissal(names, filter)
  const takes_all = !(names.length || correlation_ids || event_types || filter.from || filter.to)
  return (stored) => {
    if (stored.seq <= after_seq || stored.seq >= before_seq) return false
    if (takes_all) return true
    if (stored.body !== undefined && isOther(stored.body)) return false
    const body = bodyOf(stored)
    if (!body) return names.length === 0 && event_types === undefined
    const moment = momentOf(body.timestamp)
    const is_match =
      moment >= from_ms &&
      moment < to_ms &&
      (correlation_ids?.includes(body.correlation_id) ?? true) &&
      (event_types?.includes(body.event_type) ?? true) &&
      names.every(([field, text]) => columnText(body[field]) === text)
    if (is_match) keepParsed(stored, body)
    return is_match
  }
}

/** Most records are dismissed by a look at their text, without parsing it: members are canonical, and a text in a text is escaped. */
function dismissal(
  names: readonly (readonly [field: string, text: string])[],
  { correlation_ids, event_types }: Pick<RecordFilter, 'correlation_ids' | 'event_types'>,
): (body: string) => boolean {
  const texts = names.map(([field, text]) => `"${field}":${JSON.stringify(text)}`)
  // A column's replacement stands for other characters.
  const needed = texts.filter((text) => !text.includes('\ufffd'))
  const types = event_types && new Set<string | undefined>(event_types)
  return (body) =>
    body.startsWith('{"caller_did":"') &&
    (needed.some((text) => !body.includes(text)) ||
      (types !== undefined && !types.has(typeIn(body))) ||
      (correlation_ids !== undefined && !correlation_ids.some((id) => body.includes(id))))
}

/** Its first occurrence is the record's own: only strings stand before it. No event type has a character that is escaped. */
function typeIn(body: string): string | undefined {
  return /,"event_type":"([^"]*)"/.exec(body)?.[1]
}
