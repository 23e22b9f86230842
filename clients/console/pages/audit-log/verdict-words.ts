// A verdict in words: what holds, what does not and from which record on, and what it was checked against.
import type { CheckedAuditLog } from './check-audit-log.ts'

export interface VerdictWords {
  /** `consistent`: nothing contradicts it, and nothing the reader trusts vouches for it. */
  readonly state: 'verified' | 'consistent' | 'broken' | 'not proved'
  readonly title: string
  /** What was checked against what, and what nobody can tell from it. */
  readonly sentences: readonly string[]
}

export function verdictWords(checked: CheckedAuditLog, source: string): VerdictWords {
  const { verdict, header } = checked
  const whose = verdict.tenant_id ? ` of ${verdict.tenant_id}` : ''
  if (!verdict.ok) {
    const where = verdict.first_bad_seq === undefined ? '' : ` at record ${verdict.first_bad_seq}`
    return {
      state: 'broken',
      title: `The book${whose} is broken${where}: ${verdict.reason}.`,
      sentences: [
        verdict.records > 0
          ? `The ${verdict.records} records before that have the hashes they state, each after the one before it.`
          : 'No record could be checked before that.',
        source,
      ],
    }
  }
  const span = header ? `, ${header.from_seq} to ${header.to_seq}` : ''
  const counted = `${verdict.records} records${whose}${span}`
  return {
    ...headlineOf(checked, counted),
    sentences: [
      'Every record has the hash of its content and of the record before it; none is missing between them.',
      rootsWords(checked),
      keysWords(checked),
      notesWords(checked),
      ...witnessWords(checked),
      ...(verdict.sealed ? ['The book is sealed: nothing can stand after its last record.'] : []),
      source,
    ],
  }
}

const vouched = {
  key: 'Verified against a key you trust',
  checkpoint: 'Continues a checkpoint you kept',
  witness: 'Not rewritten since a witness you trust saw its last record',
}

function headlineOf({ verdict }: CheckedAuditLog, counted: string): Pick<VerdictWords, 'state' | 'title'> {
  if (!verdict.roots_checked)
    return { state: 'not proved', title: `A part of the log, not proved: ${counted} follow each other.` }
  const [voucher] = verdict.vouched_by
  if (voucher) return { state: 'verified', title: `${vouched[voucher]}: ${counted}.` }
  const title = `Consistent, but signed by a key that only this log vouches for: ${counted}.`
  return { state: 'consistent', title }
}

function rootsWords({ verdict }: CheckedAuditLog): string {
  const { checkpoints, roots_checked } = verdict
  return roots_checked
    ? `${checkpoints} signed checkpoints: each signs the very root that these records have.`
    : `${checkpoints} signed checkpoints, whose roots can only be computed from the first record on: check the whole book to prove it.`
}

function keysWords({ trust }: CheckedAuditLog): string {
  return trust.keys.length > 0
    ? 'The signatures were checked against the public keys you gave: they signed it, or vouch for the keys that did.'
    : 'The signatures were checked against the keys that came with the log. Anyone can write another log and sign it with another key: get the key from someone you trust, and paste it above.'
}

function notesWords({ trust }: CheckedAuditLog): string {
  const { length } = trust.notes
  return length > 0
    ? `The book contains ${length === 1 ? 'the checkpoint' : `all ${length} checkpoints`} you kept: nothing that ${length === 1 ? 'it covers' : 'they cover'} was changed or cut off since.`
    : 'You gave no checkpoint that you kept, so it cannot be told here whether records were cut off the end.'
}

function witnessWords({ verdict, trust }: CheckedAuditLog): string[] {
  const { witnessed } = verdict
  if (!witnessed || trust.witnesses.length === 0) return ['You named no witness, so none was asked for.']
  if (witnessed.by.length === 0) return ['None of the witnesses you named has cosigned this book.']
  const each = witnessed.by.map(
    ({ name, size, at_seconds }) =>
      `${name} up to record ${size} at ${new Date(at_seconds * 1000).toISOString()}`,
  )
  return [`Witnessed up to record ${witnessed.size}: ${each.join('; ')}.`]
}
