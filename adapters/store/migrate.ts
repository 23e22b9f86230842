// Brings a database up to the code: forward only, one transaction per migration, one migrator at a time.
import type { Migration } from '@svc/contract/migration'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { DatabaseError, Pool } from 'pg'

const connect_timeout_ms = 5_000
const insufficient_privilege = '42501'

/** Applies what the database does not have yet and returns the names applied, in order. */
export async function migrate(url: string, migrations: readonly Migration[]): Promise<string[]> {
  refuseDuplicates(migrations)
  const pool = new Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: connect_timeout_ms,
    application_name: 'svc migrate',
  })
  pool.on('error', () => {})
  const db = new Kysely<Record<never, never>>({ dialect: new PostgresDialect({ pool }) })
  try {
    const landed = await landedNames(db)
    refuseNewerDatabase(landed, migrations)
    // Every one of them is ours, so that many are all; the migrator would look at each column of each table first.
    if (landed.length === migrations.length) return []
    return await applyAll(db, migrations, landed.length === 0)
  } finally {
    await db.destroy()
  }
}

async function applyAll(
  db: Kysely<Record<never, never>>,
  migrations: readonly Migration[],
  is_new: boolean,
): Promise<string[]> {
  const steps = Object.fromEntries(
    migrations.map(({ name, sql: text }) => [
      name,
      { up: async (step: Kysely<unknown>) => void (await sql.raw(text).execute(step)) },
    ]),
  )
  // Owners of tables add migrations on their own days, so a name may sort before one that has landed already.
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    allowUnorderedMigrations: true,
  })
  const applied: string[] = []
  // One step per call is one transaction per migration: a failing one leaves the earlier ones in place.
  // A database that is new gets all or nothing in one, which a first start need not wait for so long.
  for (let step = 0; step <= migrations.length; step++) {
    const { error, results = [] } = await (is_new ? migrator.migrateToLatest() : migrator.migrateUp())
    if (error) throw explainFailure(error, results.find((result) => result.status === 'Error')?.migrationName)
    if (results.length === 0) break
    applied.push(...results.map((result) => result.migrationName))
  }
  return applied
}

/** None where the database is new. */
async function landedNames(db: Kysely<Record<never, never>>): Promise<string[]> {
  const found = await sql<{
    book: string | null
  }>`SELECT to_regclass('kysely_migration')::text AS book`.execute(db)
  if (!found.rows[0]?.book) return []
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  return rows.map(({ name }) => name)
}

function refuseNewerDatabase(landed: readonly string[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = landed.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw new Error(
    `The database has ${unknown.length} migration(s) this version does not know (${unknown.slice(0, 3).join(', ')}): ` +
      'it was written by a newer version; start that version or restore a backup from before it.',
  )
}

function refuseDuplicates(migrations: readonly Migration[]): void {
  const seen = new Set<string>()
  for (const { name } of migrations) {
    if (seen.has(name)) throw new Error(`Two migrations are called ${name}; give one of them another name.`)
    seen.add(name)
  }
}

function explainFailure(error: unknown, migration: string | undefined): Error {
  const cause = error instanceof Error ? error : new Error(String(error))
  if (cause instanceof DatabaseError && cause.code === insufficient_privilege) {
    return new Error(
      `The database user may not apply the migration ${migration ?? 'table'} (${cause.message}); ` +
        'run it as the owner of the database with CREATEROLE, or create the roles svc_app and svc_engine and grant them to it.',
      { cause },
    )
  }
  return new Error(
    `The migration ${migration ?? 'table'} failed (${cause.message}); nothing of it was kept.`,
    { cause },
  )
}
