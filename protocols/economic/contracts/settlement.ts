// The ledger entries of a payment under a contract. No I/O, and nothing is rounded twice.

import { type Entry, feeCeiling, feeOf } from '../ledger/api.ts'
import { type Contract, type Obligation, otherSide, restOf, type Side, unitOf } from './contract-terms.ts'

/** One obligation's part of a settlement, as stored. */
export interface SettledLine {
  readonly obligation_id: string
  readonly from: Side
  readonly asset_id: string
  readonly amount: bigint
  readonly fee: bigint
  /** Where the payer's money comes from. */
  readonly source: 'escrow' | 'available' | 'issuance'
  readonly credit_to: 'available' | 'runway'
}

type Bps = Readonly<Record<Side, number>>
const no_fee: Bps = { proposer: 0, counterparty: 0 }

/** Without its fee, which is charged last: see `chargeLines`. */
export function settledLine(
  contract: Contract,
  obligation: Obligation,
  amount: bigint,
  is_issued: boolean,
): SettledLine {
  const { id, from, asset_id, credit_to } = obligation
  const source = contract.escrow ? 'escrow' : is_issued ? 'issuance' : 'available'
  return { obligation_id: id, from, asset_id, amount, fee: 0n, source, credit_to }
}

/** The most that a payment of this amount is charged. */
export function feeMost(contract: Contract, side: Side, amount: bigint): bigint {
  const bps = bpsOf(contract, side)
  return contract.fee_rule === 'each' ? feeOf(amount, bps) : feeCeiling(amount, bps)
}

/** What is reserved beside escrow: the most; a fee below one and a half units as rounded, since single goods have no unit more. */
export function feeReserve(contract: Contract, side: Side, amount: bigint): bigint {
  const is_whole_unit = feeOf(amount, bpsOf(contract, side)) > 1n
  return is_whole_unit ? feeMost(contract, side, amount) : feeOf(amount, bpsOf(contract, side))
}

/** Escrow has exactly what is owed; the fee is reserved separately, so paying out needs no consent. */
export function entriesOfEscrow(contract: Contract, obligations: readonly Obligation[]): Entry[] {
  return merge(
    obligations.flatMap((obligation) => {
      const rest = restOf(obligation)
      return putAside(contract, obligation, rest, feeReserve(contract, obligation.from, rest))
    }),
  )
}

/** Returns it to the payer. */
export function entriesOfRelease(contract: Contract, obligations: readonly Obligation[]): Entry[] {
  return entriesOfEscrow(contract, obligations).map((entry) => ({ ...entry, amount: -entry.amount }))
}

/** The entries of each journal: an exchange is one, so that it can only be posted whole. */
export function entriesOfLines(
  contract: Contract,
  lines: readonly SettledLine[],
  operator_tenant_id: string,
): Entry[][] {
  const paid = lines.map((line) => {
    const obligation = contract.obligations.find(({ id }) => id === line.obligation_id)!
    return {
      unit: unitOf(obligation),
      entries: entriesOfLine(contract, obligation, line, operator_tenant_id),
    }
  })
  const units = Map.groupBy(paid, ({ unit }) => unit)
  return [...units.values()].map((parts) => merge(parts.flatMap(({ entries }) => entries)))
}

/** `obligation` before this line is settled. */
export function entriesOfLine(
  contract: Contract,
  obligation: Obligation,
  line: SettledLine,
  operator_tenant_id: string,
): Entry[] {
  const { asset_id, amount, fee } = line
  return merge([
    ...sourceEntries(contract, obligation, line),
    { ...payeeAccount(contract, line), amount },
    { tenant_id: operator_tenant_id, asset_id, type: 'fees', amount: fee },
  ])
}

function sourceEntries(contract: Contract, obligation: Obligation, line: SettledLine): Entry[] {
  const { asset_id, amount, fee, source, from } = line
  const payer = { ...contract[from], asset_id }
  if (source === 'issuance')
    return [{ tenant_id: payer.tenant_id, asset_id, type: 'issuance', amount: -(amount + fee) }]
  if (source === 'available') return [{ ...payer, type: 'available', amount: -(amount + fee) }]
  // A part may be charged more than it frees; only the payer pays in parts, and from its own account.
  const rest = restOf(obligation)
  const waiting = feeReserve(contract, from, rest) - feeReserve(contract, from, rest - amount)
  return [
    { ...payer, type: 'escrow', amount: -amount },
    { ...payer, type: 'reserved', amount: -waiting },
    { ...payer, type: 'available', amount: waiting - fee },
  ]
}

/** Returns the amount to its source. The fee stays paid, and the next one is reserved again. */
export function entriesOfReversal(
  contract: Contract,
  obligation: Obligation,
  line: SettledLine,
  taken_from: 'available' | 'reserved',
): Entry[] {
  const { asset_id, amount, source, from } = line
  const payer = { ...contract[from], asset_id }
  const back: Entry[] =
    source === 'issuance'
      ? [{ tenant_id: payer.tenant_id, asset_id, type: 'issuance', amount }]
      : [{ ...payer, type: source, amount }]
  if (source === 'escrow') {
    const rest = obligation.amount - obligation.settled
    const waiting = feeReserve(contract, from, rest + amount) - feeReserve(contract, from, rest)
    back.push(
      { ...payer, type: 'available', amount: -waiting },
      { ...payer, type: 'reserved', amount: waiting },
    )
  }
  return merge([{ ...payeeAccount(contract, line), type: taken_from, amount: -amount }, ...back])
}

/** What the payee of a settlement reserves when it agrees to return it. */
export function entriesOfConsent(contract: Contract, lines: readonly SettledLine[]): Entry[] {
  return merge(
    lines.flatMap((line) => {
      const payee = payeeAccount(contract, line)
      return [
        { ...payee, type: 'available' as const, amount: -line.amount },
        { ...payee, type: 'reserved' as const, amount: line.amount },
      ]
    }),
  )
}

function payeeAccount(contract: Contract, { from, asset_id, credit_to }: SettledLine) {
  const { tenant_id, did } = contract[otherSide(from)]
  if (credit_to === 'runway') return { tenant_id, asset_id, type: 'runway' as const }
  return { tenant_id, did, asset_id, type: 'available' as const }
}

function putAside(contract: Contract, { from, asset_id }: Obligation, rest: bigint, fee: bigint): Entry[] {
  const payer = { ...contract[from], asset_id }
  return [
    { ...payer, type: 'available', amount: -(rest + fee) },
    { ...payer, type: 'escrow', amount: rest },
    { ...payer, type: 'reserved', amount: fee },
  ]
}

function bpsOf({ fee_bps }: Contract, side: Side): number {
  return (fee_bps ?? no_fee)[side]
}

/** One entry per account, and no zeros: the ledger refuses them. */
function merge(entries: readonly Entry[]): Entry[] {
  const merged = new Map<string, Entry>()
  for (const entry of entries) {
    const key = [entry.tenant_id, entry.did ?? '', entry.asset_id, entry.type].join('\n')
    merged.set(key, { ...entry, amount: (merged.get(key)?.amount ?? 0n) + entry.amount })
  }
  return [...merged.values()].filter(({ amount }) => amount !== 0n)
}
