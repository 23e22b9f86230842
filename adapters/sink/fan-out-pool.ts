// Connections of the fan-out's own, so that it takes none from the calls.
import { enginePool } from '@svc/audit/writer/connection'
import type { Log } from '@svc/engine/ports'
import { Pool } from 'pg'

const connections_max = 2
/** The audit log writes some of the same rows: it never waits longer than this. */
const lock_ms_max = 250

export function openFanOutPool(db_url: string, log: Log): Pool {
  const connection = enginePool(db_url, 'svc fan-out', connections_max)
  const options = `${connection.options} -c lock_timeout=${lock_ms_max}`
  const pool = new Pool({ ...connection, options })
  // A connection that breaks in use reports it to its query; without a listener it would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => log.debug({ err: error }, 'an idle connection of the fan-out was lost'))
  return pool
}
