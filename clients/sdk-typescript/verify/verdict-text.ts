// A verdict as text: what vouches for the log, which keys signed it, or what is wrong.
import type { ExportVerdict } from './export.ts'

export interface VerdictText {
  readonly kind: 'invalid' | 'not proved' | 'verified' | 'unvouched'
  /** Read as `headline: lines`. */
  readonly headline: string
  readonly lines: readonly string[]
}

/** The source of the log, which alone vouches for it if nothing else does. */
export type Source = 'file' | 'engine'

const signers_shown = 4
const advice =
  'Anyone can make such a file. Get the public key of this log from someone you trust, and pass it with --key.'

/** `trusted` are the reader's public keys. */
export function verdictText(
  verdict: ExportVerdict,
  trusted: readonly string[],
  source: Source = 'file',
): VerdictText {
  const { ok, verified, roots_checked, records, tenant_id, reason, first_bad_seq } = verdict
  if (!ok) {
    const headline = first_bad_seq === undefined ? 'Invalid' : `Record ${first_bad_seq} is invalid`
    return { kind: 'invalid', headline, lines: [`${reason}.`] }
  }
  if (!roots_checked) {
    const what =
      `${records} records of ${tenant_id} follow each other, but the export lacks the ones before them, ` +
      'so no signed root can be checked; export the whole log.'
    return { kind: 'not proved', headline: 'Not proved', lines: [what] }
  }
  const lines = [contentText(verdict), signersText(verdict)]
  if (verified) return { kind: 'verified', headline: vouchedText(verdict, trusted), lines }
  const headline = `Consistent, but signed by a key that only this ${source} vouches for`
  return { kind: 'unvouched', headline, lines: source === 'file' ? [...lines, advice] : lines }
}

function vouchedText(
  { signed_by, vouched_by, witnessed }: ExportVerdict,
  trusted: readonly string[],
): string {
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

function contentText({ records, tenant_id, checkpoints, sealed, head, witnessed }: ExportVerdict): string {
  const counted = `${records} records of ${tenant_id}, ${checkpoints} signed checkpoints`
  const names = witnessed?.by.map(({ name, size }) => `${name} up to ${size}`).join(', ')
  const witness_text = witnessed
    ? `witnessed up to record ${witnessed.size} (${names || 'nobody you named'}), `
    : ''
  return `${counted}, ${witness_text}${sealed ? 'sealed at ' : ''}head ${head}`
}

function signersText({ signed_by, vouched_by }: ExportVerdict): string {
  const newest = signed_by.slice(-signers_shown).map(({ key_id, public_key }) => `${key_id} ${public_key}`)
  const older = signed_by.length - newest.length
  const keys = [...(older > 0 ? [`${older} earlier keys`] : []), ...newest].join(', then ')
  const is_proved = vouched_by.some((voucher) => voucher !== 'witness')
  const doubt =
    !is_proved && vouched_by.length > 0 ? ' A witness proves what it saw, not whose key it is.' : ''
  return `Signed by key ${keys}.${doubt}`
}
