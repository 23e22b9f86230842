// Who vouches for a log: anyone can write a consistent one and sign it with a new key.
import { Fault } from './fault.ts'
import type { ChainKey, Header } from './header.ts'
import type { Witnessed } from './witnesses.ts'

/** A key that signed checkpoints of an export. */
export interface Signer {
  key_id: string
  /** base64url. */
  public_key: string
}

/**
 * What you trust that vouches for a log. `key`: a key you trust signed it. `checkpoint`: it contains a
 * checkpoint you kept, and continues under the key that signed that. `witness`: witnesses you trust cosigned
 * it up to its last record, so it was not rewritten since; they do not prove who signed it.
 */
export type Voucher = 'key' | 'checkpoint' | 'witness'

/** The keys that sign within the export, in order of succession. Other keys vouch for nothing in it. */
export function signersOf({ keys, from_seq, to_seq }: Header): ChainKey[] {
  return keys.filter((key) => key.from_seq <= to_seq && key.until_seq >= from_seq)
}

/**
 * One trusted key vouches for the others: for earlier keys by signing the tree that holds their records, for
 * later keys by signing the records that name them. If a trusted key is missing, an unknown one may have
 * replaced it.
 */
export function requireTrusted(signers: readonly ChainKey[], trusted: readonly string[] | undefined): void {
  if (!trusted) return
  const stranger = signers.find((key) => !trusted.includes(key.public_key))
  if (!stranger) return
  const what = `the key ${stranger.key_id} of the export is not among the keys you trust`
  const signing = new Set(signers.map((key) => key.public_key))
  if (!trusted.some((key) => signing.has(key))) throw new Fault(what)
  if (!trusted.every((key) => signing.has(key)))
    throw new Fault(`${what}, and one that you trust signs none of it`)
}

/** What vouches for all of a valid export whose roots were checked. */
export function vouchersOf(
  { to_seq }: Header,
  { trustedKeys, checkpoints = [] }: { trustedKeys?: readonly string[]; checkpoints?: readonly string[] },
  witnessed: Witnessed | undefined,
): Voucher[] {
  return [
    ...(trustedKeys ? (['key'] as const) : []),
    ...(checkpoints.length > 0 ? (['checkpoint'] as const) : []),
    // A cosignature does not cover later records, which anyone could add.
    ...(witnessed?.size === to_seq ? (['witness'] as const) : []),
  ]
}
