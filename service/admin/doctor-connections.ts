// Doctor check of connections: whether PostgreSQL has room for all that the running engines and gateways may open.
import type { Inspection } from '@svc/adapters/store/inspect'
import { engine_connections_max, gateway_connections_max } from '../assembly/connections.ts'
import { doubtful, type Finding, well } from './finding.ts'

const check = 'connections'
/** For psql, backups and monitoring, beside what PostgreSQL reserves for superusers. */
const own_reserve = 10

// Every engine has one writer, and every engine and gateway one change feed.
const running_sql = `
  SELECT count(*) FILTER (WHERE application_name = 'svc audit writer')::int AS engines,
    count(*) FILTER (WHERE application_name = 'svc changes')::int AS feeds,
    current_setting('max_connections')::int AS most,
    current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true), '0')::int AS reserved
  FROM pg_stat_activity WHERE datname = current_database()`

interface Running {
  readonly engines: number
  readonly feeds: number
  readonly most: number
  readonly reserved: number
}

export async function lookAtConnections(database: Inspection): Promise<Finding> {
  const [row] = await database.query<Running>(running_sql)
  const { engines, feeds, most, reserved } = row!
  const gateways = Math.max(0, feeds - engines)
  const needed = engines * engine_connections_max + gateways * gateway_connections_max
  const observation = `${needed} of ${most - reserved} may be opened (engines: ${engines}, gateways: ${gateways})`
  const least = needed + own_reserve + reserved
  if (least <= most) return well(check, observation)
  return doubtful(check, observation, `raise max_connections of PostgreSQL to ${least}, or run fewer engines`)
}
