// A verdict in sentences: what vouches for the log, which keys signed it, or what is wrong.
import type { Verdict } from '@svc/audit/verify/verify'

const signers_shown = 4

export function verdictText(verdict: Verdict, trusted: readonly string[]): string {
  const { ok, verified, roots_checked, records, tenant_id, reason, first_bad_seq } = verdict
  if (!ok)
    return `${first_bad_seq === undefined ? 'Invalid' : `Record ${first_bad_seq} is invalid`}: ${reason}.`
  if (!roots_checked) {
    return (
      `Not proved: ${records} records of ${tenant_id} follow each other, but the export lacks the ones ` +
      'before them, so no signed root can be checked; export the whole log.'
    )
  }
  const headline = verified ? vouchedText(verdict, trusted) : unvouched
  const next = verified ? '' : `\n${advice}`
  return `${headline}: ${contentText(verdict)}\n${signersText(verdict)}${next}`
}

const unvouched = 'Consistent, but signed by a key that only this file vouches for'
const advice =
  'Anyone can make such a file. Get the public key of this log from someone you trust, and pass it with --key.'

function vouchedText({ signed_by, vouched_by, witnessed }: Verdict, trusted: readonly string[]): string {
  const pinned = signed_by.filter(({ public_key }) => trusted.includes(public_key))
  const saw_all = witnessed?.by.filter(({ size }) => size >= witnessed.size).map(({ name }) => name) ?? []
  const by = {
    key: `verified against pinned key ${pinned.map(({ key_id }) => key_id).join(' and ')}`,
    checkpoint: 'continues a kept checkpoint',
    witness: `not rewritten since ${saw_all.join(' and ')} saw its last record`,
  }
  const text = vouched_by.map((voucher) => by[voucher]).join(', ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function contentText({ records, tenant_id, checkpoints, sealed, head, ...verdict }: Verdict): string {
  const counted = `${records} records of ${tenant_id}, ${checkpoints} signed checkpoints`
  return `${counted}, ${witnessedText(verdict)}${sealed ? 'sealed at ' : ''}head ${head}`
}

function witnessedText({ witnessed }: Pick<Verdict, 'witnessed'>): string {
  if (!witnessed) return ''
  const names = witnessed.by.map(({ name, size }) => `${name} up to ${size}`)
  return `witnessed up to record ${witnessed.size} (${names.join(', ') || 'nobody you named'}), `
}

function signersText({ signed_by, vouched_by }: Verdict): string {
  const newest = signed_by.slice(-signers_shown).map(({ key_id, public_key }) => `${key_id} ${public_key}`)
  const older = signed_by.length - newest.length
  const keys = [...(older > 0 ? [`${older} earlier keys`] : []), ...newest].join(', then ')
  const is_proved = vouched_by.some((voucher) => voucher !== 'witness')
  const doubt =
    !is_proved && vouched_by.length > 0 ? ' A witness proves what it saw, not whose key it is.' : ''
  return `Signed by key ${keys}.${doubt}`
}
