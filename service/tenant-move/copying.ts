// What a copy works on, and rows that are copied beside their table first.
import { type Client, escapeLiteral } from 'pg'
import { copyRows } from './copy-stream.ts'
import { listed, log_tables, type Table } from './tables.ts'

export interface Copying {
  readonly source: Client
  readonly target: Client
  readonly tables: readonly Table[]
  readonly tenant_ids: readonly string[]
  /** Of each tenant, how many pages of its log are there already. */
  readonly pages: ReadonlyMap<string, number>
  progress(text: string): void
}

export function arrayOf(tenant_ids: readonly string[]): string {
  return `ARRAY[${tenant_ids.map(escapeLiteral).join(', ')}]::text[]`
}

export function tableNamed(tables: readonly Table[], name: string): Table {
  const table = tables.find((one) => one.name === name)
  if (!table) throw new Error(`there is no table ${name}`)
  return table
}

/** Copied beside the table first, where numbers do not matter. */
export async function stage(
  { source, target }: Pick<Copying, 'source' | 'target'>,
  { name, columns }: Table,
  where: string,
): Promise<string> {
  const staged = `moving_${name}`
  // unchecked sql: a temporary table like one of the catalogue
  await target.query(
    `CREATE TEMP TABLE "${staged}" ON COMMIT DROP AS SELECT ${listed(columns)} FROM "${name}" WITH NO DATA`,
  )
  await copyRows(source, target, {
    from: `SELECT ${listed(columns)} FROM "${name}" WHERE ${where}`,
    to: `"${staged}" (${listed(columns)})`,
  })
  return staged
}

export function isLedger(name: string): boolean {
  return name.startsWith('ledger_') || name === 'assets'
}

export function isLog(name: string): boolean {
  return (log_tables as readonly string[]).includes(name)
}
