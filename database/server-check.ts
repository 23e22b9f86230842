// What the server behind a new connection must be: PostgreSQL itself, of a version we know, and the primary.
import type { ClientBase } from 'pg'
import { StandbyReached } from './database-fault.ts'

export const version_min = 16
/** How soon the server ends a statement whose client has gone, and frees what it has locked. Set with every connection, it also shows whether settings arrive. */
const client_check_ms = 1_000
export const arriving_options = `-c client_connection_check_interval=${client_check_ms}`
const through_pooler =
  'SVC_DB_URL leads to a connection pooler such as PgBouncer, which does not pass on the settings of a connection. ' +
  'svc has pools of its own and needs whole sessions (LISTEN, locks, prepared statements), so no pooling mode works: ' +
  'set SVC_DB_URL to PostgreSQL itself, or to a proxy that passes connections through, such as HAProxy.'

/** A server or an address that svc cannot work with. Starting again does not help. */
export class UnfitServer extends Error {}

/** For a connection opened with `arriving_options`. */
export async function refuseUnfitServer(client: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string; check_ms: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
       (SELECT setting FROM pg_settings WHERE name = 'client_connection_check_interval') AS check_ms`,
  )
  const { number = '0', version = '', check_ms = '' } = rows[0] ?? {}
  if (Number(number) < version_min * 10_000)
    throw new UnfitServer(
      `The database is PostgreSQL ${version}, and svc needs ${version_min} or newer: move it to one of those (pg_upgrade), and start again. Nothing was changed.`,
    )
  if (Number(check_ms) !== client_check_ms) throw new UnfitServer(through_pooler)
}

/** A pooler that knows no start-up options refuses the connection itself, in words that do not help. */
export function explainPooler(error: Error): Error {
  return /unsupported startup parameter/i.test(error.message)
    ? new UnfitServer(through_pooler, { cause: error })
    : error
}

/** While roles change, an address may lead to a standby for a moment: it would be read from for as long as the connection lives. */
export async function requirePrimary(client: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby')
  if (rows[0]?.is_standby) throw new StandbyReached()
}
