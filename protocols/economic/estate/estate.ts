// The estate of an organization: its assets, the order of creditors, and what blocks the distribution.

import type { Database } from '@svc/contract/database'
import { type AccountType, usd_asset } from '@svc/contract/money/money'
import { tenant_setting } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { entriesOfLine, findContract, type StoredContract, settledLine } from '../contracts/api.ts'
import type { Entry } from '../ledger/api.ts'
import { lockUsage } from '../usage/api.ts'
import { type Debt, debtsOf, openContracts, waitingFor } from './estate-claims.ts'
import { keysOfSigners, type Transfer, transferable } from './estate-novation.ts'
import { type Owing, usageOwed } from './estate-usage.ts'

export const ranks = { award: 1, invoice: 2, contract: 3 } as const
export type Rank = (typeof ranks)[keyof typeof ranks]

/** A party that is paid before the heirs. */
export interface Creditor {
  readonly rank: Rank
  readonly ref: string
  readonly tenant_id: string
  readonly asset_id: string
  readonly amount: bigint
}

export interface Account {
  readonly tenant_id: string
  readonly did: string
  readonly asset_id: string
  readonly type: AccountType
  balance: bigint
}

export interface Estate {
  readonly contracts: readonly StoredContract[]
  readonly accounts: readonly Account[]
  /** Paid from their escrow, before anything is distributed. */
  readonly secured: readonly { readonly debt: Debt; readonly entries: readonly Entry[] }[]
  readonly debts: readonly Debt[]
  readonly creditors: readonly Creditor[]
  /** What can be distributed, by asset. */
  readonly holdings: ReadonlyMap<string, bigint>
  /** Why nothing can be distributed yet: someone must act first. */
  readonly waiting: readonly string[]
  /** Amounts that open orders and agreements reserve. */
  readonly put_aside: readonly string[]
}

export interface Wishes {
  /** Contracts that execute a ruling. */
  readonly awards: ReadonlySet<string>
  /** Obligations transferred to another party instead of paid, if all who must have agreed. */
  readonly transfers: readonly Transfer[]
}

/** Issuance is not an asset: it is the counterpart of what others hold. */
const holding_types: readonly AccountType[] = ['available', 'runway', 'fees', 'revenue']
const accounts_max = 100_000

/** Locks everything that binds it until the transaction ends, except the ledger. */
export async function openEstate(db: Database, billed: Owing, wishes: Wishes): Promise<Estate> {
  const contracts = await openContracts(db, billed.tenant_id)
  await lockUsage(db, billed.tenant_id)
  return await estateOf(db, billed, wishes, contracts)
}

/** The same without locks, for reading. */
export async function viewEstate(db: Database, billed: Owing, wishes: Wishes): Promise<Estate> {
  return await estateOf(db, billed, wishes, await openContracts(db, billed.tenant_id, findContract))
}

async function estateOf(
  db: Database,
  billed: Owing,
  { awards, transfers }: Wishes,
  contracts: readonly StoredContract[],
): Promise<Estate> {
  const { tenant_id } = billed
  const all = debtsOf(contracts)
  const keys = await keysOfSigners(db, all, transfers, 'ever')
  const transferred = transferable(all, transfers, tenant_id, keys)
  const outgoing = all.filter(
    ({ ref, payer, payee }) =>
      payer.tenant_id === tenant_id && payee.tenant_id !== tenant_id && !transferred.has(ref),
  )
  const { ready, waiting } = await split(db, tenant_id, outgoing)
  const accounts = await accountsOf(db, tenant_id)
  const secured = ready
    .filter(({ contract }) => contract.escrow)
    .map((debt) => ({ debt, entries: fromEscrow(debt, billed) }))
  for (const { entries } of secured) apply(accounts, tenant_id, entries)
  const debts = ready.filter(({ contract }) => !contract.escrow)
  const owed = await usageOwed(db, tenant_id)
  return {
    contracts,
    accounts,
    secured,
    debts,
    creditors: creditorsOf(debts, owed, billed, awards),
    holdings: holdingsOf(accounts),
    waiting,
    put_aside: putAside(accounts),
  }
}

async function split(
  db: Database,
  tenant_id: string,
  debts: readonly Debt[],
): Promise<{ ready: Debt[]; waiting: string[] }> {
  // Trades are visible only to their participants.
  await sql`SELECT set_config(${tenant_setting}, ${tenant_id}, true)`.execute(db)
  const paid_now = new Set(debts.map(({ ref }) => ref))
  const ready: Debt[] = []
  const waiting: string[] = []
  for (const debt of debts) {
    const reason = await waitingFor(db, debt, paid_now)
    if (reason === undefined) ready.push(debt)
    else waiting.push(`${debt.ref} waits for ${reason}`)
  }
  return { ready, waiting }
}

/** Without a fee: the distribution must not reduce what creditors get. */
function fromEscrow({ contract, obligation, rest }: Debt, { operator_tenant_id }: Owing): Entry[] {
  return entriesOfLine(
    contract,
    obligation,
    settledLine(contract, obligation, rest, false),
    operator_tenant_id,
  )
}

async function accountsOf(db: Database, tenant_id: string): Promise<Account[]> {
  const rows = await sql<Omit<Account, 'balance'> & { balance: string }>`
    SELECT a.tenant_id, a.did, a.asset_id, a.type, b.balance
    FROM ledger_balances b JOIN ledger_accounts a ON a.id = b.account_id
    WHERE b.tenant_id = ${tenant_id} AND b.balance <> 0 AND b.type <> 'issuance'
    ORDER BY a.asset_id, a.type, a.did LIMIT ${accounts_max}`.all(db)
  return rows.map((row) => ({ ...row, balance: BigInt(row.balance) }))
}

function apply(accounts: Account[], own: string, entries: readonly Entry[]): void {
  for (const { tenant_id, did = '', asset_id, type, amount } of entries) {
    if (tenant_id !== own) continue
    const account_of_entry = accounts.find(
      (account) => account.did === did && account.asset_id === asset_id && account.type === type,
    )
    if (account_of_entry) account_of_entry.balance += amount
    else accounts.push({ tenant_id, did, asset_id, type, balance: amount })
  }
}

function creditorsOf(
  debts: readonly Debt[],
  usage: bigint,
  { tenant_id, operator_tenant_id }: Owing,
  awards: Wishes['awards'],
): Creditor[] {
  const contractual = debts.map(({ ref, contract, obligation, payee, rest }) => ({
    rank: awards.has(contract.contract_id) ? ranks.award : ranks.contract,
    ref,
    tenant_id: payee.tenant_id,
    asset_id: obligation.asset_id,
    amount: rest,
  }))
  const invoiced = {
    rank: ranks.invoice,
    ref: usageRef(tenant_id),
    tenant_id: operator_tenant_id,
    asset_id: usd_asset,
    amount: usage,
  }
  return [...contractual, ...(usage > 0n ? [invoiced] : [])].sort((a, b) => a.rank - b.rank)
}

export function usageRef(tenant_id: string): string {
  return `meal://usage/${tenant_id}`
}

export function isHolding({ type, balance }: Account): boolean {
  return balance !== 0n && holding_types.includes(type)
}

function holdingsOf(accounts: readonly Account[]): Map<string, bigint> {
  const holdings = new Map<string, bigint>()
  for (const account of accounts.filter(isHolding))
    holdings.set(account.asset_id, (holdings.get(account.asset_id) ?? 0n) + account.balance)
  return holdings
}

function putAside(accounts: readonly Account[]): string[] {
  return accounts
    .filter((account) => account.balance !== 0n && !holding_types.includes(account.type))
    .map(({ asset_id, type, did, balance }) => `${did} still has ${balance} of ${asset_id} in ${type}`)
}

/** False for a sealed organization. */
export async function hasBalances(db: Database, tenant_id: string): Promise<boolean> {
  return sql`
    SELECT FROM ledger_balances WHERE tenant_id = ${tenant_id} AND balance <> 0 AND type <> 'issuance'
    LIMIT 1`.exists(db)
}
