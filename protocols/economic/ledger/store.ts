// Posts to the ledger and reads from it. The database enforces the rules; its errors become refusals here.

import type { Database } from '@svc/contract/database'
import { type AccountType, usd_asset } from '@svc/contract/money/money'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { assetHash, definitionOf } from './asset.ts'
import { ledger_faults } from './rules.ts'

/** Without a DID, the organization's own account. */
export interface AccountName {
  readonly tenant_id: string
  readonly did?: string
  readonly asset_id: string
  readonly type: AccountType
}

/** Never 0. */
export interface Entry extends AccountName {
  readonly amount: bigint
}

export interface Journal {
  /** The tenant whose call posts it; the journal joins its chain. */
  readonly tenant_id: string
  readonly kind: string
  readonly ref: string
  readonly correlation_id: string
  readonly at: string
  readonly entries: readonly Entry[]
}

/** Returns the journal's id. Refuses `insufficient funds` if a balance would become negative. */
export async function postJournal(db: Database, journal: Journal): Promise<string> {
  const [id] = await postJournals(db, [journal])
  return id!
}

/** All or none, in one round trip. A transaction that posts only once cannot deadlock with another. */
export async function postJournals(db: Database, journals: readonly Journal[]): Promise<string[]> {
  if (journals.length === 0) return []
  const posted = journals.map(({ entries, ...journal }) => ({
    ...journal,
    entries: entries.map((entry) => ({ ...entry, amount: String(entry.amount) })),
  }))
  try {
    const row = await sql<{ ids: string[] }>`
      SELECT svc_post_journals(${JSON.stringify(posted)}::jsonb) AS ids`.first(db)
    return row!.ids
  } catch (error) {
    throw inSentences(error, journals[0]!.tenant_id) ?? error
  }
}

/** As posting for all of them does first: nobody else posts for these until this transaction ends. */
export async function lockLedgers(db: Database, posters: readonly string[]): Promise<void> {
  await sql`
    SELECT pg_advisory_xact_lock(hashtextextended('ledger/' || poster, 0))
    FROM (SELECT DISTINCT poster FROM unnest(${[...posters]}::text[]) AS given(poster) ORDER BY 1) AS posters`.execute(
    db,
  )
}

/** Under the application's role another tenant's account returns 0, like a missing one. */
export async function balanceOf(
  db: Database,
  { tenant_id, did = '', asset_id, type }: AccountName,
): Promise<bigint> {
  const row = await sql<{ balance: string }>`
    SELECT b.balance FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
    WHERE a.tenant_id = ${tenant_id} AND a.asset_id = ${asset_id} AND a.type = ${type} AND a.did = ${did}`.first(
    db,
  )
  return BigInt(row?.balance ?? 0)
}

/** Available to a holder of any organization, by asset; never to be shown. Locks the poster's ledger, as a posting does. */
export async function availableTo(
  db: Database,
  holder: { readonly tenant_id: string; readonly did: string },
  asset_ids: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await sql<{ asset_id: string; balance: string }>`
    SELECT asset_id, balance FROM svc_available(${JSON.stringify({ ...holder, asset_ids })}::jsonb)`.all(db)
  const balances = new Map(rows.map(({ asset_id, balance }) => [asset_id, BigInt(balance)]))
  return new Map(asset_ids.map((asset_id) => [asset_id, balances.get(asset_id) ?? 0n]))
}

export interface Balance extends AccountName {
  readonly balance: bigint
}

/** Several accounts in one round trip; unused or invisible ones are left out. */
export async function balancesOf(db: Database, accounts: readonly AccountName[]): Promise<Balance[]> {
  const keys = accounts.map(({ tenant_id, did = '', asset_id, type }) => ({
    tenant_id,
    did,
    asset_id,
    type,
  }))
  const rows = await sql<AccountName & { did: string; balance: string }>`
    SELECT DISTINCT a.tenant_id, a.did, a.asset_id, a.type, b.balance
    FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
      AS named(tenant_id text, did text, asset_id text, type text)
    JOIN ledger_accounts a USING (tenant_id, did, asset_id, type) JOIN ledger_balances b ON b.account_id = a.id
    ORDER BY a.tenant_id, a.did, a.asset_id, a.type`.all(db)
  return rows.map(({ did, balance, ...account }) => ({
    ...account,
    ...(did && { did }),
    balance: BigInt(balance),
  }))
}

const usd = definitionOf({
  asset_id: usd_asset,
  kind: 'fiat',
  rail: 'internal',
  denomination: 'USD',
  settlement_finality_seconds: 0,
})

/** Ensures that the operator's currency exists. Runs as the engine's role at each start. */
export async function ensureUsd(db: Database, operator_tenant_id: string): Promise<void> {
  // Another organization may become the operator only while nothing has been issued.
  await sql`
    INSERT INTO assets (asset_id, tenant_id, asset_hash, kind, rail, code, decimals, finality_s, lot_size, tick_size,
      published_by, published_at)
    VALUES (${usd_asset}, ${operator_tenant_id}, ${assetHash(usd)}, 'fiat', 'internal', 'USD', 6, 0, 1, 1,
      'engine', now())
    ON CONFLICT (asset_id) DO UPDATE SET tenant_id = excluded.tenant_id
    WHERE assets.tenant_id <> excluded.tenant_id AND NOT EXISTS (
      SELECT FROM ledger_accounts WHERE asset_id = ${usd_asset} AND type = 'issuance')`.execute(db)
}

export interface PaidIn {
  readonly tenant_id: string
  readonly operator_tenant_id: string
  readonly micro_usd: bigint
  readonly kind: string
  readonly ref: string
  readonly correlation_id: string
  readonly at: string
}

/** From the operator's issuance: paying in creates the money. */
export function payIntoRunway(db: Database, paid: PaidIn): Promise<string> {
  const { tenant_id, operator_tenant_id, micro_usd, kind, ref, correlation_id, at } = paid
  return postJournal(db, {
    tenant_id: operator_tenant_id,
    kind,
    ref,
    correlation_id,
    at,
    entries: [
      { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'issuance', amount: -micro_usd },
      { tenant_id, asset_id: usd_asset, type: 'runway', amount: micro_usd },
    ],
  })
}

interface Short {
  readonly tenant_id: string
  readonly did: string
  readonly asset_id: string
  readonly type: AccountType
  readonly balance: string
  readonly amount: string
  readonly max_supply: string | null
}

/** Undefined if no rule of the ledger failed: then the error is a bug. */
function inSentences(error: unknown, poster: string): Refusal | undefined {
  const { code, detail } = error as { code?: string; detail?: string }
  if (code === ledger_faults.insufficient_funds) return insufficientFunds(JSON.parse(detail!), poster)
  const { asset_id, max_supply } = JSON.parse(detail?.startsWith('{') ? detail : '{}') as Short
  if (code === ledger_faults.max_supply)
    return refuse(
      'policy_denied',
      `No more than ${max_supply} of ${asset_id} may ever be issued; pay less.`,
      {
        reason: 'max supply reached',
        asset_id,
        max_supply,
      },
    )
  if (code === ledger_faults.unknown_asset)
    return refuse('policy_denied', `There is no asset ${asset_id}; publish it, or name another.`, {
      reason: 'unknown asset',
      asset_id,
    })
  if (code === ledger_faults.not_issuer)
    return refuse('policy_denied', `Only who published ${asset_id} can issue it; pay from what you hold.`, {
      reason: 'not the issuer',
      asset_id,
    })
  if (code === ledger_faults.sealed)
    return refuse(
      'policy_denied',
      'The payee was dissolved and its audit log is sealed; pay its heirs instead.',
      { reason: 'organization sealed', denying_policy: 'MAUSOLEUM' },
    )
  return undefined
}

/** Does not reveal another tenant's balance: only that it is insufficient. */
export function insufficientFunds(
  { tenant_id, did, asset_id, type, balance, amount }: Omit<Short, 'max_supply'>,
  poster: string,
): Refusal {
  const needed = String(-BigInt(amount))
  const own = tenant_id === poster
  const holder = did || tenant_id
  return refuse(
    'policy_denied',
    own
      ? `The account has ${balance} of ${asset_id} ${type} and needs ${needed}; pay in first, or ask for less.`
      : `The account does not have ${needed} of ${asset_id} ${type}; ask for less, or wait until it does.`,
    { reason: 'insufficient funds', asset_id, account: type, holder, needed, ...(own && { balance }) },
  )
}

export interface SummedBalance {
  readonly asset_id: string
  readonly type: AccountType
  readonly balance: string
  readonly accounts: number
}

/** A tenant's balances of some assets: all, or only its own account and one identity's. */
export async function sumBalances(
  db: Database,
  tenant_id: string,
  asset_ids: readonly string[],
  only_did: string | undefined,
): Promise<SummedBalance[]> {
  return sql<SummedBalance>`
    SELECT a.asset_id, a.type, sum(b.balance) AS balance, count(*)::int AS accounts
    FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
    WHERE a.tenant_id = ${tenant_id} AND a.asset_id = ANY(${[...asset_ids]}::text[]) ${seenBy(only_did)}
    GROUP BY a.asset_id, a.type ORDER BY a.asset_id, a.type`.all(db)
}

/** The non-empty accounts of one asset, largest first. */
export async function accountsIn(
  db: Database,
  tenant_id: string,
  asset_id: string,
  only_did: string | undefined,
  limit: number,
): Promise<{ readonly did: string; readonly type: AccountType; readonly balance: string }[]> {
  return sql<{ did: string; type: AccountType; balance: string }>`
    SELECT a.did, a.type, b.balance FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
    WHERE a.tenant_id = ${tenant_id} AND a.asset_id = ${asset_id} AND b.balance <> 0 ${seenBy(only_did)}
    ORDER BY abs(b.balance) DESC, a.did, a.type LIMIT ${limit}`.all(db)
}

function seenBy(only_did: string | undefined) {
  return only_did === undefined ? sql`` : sql`AND a.did IN ('', ${only_did})`
}
