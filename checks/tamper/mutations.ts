// What can be done to the records of an export, class by class. Pure: the same draws give the same forgery.
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { ExportOptions } from '@svc/sdk/verify/export'
import { changedValue, twinOf } from './changed-json.ts'
import {
  bodyOf,
  type ExportedBook,
  fitted,
  hashOf,
  relinked,
  signedBefore,
  sizeOf,
} from './exported-audit-log.ts'
import type { Random } from './random.ts'

export interface Forgery {
  readonly book: ExportedBook
  readonly options?: ExportOptions
  /** The record the verifier must name; left out where the class does not tell. */
  readonly first_bad_seq?: number
  /** In words, for a failure's report. */
  readonly what: string
}

export interface Material {
  readonly book: ExportedBook
  /** Another tenant's book. */
  readonly other: ExportedBook
}

/** Undefined where the class cannot be applied to this book, such as a swap in a book of one. */
export type Mutation = (material: Material, random: Random) => Forgery | undefined

export const record_mutations: Readonly<Record<string, Mutation>> = {
  edit_byte({ book }, random) {
    const seq = anySeq(book, random)
    const bytes = Buffer.from(book.records[seq - 1]!)
    const at = random.below(bytes.length)
    bytes[at]! ^= 1 + random.below(255)
    return { book: withRecord(book, seq, bytes.toString()), first_bad_seq: seq, what: `byte ${at} of ${seq}` }
  },

  edit_value({ book }, random) {
    const seq = anySeq(book, random)
    const line = JSON.parse(book.records[seq - 1]!)
    const { value: record, where } = changedValue(line.record, random)
    const text = canonicalJson({ record, record_hash: line.record_hash })
    return { book: withRecord(book, seq, text), first_bad_seq: seq, what: `${where} of ${seq}` }
  },

  write_twin({ book }, random) {
    const seq = anySeq(book, random)
    const { text, how } = twinOf(book.records[seq - 1]!, random)
    return { book: withRecord(book, seq, text), first_bad_seq: seq, what: `${how} in ${seq}` }
  },

  add_unsigned_field({ book }, random) {
    const seq = anySeq(book, random)
    const line = {
      ...JSON.parse(book.records[seq - 1]!),
      [random.pick(['approved', 'signature', 'z'])]: true,
    }
    return { book: withRecord(book, seq, canonicalJson(line)), first_bad_seq: seq, what: `beside ${seq}` }
  },

  edit_and_fit_hash({ book }, random) {
    const seq = anySeq(book, random)
    const { value: body, where } = changedValue(bodyOf(book.records[seq - 1]!), random, kept_fields)
    const records = book.records.with(seq - 1, fitted(body, hashOf(book.records, seq - 1)))
    const is_last = seq === book.records.length
    // The last record has no follower whose link breaks: only the signed root tells, for all it covers.
    const first_bad_seq = is_last ? signedBefore(book.notes, seq) + 1 : seq + 1
    return { book: { ...book, records }, first_bad_seq, what: `${where} of ${seq}` }
  },

  rewrite_to_the_end({ book }, random) {
    const seq = anySeq(book, random)
    const { value: body, where } = changedValue(bodyOf(book.records[seq - 1]!), random, kept_fields)
    const changed = book.records.with(seq - 1, canonicalJson({ record: body, record_hash: '' }))
    return {
      book: { ...book, records: relinked(changed, seq) },
      first_bad_seq: signedBefore(book.notes, seq) + 1,
      what: `${where} of ${seq}`,
    }
  },

  delete_record({ book }, random) {
    const seq = random.chance(0.2) ? 1 : anySeq(book, random)
    const records = book.records.toSpliced(seq - 1, 1)
    return { book: { ...book, records }, first_bad_seq: seq, what: `record ${seq}` }
  },

  delete_and_close_the_gap({ book }, random) {
    // Without the last record it may be an older state of the book, which is another matter.
    if (book.records.length < 2) return undefined
    const seq = 1 + random.below(book.records.length - 1)
    const records = relinked(book.records.toSpliced(seq - 1, 1), seq)
    const header = random.chance(0.5) ? { ...book.header, to_seq: records.length } : book.header
    const notes = random.chance(0.5) ? book.notes.slice(0, -1) : book.notes
    return { book: { header, records, notes }, what: `record ${seq}` }
  },

  reorder({ book }, random) {
    if (book.records.length < 2) return undefined
    const first = random.below(book.records.length - 1)
    const second = first + 1 + random.below(book.records.length - first - 1)
    const swapped = book.records.with(first, book.records[second]!).with(second, book.records[first]!)
    const moved = book.records.toSpliced(first, 1).toSpliced(second, 0, book.records[first]!)
    const records = random.chance(0.5) ? swapped : moved
    return { book: { ...book, records }, first_bad_seq: first + 1, what: `${first + 1} and ${second + 1}` }
  },

  insert_copy({ book }, random) {
    const copied = anySeq(book, random)
    const seq = 1 + random.below(book.records.length + 1)
    const records = book.records.toSpliced(seq - 1, 0, book.records[copied - 1]!)
    // A copy right before its original stands where it belongs: then the original is the one too many.
    return {
      book: { ...book, records },
      first_bad_seq: copied === seq ? seq + 1 : seq,
      what: `${copied} at ${seq}`,
    }
  },

  insert_made_up({ book }, random) {
    const at = 1 + random.below(book.records.length + 1)
    const { value: body } = changedValue(bodyOf(random.pick(book.records)), random, kept_fields)
    const line = fitted({ ...body, seq: at }, hashOf(book.records, at - 1))
    const records = book.records.toSpliced(at - 1, 0, line)
    const is_past_end = at > book.records.length
    return { book: { ...book, records }, first_bad_seq: is_past_end ? at : at + 1, what: `at ${at}` }
  },

  cut_tail({ book }, random) {
    const kept = random.below(book.records.length)
    const records = book.records.slice(0, kept)
    const notes = random.chance(0.5) ? [] : book.notes
    return { book: { ...book, records, notes }, first_bad_seq: kept + 1, what: `after ${kept}` }
  },

  cut_tail_and_header({ book }, random) {
    const kept = 1 + random.below(book.records.length)
    const signed = signedBefore(book.notes, kept + 1)
    if (signed === kept) return undefined
    const notes = book.notes.filter((note) => sizeOf(note) <= kept)
    const header = { ...book.header, to_seq: kept }
    const records = book.records.slice(0, kept)
    return { book: { header, records, notes }, first_bad_seq: signed + 1, what: `after ${kept}` }
  },

  take_from_other_tenant({ book, other }, random) {
    const most = Math.min(book.records.length, other.records.length)
    const seq = 1 + random.below(most)
    const count = random.chance(0.7) ? 1 : most - seq + 1
    const theirs = other.records.slice(seq - 1, seq - 1 + count)
    const records = book.records.toSpliced(seq - 1, count, ...theirs)
    return { book: { ...book, records }, first_bad_seq: seq, what: `${count} from ${seq}` }
  },

  adopt_from_other_tenant({ book, other }, random) {
    const most = Math.min(book.records.length, other.records.length)
    const seq = 1 + random.below(most)
    const body = { ...bodyOf(other.records[seq - 1]!), tenant_id: book.header.tenant_id }
    const records = book.records.with(seq - 1, fitted(body, hashOf(book.records, seq - 1)))
    const is_last = seq === book.records.length
    const first_bad_seq = is_last ? signedBefore(book.notes, seq) + 1 : seq + 1
    return { book: { ...book, records }, first_bad_seq, what: `record ${seq}` }
  },
}

/** A forger who makes hashes fit leaves these as they are, or the record would name itself. */
const kept_fields = ['seq', 'tenant_id']

function anySeq(book: ExportedBook, random: Random): number {
  return 1 + random.below(book.records.length)
}

function withRecord(book: ExportedBook, seq: number, line: string): ExportedBook {
  return { ...book, records: book.records.with(seq - 1, line) }
}
