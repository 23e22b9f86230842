// The two databases of a move, and whether its login may do there what a restore does.
import { readFileSync } from 'node:fs'
import type { Database } from '@svc/contract/database'
import { resultOf } from '@svc/database/pooled'
import { Client, DatabaseError } from 'pg'
import { ConfigError } from '../settings/config-error.ts'

const connect_ms_max = 10_000
const insufficient_privilege = '42501'

export interface Connections {
  readonly source: Client
  /** One snapshot of the source, from which everything is copied. */
  readonly snapshot: Client
  readonly target: Client
  close(): Promise<void>
}

export async function openConnections(source_url: string, target_url: string): Promise<Connections> {
  const opened: Client[] = []
  const open = async (url: string, name: string) => {
    const client = await connect(url, name)
    opened.push(client)
    await requireRights(client, name)
    return client
  }
  const close = async () => {
    await Promise.all(opened.map((client) => client.end().catch(() => {})))
  }
  try {
    const source = await open(source_url, 'the source')
    const snapshot = await open(source_url, 'the source')
    const target = await open(target_url, '--to')
    return { source, snapshot, target, close }
  } catch (error) {
    await close()
    throw error
  }
}

export async function connect(url: string, name: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'svc tenant move',
    keepAlive: true,
    connectionTimeoutMillis: connect_ms_max,
  })
  // A connection that breaks fails the next statement, which says so.
  client.on('error', () => {})
  await client.connect().catch((error: Error) => {
    throw new ConfigError(`The database of ${name} cannot be reached (${error.message}); check its address.`)
  })
  return client
}

/** What --to names: an address, or a file that holds one. */
export function readUrl(to: string | undefined): string {
  if (to === undefined)
    throw new ConfigError('--to is missing: the address of the other database, or a file with it.')
  if (/^postgres(ql)?:\/\//.test(to)) return to
  try {
    const text = readFileSync(to, 'utf8').trim()
    if (URL.canParse(text)) return text
  } catch (error) {
    throw new ConfigError(
      `--to names neither an address nor a file that can be read (${(error as Error).message}).`,
    )
  }
  throw new ConfigError(`${to} holds no address of a database, such as postgresql://user@host/name.`)
}

/** Sees the rows of every tenant, and may leave out triggers and foreign keys while it copies. */
async function requireRights(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ user: string; sees_all: boolean }>(
    `SELECT current_user AS "user", rolsuper OR rolbypassrls AS sees_all FROM pg_roles WHERE rolname = current_user`,
  )
  const { user = '', sees_all = false } = rows[0] ?? {}
  const may_copy = await client.query('SET session_replication_role = origin').then(
    () => true,
    (error) => {
      if (error instanceof DatabaseError && error.code === insufficient_privilege) return false
      throw error
    },
  )
  if (sees_all && may_copy) return
  throw new ConfigError(
    `${user} may not move tenants in the database of ${name}: it has to be a superuser, or have BYPASSRLS, own the tables, and ` +
      'GRANT SET ON PARAMETER session_replication_role. Use such a login for this command, as for a restore.',
  )
}

/** Where a database is, for people: without name and password. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** For functions that take a database; a transaction is that of the client. */
export function databaseOn(client: Client): Database {
  const db: Database = {
    isTransaction: true,
    page_archive: undefined,
    execute: async <Row>({ text, values }: { text: string; values: readonly unknown[] }) =>
      // unchecked sql: the statement of whoever asks, checked there
      resultOf<Row>(await client.query(text, [...values])),
    transaction: async (work) => work(db),
    connection: (work) => work(db),
  }
  return db
}

export async function transaction<Result>(
  client: Client,
  work: () => Promise<Result>,
  mode = '',
): Promise<Result> {
  await client.query(`BEGIN ${mode}`)
  try {
    const result = await work()
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT')
      throw new Error('A statement of this transaction failed, so nothing was committed.')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
