// Distributes an organization's assets: one posting that pays everybody or nobody.
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { usd_asset } from '@svc/contract/money/money'
import {
  keepSettlement,
  type Obligation,
  type SettledLine,
  type StoredContract,
  settledLine,
} from '../contracts/api.ts'
import { type Entry, type Journal, postJournals } from '../ledger/api.ts'
import { type Estate, isHolding, usageRef } from './estate.ts'
import type { Debt } from './estate-claims.ts'
import { keepEnded } from './estate-ending.ts'
import { type Billed, postUsage } from './estate-usage.ts'

/** Below the limit of a journal, leaving room for its other side. */
const entries_max = 1_000

export interface Decided {
  /** `mausoleum://<id>` */
  readonly ref: string
  readonly paid: readonly { readonly ref: string; readonly amount: bigint }[]
  readonly shares: readonly { readonly asset_id: string; readonly did: string; readonly amount: bigint }[]
}

interface Payment {
  readonly debt: Debt
  readonly amount: bigint
  readonly source: SettledLine['source']
}

/** Returns the journals. The estate must have been opened in this transaction. */
export async function payEstate(
  db: Database,
  billed: Billed,
  estate: Estate,
  decided: Decided,
): Promise<string[]> {
  const { tenant_id, now } = billed
  const posting = { tenant_id, correlation_id: billed.newId(), at: now.toISOString() }
  const paid = new Map(decided.paid.map(({ ref, amount }) => [ref, amount]))
  const payments: Payment[] = [
    ...estate.secured.map(({ debt }) => ({ debt, amount: debt.rest, source: 'escrow' as const })),
    ...estate.debts.map((debt) => ({ debt, amount: paid.get(debt.ref) ?? 0n, source: 'available' as const })),
  ].filter(({ amount }) => amount > 0n)
  const usage = paid.get(usageRef(tenant_id)) ?? 0n
  const roll_up = await postUsage(db, billed, usage)
  const secured = estate.secured.map(({ debt, entries }) => ({
    ...posting,
    kind: 'settlement',
    ref: `made://contract/${debt.contract.contract_id}`,
    entries,
  }))
  const divided = divisionOf(tenant_id, estate, decided, payments, usage).map((entries) => ({
    ...posting,
    kind: 'distribution',
    ref: decided.ref,
    entries,
  }))
  const journals: Journal[] = [...secured, ...divided, ...roll_up]
  const journal_ids = await postJournals(db, journals)
  for (const [contract, of_contract] of byContract(payments))
    await keepPaid(db, billed, contract, of_contract, { correlation_id: posting.correlation_id, journal_ids })
  return journal_ids
}

/** One journal per asset, as long as all its accounts fit into one. */
function divisionOf(
  tenant_id: string,
  { accounts }: Estate,
  { shares }: Decided,
  payments: readonly Payment[],
  usage: bigint,
): Entry[][] {
  const credits: Entry[] = [
    ...payments.filter(({ source }) => source === 'available').map(creditOf),
    ...shares.map(({ asset_id, did, amount }) => {
      return { tenant_id: parseDid(did)!.namespace, did, asset_id, type: 'available' as const, amount }
    }),
    { tenant_id, asset_id: usd_asset, type: 'runway' as const, amount: usage },
  ].filter(({ amount }) => amount > 0n)
  const debits = accounts.filter(isHolding).map(({ balance, did, ...account }) => ({
    ...account,
    ...(did && { did }),
    amount: -balance,
  }))
  const assets = [...new Set(debits.map(({ asset_id }) => asset_id))]
  return assets.flatMap((asset_id) => {
    const of = (entries: readonly Entry[]) => entries.filter((entry) => entry.asset_id === asset_id)
    return paged({ tenant_id, asset_id, type: 'available' }, of(debits), of(credits))
  })
}

function creditOf({ debt: { obligation, payee }, amount }: Payment): Entry {
  const { tenant_id, did } = payee
  const { asset_id, credit_to } = obligation
  return credit_to === 'runway'
    ? { tenant_id, asset_id, type: 'runway', amount }
    : { tenant_id, did, asset_id, type: 'available', amount }
}

function paged(
  through: Omit<Entry, 'amount'>,
  debits: readonly Entry[],
  credits: readonly Entry[],
): Entry[][] {
  if (debits.length + credits.length <= entries_max) return [merged([...debits, ...credits])]
  const pages = [...chunks(debits), ...chunks(credits)]
  return pages
    .map((page) =>
      merged([...page, { ...through, amount: -page.reduce((sum, { amount }) => sum + amount, 0n) }]),
    )
    .filter(({ length }) => length > 0)
}

function chunks(entries: readonly Entry[]): Entry[][] {
  const pages = Math.ceil(entries.length / entries_max)
  return Array.from({ length: pages }, (_, page) =>
    entries.slice(page * entries_max, (page + 1) * entries_max),
  )
}

function merged(entries: readonly Entry[]): Entry[] {
  const sums = new Map<string, Entry>()
  for (const entry of entries) {
    const key = [entry.tenant_id, entry.did ?? '', entry.asset_id, entry.type].join('\n')
    sums.set(key, { ...entry, amount: (sums.get(key)?.amount ?? 0n) + entry.amount })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

function byContract(payments: readonly Payment[]): Map<StoredContract, Payment[]> {
  return Map.groupBy(payments, ({ debt }) => debt.contract)
}

/** Final at once: the payer will no longer exist to reverse anything. */
async function keepPaid(
  db: Database,
  { now, newId }: Billed,
  contract: StoredContract,
  payments: readonly Payment[],
  {
    correlation_id,
    journal_ids,
  }: { readonly correlation_id: string; readonly journal_ids: readonly string[] },
): Promise<void> {
  const lines = payments.map(({ debt: { obligation }, amount, source }) => {
    return { ...settledLine(contract, obligation, amount, false), source }
  })
  const settlement_id = newId()
  await keepSettlement(db, contract, {
    settlement_id,
    settled_by: 'engine',
    lines,
    journal_ids,
    rail_reference: null,
    state: 'FINAL',
    consents: [],
    posted_at: now,
    final_at: now,
  })
  const changed = payments.map(({ debt: { obligation }, amount }) => paidOf(obligation, amount, now))
  const settled = lines.map(({ obligation_id, asset_id, amount }) => {
    return { obligation_id, asset_id, amount: String(amount), fee: '0' }
  })
  await keepEnded(db, contract, changed, { now, newId }, { correlation_id, meta: { settlement_id, settled } })
}

function paidOf(obligation: Obligation, amount: bigint, now: Date): Obligation {
  const settled = obligation.settled + amount
  return settled === obligation.amount
    ? { ...obligation, settled, ended: 'SETTLED', ended_at: now }
    : { ...obligation, settled }
}
