// Who vouches for a log: anybody can write one that fits together and sign it with a key made a minute ago.
import { type ExportHeader, type ExportKey, Fault } from './verify-header.ts'
import type { Witnessed } from './verify-witnesses.ts'

/** A key that signed checkpoints of this export. */
export interface Signer {
  readonly key_id: string
  /** base64url. */
  readonly public_key: string
}

/**
 * `key`: a key you trust signed it. `checkpoint`: it contains a checkpoint you kept, and goes on from it by the key that
 * signed that. `witness`: witnesses you trust saw this very log up to its last record; who signed it they do not prove.
 */
export type Voucher = 'key' | 'checkpoint' | 'witness'

/** The keys that sign within the export, in the order they took over. A key of another time vouches for nothing in it. */
export function signersOf({ keys, from_seq, to_seq }: ExportHeader): ExportKey[] {
  return keys.filter(
    ({ from_seq: first, until_seq }) => first <= to_seq && (until_seq ?? Infinity) >= from_seq,
  )
}

/**
 * One trusted key vouches for the others: for those before it by signing the tree that holds their records, for those
 * after it by signing the records that name them. Where a trusted key is missing, a strange one may have replaced it.
 */
export function requireTrusted(signers: readonly ExportKey[], trusted: readonly string[] | undefined): void {
  if (!trusted) return
  const strange = signers.find(({ public_key }) => !trusted.includes(public_key))
  if (!strange) return
  const sentence = `the key ${strange.key_id} of the export is not among the keys you trust`
  const present = trusted.filter((key) => signers.some(({ public_key }) => public_key === key))
  if (present.length === 0) throw new Fault(sentence)
  if (present.length < trusted.length) throw new Fault(`${sentence}, and one that you trust signs none of it`)
}

export interface Evidence {
  readonly trusted_keys: boolean
  readonly kept_checkpoints: boolean
  readonly witnessed: Witnessed | undefined
  readonly to_seq: number
}

/** Of an export without a fault whose roots were checked. */
export function vouchersOf({ trusted_keys, kept_checkpoints, witnessed, to_seq }: Evidence): Voucher[] {
  const vouchers: Voucher[] = []
  if (trusted_keys) vouchers.push('key')
  if (kept_checkpoints) vouchers.push('checkpoint')
  // A cosignature does not cover what comes after it, and anybody could add that.
  if (witnessed?.size === to_seq) vouchers.push('witness')
  return vouchers
}
