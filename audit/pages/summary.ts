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
 * Short on purpose: an index over 16 million different keys of each kind stays small for any number of records, and the few pages
 * a key finds by chance are opened and compared.
 */
export function correlationKey(correlation_id: string): number {
  return Number.parseInt(correlation_id.slice(-key_digits), 16)
}

export function hashKey(record_hash: string): number {
  return 2 ** key_bits + Number.parseInt(record_hash.slice(0, key_digits), 16)
}

/** Of every record in order: first the keys of correlations, then those of hashes. */
export function keysOf(records: readonly { fields: Findable; record_hash: string }[]): number[] {
  return [
    ...records.map(({ fields }) => correlationKey(fields.correlation_id)),
    ...records.map(({ record_hash }) => hashKey(record_hash)),
  ]
}
