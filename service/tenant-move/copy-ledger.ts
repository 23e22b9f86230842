// Accounts, journals and balances. Accounts get new numbers; credit from the operator is opened there, and ended here.
import type { Client } from 'pg'
import { copyRows } from './copy-stream.ts'
import { arrayOf, type Copying, stage, tableNamed } from './copying.ts'
import { listed, type Table } from './tables.ts'

/** A journal has at most 1,024. */
const entries_at_once = 500

const move_kind = 'tenant-move'

/** Journals of these tenants alone: one of the operator stays in the operator's chain. */
export async function copyLedger(copying: Copying): Promise<void> {
  const { source, target, tables, tenant_ids } = copying
  const ids = arrayOf(tenant_ids)
  const own = `tenant_id = ANY(${ids})`
  await clearLedger(target, tenant_ids)
  for (const name of ['assets', 'ledger_journals']) {
    const { columns } = tableNamed(tables, name)
    const to = `"${name}" (${listed(columns)})`
    await copyRows(source, target, { from: `SELECT ${listed(columns)} FROM "${name}" WHERE ${own}`, to })
  }
  const accounts = await stage(copying, tableNamed(tables, 'ledger_accounts'), own)
  const entry_table = tableNamed(tables, 'ledger_entries')
  const of_own = `journal_id IN (SELECT id FROM ledger_journals WHERE ${own})`
  const entries = await stage(copying, entry_table, of_own)
  await addAccounts(target, accounts)
  await addEntries(target, accounts, entries, entry_table)
  await stage(copying, tableNamed(tables, 'ledger_balances'), own)
  await sumBalances(target, tenant_ids)
}

/** Of a tenant that has lived there before. */
async function clearLedger(target: Client, tenant_ids: readonly string[]): Promise<void> {
  await target.query(
    'DELETE FROM ledger_entries e USING ledger_journals j WHERE j.id = e.journal_id AND j.tenant_id = ANY($1)',
    [tenant_ids],
  )
  await target.query('DELETE FROM ledger_journals WHERE tenant_id = ANY($1)', [tenant_ids])
  await target.query('DELETE FROM ledger_fee_sums WHERE tenant_id = ANY($1)', [tenant_ids])
  await target.query('DELETE FROM assets WHERE tenant_id = ANY($1)', [tenant_ids])
}

async function addAccounts(target: Client, accounts: string): Promise<void> {
  // unchecked sql: a temporary table
  await target.query(`
    INSERT INTO ledger_accounts (tenant_id, did, asset_id, type)
    SELECT tenant_id, did, asset_id, type FROM "${accounts}" ORDER BY id ON CONFLICT DO NOTHING`)
  await target.query(`
    INSERT INTO ledger_balances (account_id, tenant_id, type)
    SELECT id, tenant_id, type FROM ledger_accounts a
    WHERE NOT EXISTS (SELECT FROM ledger_balances b WHERE b.account_id = a.id)`)
}

async function addEntries(target: Client, accounts: string, entries: string, table: Table): Promise<void> {
  const others = table.columns.filter((column) => column !== 'account_id' && column !== table.identity)
  // unchecked sql: temporary tables
  await target.query(`
    INSERT INTO ledger_entries (account_id, ${listed(others)})
    SELECT n.id, ${others.map((column) => `e."${column}"`).join(', ')} FROM "${entries}" e
    JOIN "${accounts}" a ON a.id = e.account_id
    JOIN ledger_accounts n ON (n.tenant_id, n.asset_id, n.type, n.did) = (a.tenant_id, a.asset_id, a.type, a.did) ORDER BY e.n`)
}

async function sumBalances(target: Client, tenant_ids: readonly string[]): Promise<void> {
  await target.query(
    `UPDATE ledger_balances b SET balance = coalesce((SELECT sum(e.amount) FROM ledger_entries e WHERE e.account_id = b.account_id), 0)
     WHERE b.tenant_id = ANY($1)`,
    [tenant_ids],
  )
}

interface Difference {
  readonly tenant_id: string
  readonly did: string
  readonly asset_id: string
  readonly type: string
  readonly amount: string
}

/** By how much each account lacks what it had: what journals of the operator had brought. */
const differences_sql = `
  SELECT a.tenant_id, a.did, a.asset_id, a.type, (was.balance - b.balance)::text AS amount
  FROM moving_ledger_balances was JOIN moving_ledger_accounts m ON m.id = was.account_id
  JOIN ledger_accounts a ON (a.tenant_id, a.asset_id, a.type, a.did) = (m.tenant_id, m.asset_id, m.type, m.did)
  JOIN ledger_balances b ON b.account_id = a.id
  WHERE was.balance <> b.balance ORDER BY a.tenant_id, a.asset_id, a.type, a.did`

const balances_sql = `
  SELECT a.tenant_id, a.did, a.asset_id, a.type, (-b.balance)::text AS amount
  FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id JOIN assets s USING (asset_id)
  WHERE a.tenant_id = ANY($1) AND s.tenant_id = $2 AND b.balance <> 0 ORDER BY a.tenant_id, a.asset_id, a.type, a.did`

export interface Posting {
  readonly operator_tenant_id: string
  readonly move_id: string
  readonly at: string
}

/** In the target, with the ledger's own rules: the operator issues there what it has issued in the source. */
export async function openCredit(target: Client, posting: Posting): Promise<void> {
  // unchecked sql: temporary tables
  const { rows } = await target.query<Difference>(differences_sql)
  await post(target, posting, rows)
}

/** In the source: the same amounts go back to the operator's issuance. */
export async function endCredit(
  source: Client,
  posting: Posting,
  tenant_ids: readonly string[],
): Promise<void> {
  const { rows } = await source.query<Difference>(balances_sql, [tenant_ids, posting.operator_tenant_id])
  await post(source, posting, rows)
}

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const chunks = Math.ceil(items.length / entries_at_once)
  return Array.from({ length: chunks }, (_, i) => items.slice(i * entries_at_once, (i + 1) * entries_at_once))
}

async function post(
  client: Client,
  { operator_tenant_id, move_id, at }: Posting,
  differences: readonly Difference[],
): Promise<void> {
  const groups = [
    ...Map.groupBy(differences, ({ tenant_id, asset_id }) => `${tenant_id} ${asset_id}`).values(),
  ]
  const journals = groups.flatMap((group) => chunksOf(group))
  const posted = journals.map((entries) => {
    const { tenant_id, asset_id } = entries[0]!
    const sum = entries.reduce((total, { amount }) => total + BigInt(amount), 0n)
    const issued = {
      tenant_id: operator_tenant_id,
      did: '',
      asset_id,
      type: 'issuance',
      amount: String(-sum),
    }
    return {
      tenant_id: operator_tenant_id,
      kind: move_kind,
      ref: `${move_id} ${tenant_id}`,
      correlation_id: move_id,
      at,
      entries: sum === 0n ? entries : [issued, ...entries],
    }
  })
  if (posted.length === 0) return
  await client.query('SET LOCAL ROLE svc_engine')
  await client.query('SELECT svc_post_journals($1::jsonb)', [JSON.stringify(posted)])
  await client.query('RESET ROLE')
}
