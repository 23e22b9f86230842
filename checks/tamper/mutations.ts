// Mutations of an export's records, by class. Pure: the same draws give the same forgery.
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { ExportOptions } from '@svc/sdk/verify/export'
import { changedValue, twinOf } from './changed-json.ts'
import {
  bodyOf,
  type ExportedAuditLog,
  fitted,
  hashOf,
  relinked,
  signedBefore,
  sizeOf,
} from './exported-audit-log.ts'
import type { Random } from './random.ts'

export interface Forgery {
  readonly audit_log: ExportedAuditLog
  readonly options?: ExportOptions
  /** The record the verifier must name; absent if the class does not determine it. */
  readonly first_bad_seq?: number
  /** For a failure's report. */
  readonly what: string
}

export interface Material {
  readonly audit_log: ExportedAuditLog
  /** Another tenant's audit log. */
  readonly other: ExportedAuditLog
}

/** Undefined if the class does not apply to this audit log, such as a swap in an audit log of one. */
export type Mutation = (material: Material, random: Random) => Forgery | undefined

export const record_mutations: Readonly<Record<string, Mutation>> = {
  edit_byte({ audit_log }, random) {
    const seq = anySeq(audit_log, random)
    const bytes = Buffer.from(audit_log.records[seq - 1]!)
    const at = random.below(bytes.length)
    bytes[at]! ^= 1 + random.below(255)
    return {
      audit_log: withRecord(audit_log, seq, bytes.toString()),
      first_bad_seq: seq,
      what: `byte ${at} of ${seq}`,
    }
  },

  edit_value({ audit_log }, random) {
    const seq = anySeq(audit_log, random)
    const line = JSON.parse(audit_log.records[seq - 1]!)
    const { value: record, where } = changedValue(line.record, random)
    const text = canonicalJson({ record, record_hash: line.record_hash })
    return { audit_log: withRecord(audit_log, seq, text), first_bad_seq: seq, what: `${where} of ${seq}` }
  },

  write_twin({ audit_log }, random) {
    const seq = anySeq(audit_log, random)
    const { text, how } = twinOf(audit_log.records[seq - 1]!, random)
    return { audit_log: withRecord(audit_log, seq, text), first_bad_seq: seq, what: `${how} in ${seq}` }
  },

  add_unsigned_field({ audit_log }, random) {
    const seq = anySeq(audit_log, random)
    const line = {
      ...JSON.parse(audit_log.records[seq - 1]!),
      [random.pick(['approved', 'signature', 'z'])]: true,
    }
    return {
      audit_log: withRecord(audit_log, seq, canonicalJson(line)),
      first_bad_seq: seq,
      what: `beside ${seq}`,
    }
  },

  edit_and_fit_hash({ audit_log }, random) {
    const seq = anySeq(audit_log, random)
    const { value: body, where } = changedValue(bodyOf(audit_log.records[seq - 1]!), random, kept_fields)
    const records = audit_log.records.with(seq - 1, fitted(body, hashOf(audit_log.records, seq - 1)))
    const is_last = seq === audit_log.records.length
    // No link follows the last record: only the signed root detects it, for all it covers.
    const first_bad_seq = is_last ? signedBefore(audit_log.notes, seq) + 1 : seq + 1
    return { audit_log: { ...audit_log, records }, first_bad_seq, what: `${where} of ${seq}` }
  },

  rewrite_to_the_end({ audit_log }, random) {
    const seq = anySeq(audit_log, random)
    const { value: body, where } = changedValue(bodyOf(audit_log.records[seq - 1]!), random, kept_fields)
    const changed = audit_log.records.with(seq - 1, canonicalJson({ record: body, record_hash: '' }))
    return {
      audit_log: { ...audit_log, records: relinked(changed, seq) },
      first_bad_seq: signedBefore(audit_log.notes, seq) + 1,
      what: `${where} of ${seq}`,
    }
  },

  delete_record({ audit_log }, random) {
    const seq = random.chance(0.2) ? 1 : anySeq(audit_log, random)
    const records = audit_log.records.toSpliced(seq - 1, 1)
    return { audit_log: { ...audit_log, records }, first_bad_seq: seq, what: `record ${seq}` }
  },

  delete_and_close_the_gap({ audit_log }, random) {
    // Without the last record it may be an older state of the audit log, which is a different case.
    if (audit_log.records.length < 2) return undefined
    const seq = 1 + random.below(audit_log.records.length - 1)
    const records = relinked(audit_log.records.toSpliced(seq - 1, 1), seq)
    const header = random.chance(0.5) ? { ...audit_log.header, to_seq: records.length } : audit_log.header
    const notes = random.chance(0.5) ? audit_log.notes.slice(0, -1) : audit_log.notes
    return { audit_log: { header, records, notes }, what: `record ${seq}` }
  },

  reorder({ audit_log }, random) {
    if (audit_log.records.length < 2) return undefined
    const first = random.below(audit_log.records.length - 1)
    const second = first + 1 + random.below(audit_log.records.length - first - 1)
    const swapped = audit_log.records
      .with(first, audit_log.records[second]!)
      .with(second, audit_log.records[first]!)
    const moved = audit_log.records.toSpliced(first, 1).toSpliced(second, 0, audit_log.records[first]!)
    const records = random.chance(0.5) ? swapped : moved
    return {
      audit_log: { ...audit_log, records },
      first_bad_seq: first + 1,
      what: `${first + 1} and ${second + 1}`,
    }
  },

  insert_copy({ audit_log }, random) {
    const copied = anySeq(audit_log, random)
    const seq = 1 + random.below(audit_log.records.length + 1)
    const records = audit_log.records.toSpliced(seq - 1, 0, audit_log.records[copied - 1]!)
    // A copy right before its original is in the right place: then the original is the surplus one.
    return {
      audit_log: { ...audit_log, records },
      first_bad_seq: copied === seq ? seq + 1 : seq,
      what: `${copied} at ${seq}`,
    }
  },

  insert_made_up({ audit_log }, random) {
    const at = 1 + random.below(audit_log.records.length + 1)
    const { value: body } = changedValue(bodyOf(random.pick(audit_log.records)), random, kept_fields)
    const line = fitted({ ...body, seq: at }, hashOf(audit_log.records, at - 1))
    const records = audit_log.records.toSpliced(at - 1, 0, line)
    const is_past_end = at > audit_log.records.length
    return {
      audit_log: { ...audit_log, records },
      first_bad_seq: is_past_end ? at : at + 1,
      what: `at ${at}`,
    }
  },

  cut_tail({ audit_log }, random) {
    const length = random.below(audit_log.records.length)
    const records = audit_log.records.slice(0, length)
    const notes = random.chance(0.5) ? [] : audit_log.notes
    return { audit_log: { ...audit_log, records, notes }, first_bad_seq: length + 1, what: `after ${length}` }
  },

  cut_tail_and_header({ audit_log }, random) {
    const length = 1 + random.below(audit_log.records.length)
    const signed = signedBefore(audit_log.notes, length + 1)
    if (signed === length) return undefined
    const notes = audit_log.notes.filter((note) => sizeOf(note) <= length)
    const header = { ...audit_log.header, to_seq: length }
    const records = audit_log.records.slice(0, length)
    return { audit_log: { header, records, notes }, first_bad_seq: signed + 1, what: `after ${length}` }
  },

  take_from_other_tenant({ audit_log, other }, random) {
    const most = Math.min(audit_log.records.length, other.records.length)
    const seq = 1 + random.below(most)
    const count = random.chance(0.7) ? 1 : most - seq + 1
    const theirs = other.records.slice(seq - 1, seq - 1 + count)
    const records = audit_log.records.toSpliced(seq - 1, count, ...theirs)
    return { audit_log: { ...audit_log, records }, first_bad_seq: seq, what: `${count} from ${seq}` }
  },

  adopt_from_other_tenant({ audit_log, other }, random) {
    const most = Math.min(audit_log.records.length, other.records.length)
    const seq = 1 + random.below(most)
    const body = { ...bodyOf(other.records[seq - 1]!), tenant_id: audit_log.header.tenant_id }
    const records = audit_log.records.with(seq - 1, fitted(body, hashOf(audit_log.records, seq - 1)))
    const is_last = seq === audit_log.records.length
    const first_bad_seq = is_last ? signedBefore(audit_log.notes, seq) + 1 : seq + 1
    return { audit_log: { ...audit_log, records }, first_bad_seq, what: `record ${seq}` }
  },
}

/** A forger who makes hashes match leaves these, or the record would reveal itself. */
const kept_fields = ['seq', 'tenant_id']

function anySeq(audit_log: ExportedAuditLog, random: Random): number {
  return 1 + random.below(audit_log.records.length)
}

function withRecord(audit_log: ExportedAuditLog, seq: number, line: string): ExportedAuditLog {
  return { ...audit_log, records: audit_log.records.with(seq - 1, line) }
}
