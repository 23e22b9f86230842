// Brings a database up to the code: forward only, one transaction per migration, one migrator at a time.
import type { Migration } from '@svc/database/migration'
import {
  arriving_options,
  explainPooler,
  refuseUnfitServer,
  requirePrimary,
} from '@svc/database/server-check'
import { DatabaseError, Pool, type PoolClient } from 'pg'

/** An engine that starts beside a busy database waits for it. */
const connect_timeout_ms = 30_000
const insufficient_privilege = '42501'
/** From the library used before, like its table's name: an older version may migrate at the same time. */
const lock_key = '3853314791062309107'
/** Of 0.10 (a row for each record, and for each call's usage) and of builds after it whose pages have other keys or one table. */
export const replaced = [
  '2026-11-15-10-audit-book',
  '2026-11-15-94-metering',
  '2026-11-15-10-audit-log',
  '2026-11-15-10-audit-pages',
]
const lock_ms_max = 3_600_000
/** `requires` is empty where any engine goes on; null in rows of builds that did not say. */
export const create_table = `CREATE TABLE IF NOT EXISTS kysely_migration
  (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL);
  ALTER TABLE kysely_migration ADD COLUMN IF NOT EXISTS requires text;
  ALTER TABLE kysely_migration ADD COLUMN IF NOT EXISTS later_left integer NOT NULL DEFAULT 0`
const note_applied = `INSERT INTO kysely_migration (name, timestamp, requires, later_left)
  VALUES ($1, to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), $2, $3)`

/** The database belongs to another version of svc. */
export class OtherVersion extends Error {}

/** Applies the missing migrations and returns their names, in order. */
export async function migrate(url: string, migrations: readonly Migration[]): Promise<string[]> {
  refuseDuplicates(migrations)
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: connect_timeout_ms,
    application_name: 'svc migrate',
    options: arriving_options,
    onConnect: requirePrimary,
  })
  pool.on('error', () => {})
  try {
    const client = await pool.connect().catch((error) => {
      throw explainPooler(error)
    })
    try {
      await refuseUnfitServer(client)
      if ((await missingIn(client, migrations)).length === 0) return []
      await lock(client)
      return await applyAll(client, migrations)
    } finally {
      // Closed, because it may hold the lock.
      client.release(true)
    }
  } finally {
    await pool.end()
  }
}

async function lock(client: PoolClient): Promise<void> {
  const take = `SELECT pg_advisory_lock(${lock_key})`
  for (const text of ['BEGIN', `SET LOCAL lock_timeout = ${lock_ms_max}`, take, 'COMMIT'])
    await client.query(text)
}

/** By name: owners of tables add migrations independently, so one may sort before another that has landed. */
async function applyAll(client: PoolClient, migrations: readonly Migration[]): Promise<string[]> {
  // unchecked sql: several statements
  await client.query(create_table).catch((error) => {
    throw explainFailure(error, 'table')
  })
  const missing = await missingIn(client, migrations)
  // A failing one leaves the earlier ones in place. A new database gets all or nothing in one transaction, which is
  // faster.
  const is_new = missing.length === migrations.length
  for (const batch of is_new ? [missing] : missing.map((one) => [one])) await apply(client, batch)
  return missing.map(({ name }) => name)
}

async function apply(client: PoolClient, migrations: readonly Migration[]): Promise<void> {
  await client.query('BEGIN')
  for (const { name, sql, requires = '', later = [] } of migrations) {
    try {
      // unchecked sql: it is run on the template database itself
      await client.query(sql)
      await client.query(note_applied, [name, requires, later.length])
    } catch (error) {
      await client.query('ROLLBACK')
      throw explainFailure(error, name)
    }
  }
  await client.query('COMMIT')
}

/** In the order of their names. */
async function missingIn(client: PoolClient, migrations: readonly Migration[]): Promise<Migration[]> {
  const landed = await landedIn(client)
  refuseOtherVersions(landed, migrations)
  const names = new Set(landed.map(({ name }) => name))
  const byName = (one: Migration, other: Migration) => (one.name < other.name ? -1 : 1)
  return migrations.filter(({ name }) => !names.has(name)).sort(byName)
}

/** The table of earlier builds has fewer columns. */
export const landed_sql = `SELECT name, to_jsonb(m) ->> 'requires' AS requires,
  coalesce((to_jsonb(m) ->> 'later_left')::integer, 0) AS later_left FROM kysely_migration m ORDER BY name`
export interface Landed {
  readonly name: string
  readonly requires: string | null
  readonly later_left: number
}

/** None if the database is new. */
async function landedIn(client: PoolClient): Promise<Landed[]> {
  const journals = await client.query<{ journal: string | null }>(
    `SELECT to_regclass('kysely_migration')::text AS journal`,
  )
  if (!journals.rows[0]?.journal) return []
  return (await client.query<Landed>(landed_sql)).rows
}

/** Landed migrations of newer versions, and those of them without which this version cannot go on. */
export function newerOnes(landed: readonly Landed[], migrations: readonly Migration[]) {
  const own_names = new Set(migrations.map(({ name }) => name))
  const newer = landed.filter(({ name }) => !own_names.has(name))
  const isOpen = ({ name, requires }: Landed) =>
    !replaced.includes(name) && (requires === '' || own_names.has(requires ?? ''))
  const closed = newer.filter((one) => !isOpen(one))
  return { newer: newer.map(({ name }) => name), closed: closed.map(({ name }) => name) }
}

function refuseOtherVersions(landed: readonly Landed[], migrations: readonly Migration[]): void {
  const { closed } = newerOnes(landed, migrations)
  if (closed.length === 0) return
  if (closed.some((name) => replaced.includes(name)))
    throw new OtherVersion(
      'The database was written by version 0.10 or older, or by a build between 0.10 and this one, and this version does not read it: ' +
        'start that version on it, or give this one another folder or database. Nothing was changed.',
    )
  throw new OtherVersion(
    `The database has ${closed.length} migration(s) this version cannot go on with (${closed.slice(0, 3).join(', ')}): ` +
      'it was written by a newer version; start that version or restore a backup from before it.',
  )
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const names_checked = new Set<string>()
  for (const { name } of migrations) {
    if (names_checked.has(name))
      throw new Error(`Two migrations are called ${name}; give one of them another name.`)
    names_checked.add(name)
  }
}

function explainFailure(error: unknown, migration: string): Error {
  const cause = error instanceof Error ? error : new Error(String(error))
  if (cause instanceof DatabaseError && cause.code === insufficient_privilege) {
    return new Error(
      `The database user may not apply the migration ${migration} (${cause.message}); ` +
        'run it as the owner of the database with CREATEROLE, or create the roles svc_app and svc_engine and grant them to it.',
      { cause },
    )
  }
  return new Error(`The migration ${migration} failed (${cause.message}); nothing of it was kept.`, { cause })
}
