// Which errors mean that the database is away, stalled or restarting, rather than that a statement is wrong. Decided only here.
import { fence_state } from '@svc/contract/tenant-home'

// 08: the connection broke; 25P03/4: it was idle for too long; 57P0x: the server stops or starts.
const lost_state = /^(?:08\w{3}|25P0[34]|57P0[1-5])$/
// 25006: now a standby; 53: no disk, memory or connections left; 57014: statement timeout on a stalled server; 58: its files failed it.
const passing_state = /^(?:25006|53\w{3}|57014|58\w{3})$/
const lost_errno =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
const lost_message =
  /^(?:Connection terminated|Query read timeout|timeout (?:expired|exceeded when)|Client (?:was closed|has encountered))/

const read_only = '25006'

/** A server that follows another one, instead of the primary. */
export class StandbyReached extends Error {
  constructor() {
    super('The address of the database leads to a standby, which takes no writes.')
  }
}

/** An errno alone does not say whose connection broke, so the database's errors are remembered as they appear. */
const of_database = new WeakSet<object>()

interface Connecting {
  on(event: 'error', listener: (error: Error) => void): unknown
}

type Connected = (error: Error | undefined, ...rest: unknown[]) => void

interface ConnectionPool {
  on(event: 'connect', listener: (client: Connecting) => void): unknown
  connect(): Promise<unknown>
}

/** From now on errors of this pool's connections count as the database's. */
export function noteFaultsOf(pool: ConnectionPool): void {
  // Without a listener, a connection that breaks while checked out would end the process.
  pool.on('connect', (client) => client.on('error', note))
  const connect = pool.connect.bind(pool) as (connected?: Connected) => Promise<unknown>
  const noting = (connected?: Connected) =>
    connected
      ? connect((error, ...rest) => connected(note(error), ...rest))
      : connect().catch((error) => {
          throw note(error)
        })
  pool.connect = noting
}

function note<Thrown>(error: Thrown): Thrown {
  if (typeof error === 'object' && error !== null) of_database.add(error)
  return error
}

/** The server ended the connection, or no longer answers. */
export function isConnectionLost(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  if (thrown instanceof StandbyReached) return true
  if ('severity' in thrown) return lost_state.test(codeOf(thrown))
  return lost_message.test(thrown.message) || (of_database.has(thrown) && lost_errno.test(codeOf(thrown)))
}

/** It would have changed a row that is being copied to another database. */
export function isFenced(thrown: unknown): boolean {
  return thrown instanceof Error && 'severity' in thrown && codeOf(thrown) === fence_state
}

/** The same statement may work a moment later. */
export function isDatabaseAway(thrown: unknown): boolean {
  if (isConnectionLost(thrown)) return true
  return thrown instanceof Error && 'severity' in thrown && passing_state.test(codeOf(thrown))
}

/**
 * Must not be used again: what the server did not report itself leaves it in doubt, and one to a demoted server would
 * stay there.
 */
export function isConnectionSpent(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('severity' in thrown)) return true
  return codeOf(thrown) === read_only
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
