// How many connections to PostgreSQL each process opens at most. docs/sizing.md adds them up.
import { change_connections_max } from '@svc/adapters/access/changes'
import { health_connections_max, store_connections_max } from '@svc/adapters/store/postgres'
import { audit_connections_max } from '@svc/audit/writer/connection'

/** Of an engine, and of each of its workers. The fan-out to Kafka takes two more. */
export const engine_connections_max = store_connections_max + audit_connections_max + change_connections_max

export const gateway_pools = { app_pool_max: 1, engine_pool_max: 4 }
export const gateway_connections_max =
  gateway_pools.app_pool_max + gateway_pools.engine_pool_max + health_connections_max + change_connections_max
