// Renews the envelopes in the database, some blocks of a column at a time: what they open stays as it is. A kill loses at most the batch
// that was under way.
import { envelope_bytes, envelopeHead, type RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

const blocks_per_batch = 64
/** Of an envelope, in base64 without padding. */
const envelope_chars = (envelope_bytes / 3) * 4
const head_chars = 8
/** Of the largest part, where a table has parts: a batch takes the same blocks of each. */
const blocks_of = sql`(1 + coalesce((SELECT max(pg_relation_size(relid)) FROM pg_partition_tree(relation::regclass)),
  pg_relation_size(relation::regclass)) / current_setting('block_size')::bigint)`

export interface SealedColumn {
  readonly relation: string
  readonly column_name: string
  /** `bytea`, `text` or `jsonb`. */
  readonly type: string
  readonly next_block: number
  readonly blocks: number
  readonly resealed: number
}

export interface Resealed {
  readonly resealed: number
  /** Altered ones, which the old key does not open either. */
  readonly unopened: number
}

/** One batch; the sums once a last look at every column has found nothing that the old key opens. */
export async function resealBatch(
  db: Database,
  root_keys: RootKeys,
  old_version: number,
): Promise<Resealed | undefined> {
  const columns = await listColumns(db)
  const next = columns.find(({ next_block, blocks }) => next_block < blocks)
  if (next) {
    await resealBlocks(db, root_keys, old_version, next)
    return undefined
  }
  const unopened = await lookThrough(db, root_keys, old_version, columns)
  if (unopened === undefined) return undefined
  return { resealed: columns.reduce((sum, { resealed }) => sum + resealed, 0), unopened }
}

/** Every sealed column with its progress; begun ones are measured once. */
async function listColumns(db: Database): Promise<SealedColumn[]> {
  await sql`
    INSERT INTO reseal_progress (relation, column_name, next_block, blocks, resealed)
    SELECT relation, column_name, 0, ${blocks_of}, 0 FROM sealed_columns
    ON CONFLICT DO NOTHING`.execute(db)
  return await progressOf(db)
}

export async function progressOf(db: Database): Promise<SealedColumn[]> {
  const rows = await sql<Record<'next_block' | 'blocks' | 'resealed', string> & Named>`
    SELECT relation, column_name, format_type(atttypid, NULL) AS type, next_block, blocks, resealed
    FROM reseal_progress JOIN pg_attribute ON attrelid = relation::regclass AND attname = column_name
    ORDER BY relation, column_name`.all(db)
  return rows.map(({ relation, column_name, type, ...counts }) => ({
    relation,
    column_name,
    type,
    next_block: Number(counts.next_block),
    blocks: Number(counts.blocks),
    resealed: Number(counts.resealed),
  }))
}

type Named = Pick<SealedColumn, 'relation' | 'column_name' | 'type'>

/** Nothing that the old key opens is left: else the columns are gone through again. Undefined then. */
async function lookThrough(
  db: Database,
  root_keys: RootKeys,
  old_version: number,
  columns: readonly SealedColumn[],
): Promise<number | undefined> {
  let unopened = 0
  let is_clean = true
  for (const column of columns) {
    const rows = await rowsWith(db, old_version, column)
    const renewed = rows.map(({ value }) => renew(root_keys, old_version, value))
    unopened += renewed.reduce((sum, one) => sum + one.unopened, 0)
    if (renewed.every((one) => one.renewed === 0)) continue
    is_clean = false
    const { relation, column_name } = column
    await sql`
      UPDATE reseal_progress SET next_block = 0, blocks = ${blocks_of}
      WHERE relation = ${relation} AND column_name = ${column_name}`.execute(db)
  }
  return is_clean ? unopened : undefined
}

async function resealBlocks(
  db: Database,
  root_keys: RootKeys,
  old_version: number,
  column: SealedColumn,
): Promise<void> {
  const { relation, column_name, next_block, blocks } = column
  // The last batch has no end: the table may have grown meanwhile.
  const to = next_block + blocks_per_batch
  const rows = await rowsWith(db, old_version, column, { from: next_block, to: to < blocks ? to : undefined })
  let resealed = 0
  for (const row of rows) {
    const { value, renewed } = renew(root_keys, old_version, row.value)
    if (renewed > 0 && (await replace(db, column, row, value))) resealed += renewed
  }
  await sql`
    UPDATE reseal_progress SET next_block = ${Math.min(to, blocks)}, resealed = resealed + ${resealed}
    WHERE relation = ${relation} AND column_name = ${column_name}`.execute(db)
}

interface SealedRow {
  readonly place: string
  readonly value: Buffer | string
}

/** Of the rows that name the old version: the envelope where it comes first, or the whole text. */
async function rowsWith(
  db: Database,
  old_version: number,
  { relation, column_name, type }: Named,
  blocks?: { readonly from: number; readonly to: number | undefined },
): Promise<SealedRow[]> {
  const column = nameOf(column_name)
  const head = envelopeHead(old_version)
  const is_text = type !== 'bytea'
  const value = is_text ? `${column}::text` : `substr(${column}, 1, ${envelope_bytes})`
  const names_it = is_text
    ? `(position($1 IN ${column}::text) > 0 OR position($2 IN ${column}::text) > 0)`
    : `substr(${column}, 1, ${head.length}) IN ($1, $2)`
  const from = blocks ? `AND ctid >= '(${Number(blocks.from)},0)'::tid` : ''
  const to = blocks?.to === undefined ? '' : `AND ctid < '(${Number(blocks.to)},0)'::tid`
  const text = `SELECT ctid::text AS place, ${value} AS value FROM ${nameOf(relation)} WHERE ${names_it} ${from} ${to}`
  const values = is_text ? [head.toString('base64'), head.toString('base64url')] : [head, head]
  // Its names are from sealed_columns, which only migrations fill.
  return (await db.execute<SealedRow>({ text, values })).rows
}

/** False where somebody else changed the row meanwhile: then it is found again later. */
async function replace(
  db: Database,
  { relation, column_name, type }: Named,
  { place, value: before }: SealedRow,
  value: Buffer | string,
): Promise<boolean> {
  const column = nameOf(column_name)
  const text =
    typeof value === 'string'
      ? `UPDATE ${nameOf(relation)} SET ${column} = $1::${type} WHERE ctid = $2::tid AND ${column}::text = $3`
      : `UPDATE ${nameOf(relation)} SET ${column} = $1::bytea || substr(${column}, ${envelope_bytes + 1})
         WHERE ctid = $2::tid AND substr(${column}, 1, ${envelope_bytes}) = $3`
  // Its names are from sealed_columns, which only migrations fill.
  const { numAffectedRows } = await db.execute({ text, values: [value, place, before] })
  return numAffectedRows === 1n
}

function nameOf(name: string): string {
  return sql.ref(name).statement().text
}

interface Renewed {
  readonly value: Buffer | string
  readonly renewed: number
  readonly unopened: number
}

function renew(root_keys: RootKeys, old_version: number, value: Buffer | string): Renewed {
  if (typeof value !== 'string') {
    const envelope = renewed(root_keys, value)
    return { value: envelope ?? value, renewed: envelope ? 1 : 0, unopened: envelope ? 0 : 1 }
  }
  let count = 0
  let unopened = 0
  const text = value.replace(envelopesIn(old_version), (envelope_text) => {
    const envelope = renewed(root_keys, Buffer.from(envelope_text, 'base64'))
    if (!envelope) {
      unopened++
      return envelope_text
    }
    count++
    return envelope.toString(/[-_]/.test(envelope_text) ? 'base64url' : 'base64')
  })
  return { value: text, renewed: count, unopened }
}

function renewed(root_keys: RootKeys, envelope: Buffer): Buffer | undefined {
  let key: Buffer
  try {
    key = root_keys.unwrap(envelope)
  } catch {
    return undefined
  }
  return root_keys.wrap(key)
}

function envelopesIn(version: number): RegExp {
  const head = envelopeHead(version).toString('base64').replace(/[+]/g, '[-+]').replace(/[/]/g, '[_/]')
  return new RegExp(`${head}[A-Za-z0-9+/_-]{${envelope_chars - head_chars}}`, 'g')
}
