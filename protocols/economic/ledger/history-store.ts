// The entries of one account, oldest first, each page behind the last entry of the page before.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { AccountName } from './store.ts'

/** An entry's position in its account. */
export interface EntryPlace {
  readonly at: Date
  readonly n: string
}

export interface AccountEntry {
  readonly n: string
  readonly posted_at: Date
  readonly amount: string
  readonly journal_id: string
  readonly kind: string
  readonly ref: string
  readonly correlation_id: string
}

interface Span {
  readonly from: Date
  readonly until: Date
}

/** The sum of all entries before a time; 0 for an account that does not exist. */
export async function balanceBefore(db: Database, account: AccountName, at: Date): Promise<bigint> {
  const row = await sql<{ balance: string | null }>`
    SELECT sum(e.amount) AS balance FROM ledger_entries e
    WHERE e.account_id = (${accountId(account)}) AND e.posted_at < ${at}`.first(db)
  return BigInt(row?.balance ?? 0)
}

export async function entriesOf(
  db: Database,
  account: AccountName,
  { from, until }: Span,
  after: EntryPlace | undefined,
  limit: number,
): Promise<AccountEntry[]> {
  const start = after ? after.at : from
  // The time is also bounded alone: under row-level security only that uses an index.
  return sql<AccountEntry>`
    WITH page AS MATERIALIZED (SELECT n, posted_at, amount, journal_id FROM ledger_entries
      WHERE account_id = (${accountId(account)}) AND posted_at >= ${start} AND posted_at < ${until}
        AND (posted_at, n) > (${start}, ${after?.n ?? '0'}::bigint)
      ORDER BY posted_at, n LIMIT ${limit})
    SELECT p.n, p.posted_at, p.amount, p.journal_id, j.kind, j.ref, j.correlation_id
    FROM page p JOIN svc_own_journals(ARRAY(SELECT journal_id FROM page)) j ON j.id = p.journal_id
    ORDER BY p.posted_at, p.n`.all(db)
}

/** What its issuer has created of an asset since a time. Locked until this transaction ends, so that two calls do not pass a limit together. */
export async function issuedSince(
  db: Database,
  { tenant_id, asset_id }: Pick<AccountName, 'tenant_id' | 'asset_id'>,
  since: Date,
): Promise<bigint> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`issue|${asset_id}`}, 0))`.execute(db)
  const row = await sql<{ issued: string | null }>`
    SELECT -sum(e.amount) AS issued FROM ledger_entries e
    WHERE e.account_id = (${accountId({ tenant_id, asset_id, type: 'issuance' })}) AND e.posted_at > ${since}
      AND e.amount < 0`.first(db)
  return BigInt(row?.issued ?? 0)
}

function accountId({ tenant_id, did = '', asset_id, type }: AccountName) {
  return sql`SELECT id FROM ledger_accounts
    WHERE tenant_id = ${tenant_id} AND asset_id = ${asset_id} AND type = ${type} AND did = ${did}`
}
