// What migrations leave for later: changes of large tables, made while engines serve. One engine at a time takes the steps; a kill
// loses no more than the statement under way, which is run again.
import type { LaterStep, Migration } from '@svc/database/migration'
import { arriving_options, requirePrimary } from '@svc/database/server-check'
import { Client } from 'pg'

const lock_key = '3853314791062309108'

/** Taken: there may be more. Waiting: another engine is at it. */
export type LaterResult = 'taken' | 'waiting' | 'finished'

export interface LaterMigrations {
  /** One statement. */
  takeStep(): Promise<LaterResult>
  /** Ends a statement under way. */
  close(): Promise<void>
}

export function openLaterMigrations(url: string, migrations: readonly Migration[]): LaterMigrations {
  const with_steps = new Map(
    migrations.flatMap(({ name, later = [] }) => (later.length ? [[name, later]] : [])),
  )
  let client: Client | undefined
  let is_locked = false
  const close = async () => {
    const open = client
    client = undefined
    is_locked = false
    // Not ended in order: it would wait for its statement.
    open?.connection.stream.destroy()
  }
  const connect = async () => {
    const opening = new Client({
      connectionString: url,
      application_name: 'svc migrate later',
      options: arriving_options,
    })
    opening.on('error', () => void close())
    await opening.connect()
    await requirePrimary(opening)
    return opening
  }
  return {
    async takeStep() {
      if (with_steps.size === 0) return 'finished'
      client ??= await connect()
      try {
        const next = await nextStep(client, with_steps)
        if (!next) {
          await close()
          return 'finished'
        }
        is_locked ||= await lock(client)
        if (!is_locked) return 'waiting'
        // Another engine may have taken it before this one got the lock.
        const current = await nextStep(client, with_steps)
        if (current && (await perform(client, current.step))) await note(client, current.name)
        return 'taken'
      } catch (error) {
        await close()
        throw error
      }
    },
    close,
  }
}

interface NextStep {
  readonly name: string
  readonly step: LaterStep
}

async function nextStep(
  client: Client,
  with_steps: ReadonlyMap<string, readonly LaterStep[]>,
): Promise<NextStep | undefined> {
  const { rows } = await client.query<{ name: string; later_left: number }>(
    'SELECT name, later_left FROM kysely_migration WHERE later_left > 0 AND name = ANY($1) ORDER BY name LIMIT 1',
    [[...with_steps.keys()]],
  )
  const [row] = rows
  if (!row) return
  return { name: row.name, step: with_steps.get(row.name)!.at(-row.later_left)! }
}

async function lock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ is_mine: boolean }>(
    `SELECT pg_try_advisory_lock(${lock_key}) AS is_mine`,
  )
  return rows[0]!.is_mine
}

/** Whether nothing is left of it. */
async function perform(client: Client, step: LaterStep): Promise<boolean> {
  if ('batch' in step) {
    // unchecked sql: it is run on the template database itself
    return !(await client.query(step.batch)).rowCount
  }
  const { index, on } = step
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  )
  if (rows[0]?.indisvalid) return true
  // Left by a build that was ended: it is kept up to date, and never used.
  // unchecked sql: names of a migration
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${index}`)
  // unchecked sql: names of a migration
  await client.query(`CREATE INDEX CONCURRENTLY ${index} ON ${on}`)
  return true
}

async function note(client: Client, name: string): Promise<void> {
  await client.query('UPDATE kysely_migration SET later_left = later_left - 1 WHERE name = $1', [name])
}
