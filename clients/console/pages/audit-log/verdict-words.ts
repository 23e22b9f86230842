// A verdict in words: what is valid, what is not and from which record, and what it was checked against.
import type { CheckedAuditLog } from './check-audit-log.ts'

export interface VerdictWords {
  /** `consistent`: free of contradictions, but not vouched for by anything the reader trusts. */
  readonly state: 'verified' | 'consistent' | 'broken' | 'not proved'
  readonly title: string
  /** What was checked against what, and what cannot be concluded. */
  readonly sentences: readonly string[]
}

export function verdictWords(checked: CheckedAuditLog, source: string): VerdictWords {
  const { verdict, header } = checked
  const whose = verdict.tenant_id ? ` of ${verdict.tenant_id}` : ''
  if (!verdict.ok) {
    const where = verdict.first_bad_seq === undefined ? '' : ` at record ${verdict.first_bad_seq}`
    return {
      state: 'broken',
      title: `The audit log${whose} is broken${where}: ${verdict.reason}.`,
      sentences: [
        verdict.records > 0
          ? `The ${verdict.records} records before it match their hashes and form an unbroken chain.`
          : 'No record before it could be checked.',
        source,
      ],
    }
  }
  const span = header ? `, ${header.from_seq} to ${header.to_seq}` : ''
  const counted = `${verdict.records} records${whose}${span}`
  return {
    ...headlineOf(checked, counted),
    sentences: [
      'Every record matches its hash, which covers its content and the previous hash; no record is missing in between.',
      rootsWords(checked),
      keysWords(checked),
      notesWords(checked),
      ...witnessWords(checked),
      ...(verdict.sealed ? ['The audit log is sealed: no record can follow its last one.'] : []),
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
    return { state: 'not proved', title: `Part of the log, not proved: ${counted} form an unbroken chain.` }
  const [voucher] = verdict.vouched_by
  if (voucher) return { state: 'verified', title: `${vouched[voucher]}: ${counted}.` }
  const title = `Consistent, but signed by a key that only this log vouches for: ${counted}.`
  return { state: 'consistent', title }
}

function rootsWords({ verdict }: CheckedAuditLog): string {
  const { checkpoints, roots_checked } = verdict
  return roots_checked
    ? `${checkpoints} signed checkpoints: each signs the root of these records.`
    : `${checkpoints} signed checkpoints, whose roots can only be computed from the first record: verify the whole audit log to prove it.`
}

function keysWords({ trust }: CheckedAuditLog): string {
  return trust.keys.length > 0
    ? 'The signatures were checked against the public keys you gave: they signed the log, or vouch for the keys that did.'
    : 'The signatures were checked against the keys in the log itself. Anyone can write a log and sign it with their own key: get the key from someone you trust and paste it above.'
}

function notesWords({ trust }: CheckedAuditLog): string {
  const { length } = trust.notes
  return length > 0
    ? `The audit log contains ${length === 1 ? 'the checkpoint' : `all ${length} checkpoints`} you kept: nothing that ${length === 1 ? 'it covers' : 'they cover'} was changed or cut off since.`
    : 'You gave no earlier checkpoint, so records removed from the end cannot be detected.'
}

function witnessWords({ verdict, trust }: CheckedAuditLog): string[] {
  const { witnessed } = verdict
  if (!witnessed || trust.witnesses.length === 0) return ['You named no witness, so none was checked.']
  if (witnessed.by.length === 0) return ['None of the witnesses you named has cosigned this audit log.']
  const each = witnessed.by.map(
    ({ name, size, at_seconds }) =>
      `${name} up to record ${size} at ${new Date(at_seconds * 1000).toISOString()}`,
  )
  return [`Witnessed up to record ${witnessed.size}: ${each.join('; ')}.`]
}
