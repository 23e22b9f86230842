// What a page is found by without opening it: names in its records, short keys of their ids and hashes, and times.
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { columnText } from './columns.ts'

/** What a record is found by. */
export type Findable = Pick<
  AuditBody,
  'caller_did' | 'correlation_id' | 'event_type' | 'operation' | 'outcome' | 'protocol' | 'timestamp'
>

const key_bits = 24
const key_digits = key_bits / 4

export function termOf(kind: TermKind, text: string): string {
  return `${kind}:${columnText(text)}`
}

const fields = {
  caller: 'caller_did',
  event: 'event_type',
  operation: 'operation',
  outcome: 'outcome',
  protocol: 'protocol',
} as const
export type TermKind = keyof typeof fields

/** Sorted. Most records of a page have the same names, so each is made once. */
export function termsOf(records: readonly { fields: Findable }[]): string[] {
  const terms = Object.entries(fields).flatMap(([kind, field]) => {
    const texts = new Set(records.map((record) => record.fields[field]))
    texts.delete(undefined)
    return [...texts].map((text) => termOf(kind as TermKind, text!))
  })
  return [...new Set(terms)].sort()
}

/**
 * Short on purpose: the few pages that a key finds by chance are opened and compared. Its first bits are those of the page's group, so that
 * new keys go where the last ones went: a part of the index that stays in memory, however long the log is.
 */
const group_pages = 1024
const groups = 2 ** (32 - key_bits - 1)

export function correlationKey(correlation_id: string): number {
  return Number.parseInt(correlation_id.slice(-key_digits), 16)
}

export function hashKey(record_hash: string): number {
  return 2 ** key_bits + Number.parseInt(record_hash.slice(0, key_digits), 16)
}

/** Of every record in order: first the keys of correlations, then those of hashes. */
export function keysOf(
  page: number,
  records: readonly { fields: Findable; record_hash: string }[],
): number[] {
  const group = groupOf(page)
  return [
    ...records.map(({ fields }) => inGroup(correlationKey(fields.correlation_id), group)),
    ...records.map(({ record_hash }) => inGroup(hashKey(record_hash), group)),
  ]
}

/** As they are stored in any of these pages. */
export function keysWithin(keys: readonly number[], first_page: number, last_page: number): number[] {
  const first = Math.floor(first_page / group_pages)
  const count = Math.min(groups, Math.floor(last_page / group_pages) - first + 1)
  return Array.from({ length: count }, (_, place) => (first + place) % groups).flatMap((group) =>
    keys.map((key) => inGroup(key, group)),
  )
}

function groupOf(page: number): number {
  return Math.floor(page / group_pages) % groups
}

/** As PostgreSQL's integer, which has a sign. */
function inGroup(key: number, group: number): number {
  return (group * 2 ** (key_bits + 1) + key) | 0
}
