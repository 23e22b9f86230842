// The audit log's database connection: as the engine's role, and always with timeouts.
import { engine_role } from '@svc/database/migration'
import { requirePrimary } from '@svc/database/server-check'
import { Client, type ClientConfig, type PoolConfig } from 'pg'

export const read_connections_max = 3
/** Those, and the writer's own. */
export const audit_connections_max = read_connections_max + 1
const connect_ms_default = 3_000
/** An engine that starts beside a busy database waits for it. */
export const opening_ms_max = 30_000
const statement_ms_max = 10_000
/** Above the server's own limit, for a server or a network that does not answer at all. */
const answer_ms_max = 12_000
/** A writer paused inside a transaction must not lock the heads for long. */
const idle_in_transaction_ms_max = 5_000

export function engineConnection(
  db_url: string,
  application_name: string,
  connect_ms_max = connect_ms_default,
): ClientConfig {
  return {
    connectionString: db_url,
    options: `-c role=${engine_role}`,
    application_name,
    connectionTimeoutMillis: connect_ms_max,
    statement_timeout: statement_ms_max,
    query_timeout: answer_ms_max,
    idle_in_transaction_session_timeout: idle_in_transaction_ms_max,
    keepAlive: true,
  }
}

/** The same for a pool, whose connections may be only read from: without asking, they would stay at a standby. */
export function enginePool(db_url: string, application_name: string, max: number): PoolConfig {
  const connection = engineConnection(db_url, application_name)
  return { ...connection, max, onConnect: requirePrimary, allowExitOnIdle: true }
}

/** Pipelined statements share packets. */
export async function connectAsEngine(
  db_url: string,
  application_name: string,
  connect_ms_max?: number,
): Promise<Client> {
  const client = new Client({ ...engineConnection(db_url, application_name, connect_ms_max), pipeline: true })
  // A connection that breaks while idle is noticed at the next statement.
  client.on('error', () => {})
  await client.connect()
  return client
}
