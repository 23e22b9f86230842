// All rows of tenants, in the transaction of the target: triggers and foreign keys are off, and checked at its end instead.
import { escapeLiteral } from 'pg'
import { copyLedger } from './copy-ledger.ts'
import { copyRows } from './copy-stream.ts'
import { arrayOf, type Copying, isLedger, stage, tableNamed } from './copying.ts'
import {
  isPlain,
  listed,
  ofTenants,
  page_tables,
  series_tables,
  shared_tables,
  type Table,
} from './tables.ts'

/** The tenant may have lived there before: what it left is replaced. Its pages are the same. */
export async function clearTarget({ target, tables, tenant_ids }: Copying): Promise<void> {
  for (const { name } of tables) {
    if ((page_tables as readonly string[]).includes(name) || isLedger(name)) continue
    // unchecked sql: a table of the catalogue
    await target.query(`DELETE FROM "${name}" WHERE tenant_id = ANY($1)`, [tenant_ids])
  }
}

export async function copyTenants(copying: Copying): Promise<void> {
  const { source, target, tables, tenant_ids, pages, progress } = copying
  for (const table of tables) {
    if (!isPlain(table)) continue
    progress(`Copying ${table.name}`)
    if (Object.hasOwn(shared_tables, table.name)) await copyShared(copying, table)
    else if (table.identity === undefined) await copyRows(source, target, plainTask(table, tenant_ids))
    else await copyNumbered(copying, table)
  }
  for (const tenant_id of tenant_ids) await copyPages(copying, tenant_id, pages.get(tenant_id) ?? 0)
  await copySeries(copying)
  await copyLedger(copying)
  await copyDocuments(copying)
}

function plainTask({ name, columns }: Table, tenant_ids: readonly string[]) {
  // The head goes on there.
  const selected = columns.map((column) =>
    name === 'chain_heads' && column === 'moved' ? 'false' : `"${column}"`,
  )
  const where = ofTenants(name, arrayOf(tenant_ids))
  return {
    from: `SELECT ${selected.join(', ')} FROM "${name}" WHERE ${where}`,
    to: `"${name}" (${listed(columns)})`,
  }
}

/** What is over between two organizations is there already where the other one moved before. */
async function copyShared(copying: Copying, table: Table): Promise<void> {
  const staged = await stage(copying, table, ofTenants(table.name, arrayOf(copying.tenant_ids)))
  const columns = listed(table.columns)
  // unchecked sql: a table of the catalogue
  await copying.target.query(
    `INSERT INTO "${table.name}" (${columns}) SELECT ${columns} FROM "${staged}" ON CONFLICT DO NOTHING`,
  )
}

/** In the same order, under new numbers. */
async function copyNumbered(copying: Copying, table: Table): Promise<void> {
  const { name, columns, identity } = table
  const staged = await stage(copying, table, ofTenants(name, arrayOf(copying.tenant_ids)))
  const other_columns = listed(columns.filter((column) => column !== identity))
  // unchecked sql: a table of the catalogue
  await copying.target.query(
    `INSERT INTO "${name}" (${other_columns}) SELECT ${other_columns} FROM "${staged}" ORDER BY "${identity}"`,
  )
}

/** From this page on, in the order of pages, up to `until` where it is given. */
export async function copyPages(
  { source, target, tables, progress }: Pick<Copying, 'source' | 'target' | 'tables' | 'progress'>,
  tenant_id: string,
  first: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  for (const name of page_tables) {
    const columns = listed(tableNamed(tables, name).columns)
    const range = `page >= ${first} AND page < ${until}`
    await copyRows(source, target, {
      from: `SELECT ${columns} FROM ${name} WHERE tenant_id = ${escapeLiteral(tenant_id)} AND ${range}`,
      to: `${name} (${columns})`,
    })
  }
  progress(`Copied the log of ${tenant_id} from page ${first}`)
}

/** A series is found by its key; its points follow it to its new number. */
async function copySeries(copying: Copying): Promise<void> {
  const { target, tables, tenant_ids } = copying
  const [series, points] = series_tables.map((name) => tableNamed(tables, name)) as [Table, Table]
  const where = `tenant_id = ANY(${arrayOf(tenant_ids)})`
  await copyNumbered(copying, series)
  const staged = await stage(copying, points, where)
  const others = points.columns.filter((column) => column !== 'series_id')
  // unchecked sql: temporary tables
  await target.query(`
    INSERT INTO metric_point (series_id, ${listed(others)})
    SELECT n.series_id, ${others.map((column) => `p."${column}"`).join(', ')}
    FROM "${staged}" p JOIN moving_metric_series s USING (tenant_id, series_id)
    JOIN metric_series n ON n.tenant_id = s.tenant_id AND n.key = s.key`)
}

/** What its identities published in a bundled identity node. The same documents may be there already. */
async function copyDocuments(copying: Copying): Promise<void> {
  const { source, target, tenant_ids } = copying
  const columns = ['did', 'version', 'revoked', 'document_hash', 'document', 'published_at']
  const table: Table = { name: 'oas_documents', columns, identity: undefined }
  const staged = await stage(
    { source, target },
    table,
    `split_part(did, ':', 3) = ANY(${arrayOf(tenant_ids)})`,
  )
  // unchecked sql: a temporary table
  await target.query(`
    INSERT INTO oas_documents (${listed(columns)}) SELECT ${listed(columns)} FROM "${staged}"
    ON CONFLICT (did) DO UPDATE SET version = excluded.version, revoked = excluded.revoked,
      document_hash = excluded.document_hash, document = excluded.document, published_at = excluded.published_at
    WHERE excluded.version > oas_documents.version`)
}
