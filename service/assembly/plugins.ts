// The plugins of this engine: the loader of their folder, its records in the operator's audit log, and when it reloads.
import { PluginLoader } from '@svc/adapters/plugins/loader'
import type { SeenPlugin } from '@svc/adapters/plugins/plugin-store'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Declaration } from '@svc/contract/protocol'
import type { Clock, Log } from '@svc/engine/ports'
import { every } from '../background/tick.ts'
import type { Config } from '../settings/config.ts'
import { service_version } from '../version.ts'
import type { Routes } from './routes.ts'

export const plugin_directory_default = '/var/lib/svc/plugins'

interface Parts {
  readonly db: Database
  readonly routes: Routes
  readonly known: readonly Declaration[]
  readonly meters: Prometheus
  readonly clock: Clock
  readonly log: Log
}

export interface Plugins {
  /** Something may have changed: reads the folder again. */
  changed(): void
  /** Undefined while the loader works. */
  readonly problem: string | undefined
  isHealthy(endpoint: string): Promise<boolean> | undefined
}

export async function openPlugins(
  config: Config,
  parts: Parts,
  closing: (() => Promise<unknown>)[],
): Promise<Plugins> {
  if (!config.features.includes('wasm-adapter')) return no_plugins
  const { db, routes, known, meters, clock, log } = parts
  let rejected = 0
  meters.counter('svc_plugin_rejected_total', 'Plugins this engine found and rejected.', () => rejected)
  const { directory, processes_max, abi_level, ...rules } = config.plugins
  const loader = new PluginLoader({
    config: {
      ...rules,
      directory: directory ?? plugin_directory_default,
      trusted_publishers: [config.agent_did, ...config.trusted_publishers],
    },
    may_be_absent: directory === undefined,
    svc_version: service_version,
    processes_max,
    abi_level,
    known,
    routes,
    db,
    clock,
    log,
    onRejected(trx, plugin) {
      rejected++
      return recordRejected(trx, config, clock, plugin)
    },
  })
  const timer = every(config.plugins.watch_interval_ms, () => loader.scan(), log)
  closing.push(async () => {
    clearInterval(timer)
    await loader.close()
  })
  // Plugins load in the background; /ready tells load balancers when they are done.
  await loader.scan()
  return {
    changed: () => void loader.scan(),
    get problem() {
      return loader.problem
    },
    isHealthy: (endpoint) => loader.isHealthy(endpoint),
  }
}

const no_plugins: Plugins = { changed() {}, problem: undefined, isHealthy: () => undefined }

function recordRejected(db: Database, config: Config, clock: Clock, plugin: SeenPlugin): Promise<void> {
  const { name, version, digest, reason, why, signed_by } = plugin
  return leaveInOutbox(db, {
    id: clock.uuid(),
    event_type: 'PluginRejected',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: config.tenant_id,
    caller_did: config.agent_did,
    outcome: 'refused',
    latency_ms: 0,
    meta: { plugin: name, version, digest, reason, signed_by, supplied: { why } },
  })
}
