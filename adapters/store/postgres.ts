// The store on PostgreSQL. Handlers work as one role, the engine as another, and neither owns a table.
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Database } from '@svc/contract/database'
import { noteFaultsOf, StandbyReached } from '@svc/database/database-fault'
import { app_role, engine_role } from '@svc/database/migration'
import { pooledDatabase } from '@svc/database/pooled'
import {
  arriving_options,
  explainPooler,
  refuseUnfitServer,
  requirePrimary,
  UnfitServer,
} from '@svc/database/server-check'
import type { Log, Store } from '@svc/engine/ports'
import { Pool, type PoolConfig } from 'pg'
import { PoolQueue } from './pool-queue.ts'
import { type OnOutbox, TenantTransaction } from './tenant-transaction.ts'

const app_connections_max = 10
const engine_connections_max = 4
export const health_connections_max = 1
/** Of a store that was given no other sizes. */
export const store_connections_max = app_connections_max + engine_connections_max + health_connections_max
const connect_ms_default = 3_000
const statement_timeout_ms = 30_000
/** A hanging server cannot enforce its own limit, so the client waits slightly longer. */
const answer_timeout_ms = 35_000
const idle_in_transaction_ms_max = 30_000
const idle_connection_ms_max = 60_000
const health_ms_max = 1_000
const close_ms_max = 5_000

export interface StoreOptions {
  readonly url: string
  readonly app_pool_max?: number
  readonly engine_pool_max?: number
  /** How long an operation waits for a connection before it is refused. */
  readonly wait_ms_max?: number
  /** How long the engine's own work waits for one. */
  readonly connect_ms_max?: number
  readonly log: Log
  /** Called after each commit that left events in the outbox. */
  readonly onOutbox?: OnOutbox
  /** Where old pages of the audit log are read. */
  readonly page_archive?: PageArchive | undefined
}

interface PoolFacts {
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

export interface PostgresStore extends Store {
  /** The engine's own work: sees every tenant, owns nothing. */
  readonly engine: Database
  readonly engine_pool: Pool
  connections(): { readonly app: PoolFacts; readonly engine: PoolFacts }
  close(): Promise<void>
}

export async function openStore(options: StoreOptions): Promise<PostgresStore> {
  const { url, log, onOutbox = () => {}, page_archive } = options
  const { app_pool_max = app_connections_max, engine_pool_max = engine_connections_max } = options
  const { connect_ms_max = connect_ms_default, wait_ms_max = connect_ms_max } = options
  const app = createPool(url, app_role, app_pool_max, log, {
    connectionTimeoutMillis: wait_ms_max,
    pipeline: true,
  })
  const engine_pool = createPool(url, engine_role, engine_pool_max, log, {
    connectionTimeoutMillis: connect_ms_max,
  })
  // Separate: a full pool must not look like a dead database.
  const health = createPool(url, engine_role, health_connections_max, log, {
    connectionTimeoutMillis: health_ms_max,
    query_timeout: health_ms_max,
  })
  const engine: Database = pooledDatabase(engine_pool, page_archive)
  const queue = new PoolQueue(app, app_pool_max, wait_ms_max)
  let health_check: Promise<boolean> | undefined
  const close = () => closePools([app, engine_pool, health])
  try {
    await Promise.all([refuseStrongRole(app, app_role), refuseStrongRole(engine_pool, engine_role)])
  } catch (error) {
    await close()
    throw error
  }
  return {
    engine,
    engine_pool,
    transaction: (tenant_id, principals = []) =>
      new TenantTransaction(queue, tenant_id, principals, onOutbox, page_archive),
    healthy() {
      health_check ??= isAnswering(health).finally(() => {
        health_check = undefined
      })
      return health_check
    },
    connections: () => ({ app: { ...factsOf(app), waiting: queue.waiting }, engine: factsOf(engine_pool) }),
    close,
  }
}

function createPool(url: string, role: string, max: number, log: Log, more: PoolConfig = {}): Pool {
  const { connectionString, options } = takeRole(url, role)
  const pool = new Pool({
    connectionString,
    options,
    max,
    application_name: role,
    idleTimeoutMillis: idle_connection_ms_max,
    statement_timeout: statement_timeout_ms,
    query_timeout: answer_timeout_ms,
    idle_in_transaction_session_timeout: idle_in_transaction_ms_max,
    keepAlive: true,
    onConnect: requirePrimary,
    // An idle connection keeps no process alive.
    allowExitOnIdle: true,
    ...more,
  })
  noteFaultsOf(pool)
  pool.on('error', (error) => {
    // While we close, a server that stops first is no problem.
    if (!pool.ending) log.warn({ role, error: error.message }, 'an idle database connection broke')
  })
  return pool
}

/** The role is set in the handshake, so no connection ever works as the login user. */
function takeRole(url: string, role: string): { connectionString: string; options: string } {
  const address = new URL(url)
  // Options in the address would replace ours, so ours are appended.
  const options_text = address.searchParams.get('options')
  address.searchParams.delete('options')
  return {
    connectionString: address.href,
    options: `${options_text ? `${options_text} ` : ''}-c role=${role} ${arriving_options}`,
  }
}

async function refuseStrongRole(pool: Pool, role: string): Promise<void> {
  const ask = `SELECT current_user AS name, rolsuper OR rolbypassrls AS sees_all
    FROM pg_roles WHERE rolname = current_user`
  const roles = await pool.query<{ name: string; sees_all: boolean }>(ask).catch((cause: Error) => {
    const explained = explainPooler(cause)
    if (explained instanceof UnfitServer || explained instanceof StandbyReached) throw explained
    throw new Error(
      `The database does not let this user work as ${role} (${cause.message}); ` +
        'check SVC_DB_URL, and run the migrations as the owner of the database.',
      { cause },
    )
  })
  await refuseUnfitServer(pool)
  const { name, sees_all } = roles.rows[0] ?? { name: 'nobody', sees_all: true }
  if (name === role && !sees_all) return
  throw new Error(
    `The database made this connection ${name} instead of a plain ${role}, which row-level security would not bind; ` +
      `run ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS and connect without a pooler that drops start-up options.`,
  )
}

async function isAnswering(pool: Pool): Promise<boolean> {
  const { promise: too_late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), health_ms_max)
  const answer = pool.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby').then(
    ({ rows }) => rows[0]?.is_standby === false,
    () => false,
  )
  try {
    return await Promise.race([answer, too_late])
  } finally {
    clearTimeout(timer)
  }
}

function factsOf(pool: Pool): PoolFacts {
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
}

/** A connection that was never returned must not keep the process from ending. */
async function closePools(pools: readonly Pool[]): Promise<void> {
  const { promise: too_late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, close_ms_max)
  try {
    await Promise.race([
      Promise.all(pools.filter((pool) => !pool.ending).map((pool) => pool.end())),
      too_late,
    ])
  } finally {
    clearTimeout(timer)
  }
}
