// A page: 256 consecutive records of one tenant. What does not fill one yet is stored in pieces, as it came.
import { hash } from 'node:crypto'
import { packBodies } from './bodies.ts'
import { momentOf } from './columns.ts'
import { type Findable, keysOf, termsOf } from './summary.ts'

export const page_records = 256
/** A page is compressed in four parts, so that one record costs a quarter of a page to read. */
export const part_records = 64
/** Between engines clocks differ by less; records that are older were journalled long before they were committed. */
export const late_ms = 60_000

/** A record as it is stored. */
export interface PageRecord {
  readonly tenant_id: string
  readonly seq: number
  readonly body: string
  readonly fields: Findable
  readonly previous_hash: string
  readonly record_hash: string
}

interface Stored extends Times {
  readonly tenant_id: string
  readonly before_hash: Buffer
  readonly hashes: Buffer
  readonly bytes: Buffer
}

export interface TailPiece extends Stored {
  readonly first_seq: number
  readonly last_seq: number
}

export interface Page extends Stored, Summary {
  readonly page: number
  readonly part_ends: readonly number[]
  readonly sha256: Buffer
}

export function pageOf(seq: number): number {
  return Math.floor((seq - 1) / page_records)
}

/** Consecutive records of one page. */
export function tailPiece(records: readonly PageRecord[]): TailPiece {
  const [first, last] = [records[0]!, records.at(-1)!]
  const bytes = packBodies(records.map(({ body }) => body))
  return { ...stored(records, bytes), first_seq: first.seq, last_seq: last.seq }
}

/** All records of one page; `latest_before_ms` is the latest time of any record before them. */
export function completePage(records: readonly PageRecord[], latest_before_ms: number): Page {
  const parts = Array.from({ length: page_records / part_records }, (_, part) => {
    const of_part = records.slice(part * part_records, (part + 1) * part_records)
    return packBodies(of_part.map(({ body }) => body))
  })
  const bytes = Buffer.concat(parts)
  const page = pageOf(records[0]!.seq)
  let end = 0
  return {
    ...stored(records, bytes),
    ...summaryOf(page, records, latest_before_ms),
    page,
    part_ends: parts.map(({ length }) => {
      end += length
      return end
    }),
    sha256: hash('sha256', bytes, 'buffer'),
  }
}

/** What a full page is found by. */
export interface Summary extends Times {
  readonly keys: readonly number[]
  readonly terms: readonly string[]
  readonly latest_ms: number
  readonly is_late: boolean
}

export function summaryOf(
  page: number,
  records: readonly Pick<PageRecord, 'fields' | 'record_hash'>[],
  latest_before_ms: number,
): Summary {
  const times = timesOf(records)
  return {
    ...times,
    keys: keysOf(page, records),
    terms: termsOf(records),
    latest_ms: Math.max(latest_before_ms, times.to_ms),
    is_late: times.from_ms < latest_before_ms - late_ms,
  }
}

interface Times {
  readonly from_ms: number
  readonly to_ms: number
}

function timesOf(records: readonly Pick<PageRecord, 'fields'>[]): Times {
  const moments = records.map(({ fields }) => momentOf(fields.timestamp))
  return { from_ms: Math.min(...moments), to_ms: Math.max(...moments) }
}

function stored(records: readonly PageRecord[], bytes: Buffer): Stored {
  const { tenant_id, previous_hash } = records[0]!
  return {
    tenant_id,
    before_hash: Buffer.from(previous_hash, 'hex'),
    hashes: Buffer.from(records.map(({ record_hash }) => record_hash).join(''), 'hex'),
    ...timesOf(records),
    bytes,
  }
}
