// What is checked in the target before its transaction commits: that everything is there, refers to what is there, and is what was signed.
import { checkLog } from '@svc/audit/archive/check-log'
import type { PageStore } from '@svc/audit/archive/page-store'
import { currentKeys, openSalt } from '@svc/audit/chain/keys'
import { clientQuery } from '@svc/audit/query/client-query'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Client } from 'pg'
import { ConfigError } from '../settings/config-error.ts'
import { databaseOn } from './connections.ts'
import { type Copying, isLedger } from './copying.ts'
import { ofTenants } from './tables.ts'

export interface Checked {
  readonly rows: number
  readonly records: number
}

export async function verifyCopy(
  copying: Copying,
  root_keys: RootKeys,
  archive: PageStore | undefined,
): Promise<Checked> {
  const rows = await compareCounts(copying)
  await requireReferences(copying)
  await requireBalances(copying.target)
  await requireKeys(copying, root_keys)
  let records = 0
  for (const tenant_id of copying.tenant_ids) {
    copying.progress(`Verifying the log of ${tenant_id}`)
    const checked = await checkLog(databaseOn(copying.target), archive, tenant_id)
    if (checked.first_bad_seq !== undefined || checked.unreadable.length > 0)
      throw failure(
        `record ${checked.first_bad_seq ?? 'in the archive'} of the log of ${tenant_id} does not verify`,
      )
    records += checked.records
  }
  return { rows, records }
}

/** Each table by itself, so that none is forgotten. */
async function compareCounts({ source, target, tables, tenant_ids }: Copying): Promise<number> {
  let rows = 0
  for (const { name } of tables) {
    if (isLedger(name)) continue
    const count = async (client: Client) => {
      // unchecked sql: a table of the catalogue
      const { rows } = await client.query<{ n: string }>(
        `SELECT count(*) AS n FROM "${name}" WHERE ${ofTenants(name, '$1')}`,
        [tenant_ids],
      )
      return Number(rows[0]!.n)
    }
    const [there, here] = [await count(source), await count(target)]
    if (there !== here) throw failure(`${name} has ${here} rows instead of ${there}`)
    rows += here
  }
  return rows
}

const references_sql = `
  SELECT o.conrelid::regclass::text AS child, o.confrelid::regclass::text AS parent, o.conname AS name,
    (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(o.conkey) WITH ORDINALITY k(attnum, n)
      JOIN pg_attribute a ON a.attrelid = o.conrelid AND a.attnum = k.attnum) AS columns,
    (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(o.confkey) WITH ORDINALITY k(attnum, n)
      JOIN pg_attribute a ON a.attrelid = o.confrelid AND a.attnum = k.attnum) AS keys
  FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
  WHERE o.contype = 'f' AND o.conparentid = 0 AND c.relnamespace = 'public'::regnamespace`

interface Reference {
  readonly child: string
  readonly parent: string
  readonly name: string
  readonly columns: readonly string[]
  readonly keys: readonly string[]
}

/** Foreign keys were off while rows were copied. */
async function requireReferences({ target, tables, tenant_ids }: Copying): Promise<void> {
  const { rows } = await target.query<Reference>(references_sql)
  for (const { child, parent, name, columns, keys } of rows) {
    if (!tables.some((table) => table.name === child)) continue
    const present = columns.map((column) => `r."${column}" IS NOT NULL`).join(' AND ')
    const same = columns.map((column, i) => `p."${keys[i]}" = r."${column}"`).join(' AND ')
    // unchecked sql: a foreign key of the catalogue
    const orphans = await target.query<{ n: string }>(
      `SELECT count(*) AS n FROM ${child} r WHERE (${ofTenants(child, '$1')}) AND ${present}
       AND NOT EXISTS (SELECT FROM ${parent} p WHERE ${same})`,
      [tenant_ids],
    )
    const n = Number(orphans.rows[0]!.n)
    if (n > 0) throw failure(`${n} rows of ${child} refer to rows of ${parent} that did not move (${name})`)
  }
}

/** Every account has what it had in the source. */
async function requireBalances(target: Client): Promise<void> {
  // unchecked sql: temporary tables
  const { rows } = await target.query<{ account: string; was: string; is: string | null }>(`
    SELECT concat_ws(' ', m.tenant_id, m.did, m.asset_id, m.type) AS account, was.balance AS was, b.balance AS is
    FROM moving_ledger_balances was JOIN moving_ledger_accounts m ON m.id = was.account_id
    LEFT JOIN ledger_accounts a ON (a.tenant_id, a.asset_id, a.type, a.did) = (m.tenant_id, m.asset_id, m.type, m.did)
    LEFT JOIN ledger_balances b ON b.account_id = a.id
    WHERE b.balance IS DISTINCT FROM was.balance LIMIT 1`)
  const [wrong] = rows
  if (wrong)
    throw failure(`the account ${wrong.account} has ${wrong.is ?? 'nothing'} instead of ${wrong.was}`)
}

/** What was moved opens with the root keys of the target. */
async function requireKeys({ target, tenant_ids }: Copying, root_keys: RootKeys): Promise<void> {
  const query = clientQuery(target)
  await currentKeys(query, root_keys, tenant_ids)
  const salts = await query<{ tenant_id: string; sealed: Buffer }>(
    'SELECT tenant_id, sealed FROM audit_salts WHERE tenant_id = ANY($1)',
    [tenant_ids],
  )
  for (const { tenant_id, sealed } of salts) openSalt(root_keys, tenant_id, sealed)
}

function failure(what: string): ConfigError {
  return new ConfigError(
    `The copy was not accepted: ${what}. Nothing was moved and the tenant still lives here; try again, or take it back with --back-out.`,
  )
}
