// Where everything meets: ports get their adapters, the engine its protocols, the world its doors.

import { type CachedKeyRing, keyRing } from '@svc/adapters/access/key-ring'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import type { DelegationSource } from '@svc/adapters/capabilities/delegations'
import { system_clock } from '@svc/adapters/clock/system'
import { migrate } from '@svc/adapters/store/migrate'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import type { OnOutbox } from '@svc/adapters/store/tenant-transaction'
import { type Prometheus, prometheus } from '@svc/adapters/telemetry/prometheus'
import { type AuditLog, openAuditLog } from '@svc/audit/audit-log'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Protocol } from '@svc/contract/protocol'
import { createEngine, type Engine } from '@svc/engine/dispatch'
import type { Clock, Ports } from '@svc/engine/ports'
import type { OpenRegistry } from '@svc/engine/routing/registry'
import { openAdmission } from '@svc/gateway/dispatch/admission-control'
import type { DispatchEndpoint } from '@svc/gateway/dispatch/refusal-recorder'
import type { TraceSettings } from '@svc/gateway/operational'
import { ensureUsd } from '@svc/protocols/economic/ledger/api'
import { partnersOf } from '@svc/protocols/governance/moat/api'
import { openActions } from '../background/actions.ts'
import { followChanges } from '../background/change-feed.ts'
import { openFanOut } from '../background/fan-out.ts'
import { followRegistrations } from '../background/follow-registrations.ts'
import { openLive } from '../background/live.ts'
import { forgetOwn, forgetsDelegations } from '../background/own-changes.ts'
import { projectionsOf } from '../background/projections.ts'
import { startTicking } from '../background/tick.ts'
import { type LiveTrace, liveTrace } from '../background/tracing.ts'
import { openWitnessing } from '../background/witnessing.ts'
import { openWorkflows } from '../background/workflows.ts'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { NodeUrls } from '../settings/identity-settings.ts'
import { openTrust } from './engine-endpoint.ts'
import type { Closing, Host } from './host.ts'
import { openLog } from './log.ts'
import { addGauges } from './metrics.ts'
import { migrations } from './migrations.ts'
import type { RunningNodes } from './nodes.ts'
import { openPorts, type PortChoices, type Protocols } from './open-ports.ts'
import { openPeople, type People } from './people.ts'
import { openPlugins, type Plugins } from './plugins.ts'
import type { Routes } from './routes.ts'
import { openServing, trustEngines } from './served-engines.ts'
import { openSurfaces, type SurfaceChoices, type Surfaces } from './surfaces.ts'

export interface Service extends Surfaces {
  readonly store: PostgresStore
  readonly audit_log: AuditLog
  readonly engine: Engine
  /** Versions and canaries can change while the service runs. */
  readonly registry: OpenRegistry
  /** Probes what is due by the clock; the service does so itself every second. */
  probe(): Promise<void>
  /** Tells everybody who watches; the service does so itself every second. */
  tickLive(): Promise<void>
  readonly trace: LiveTrace
}

export interface Choices extends SurfaceChoices, PortChoices {
  /** Starts the nodes that come with the engine, where none is bound. */
  readonly nodes?: (store: PostgresStore, clock: Clock) => Promise<RunningNodes>
  /** Protocols beside the catalogue's: benches and tests bring their own. */
  readonly more_protocols?: readonly Protocol[]
  /** Tests about time bring a clock of their own. */
  readonly clock?: Clock
  /** Development only: agents of this tenant may register endpoints on this machine, and their health is asked for. */
  readonly loopback_tenant?: string
  /** One of several workers: what was changed at this one's /admin/trace is for all of them. */
  readonly onTraceChange?: (settings: TraceSettings) => void
  /** Makes what the first call needs, once the tables are there and before the door opens. */
  readonly provision?: (store: PostgresStore) => Promise<void>
}

export async function assemble(config: Config, choices: Choices): Promise<Service> {
  const log = openLog(config.log_level)
  const closing: Closing = []
  try {
    const meters = prometheus(log)
    const clock = choices.clock ?? system_clock
    const protocols = chooseProtocols(config, choices)
    let onCommitted = (_events: readonly AuditEntry[]): void => {}
    const { store, audit_log } = await openStorage(config, meters, log, closing, (events) =>
      onCommitted(events),
    )
    await provision(config, choices, store, audit_log)
    const host: Host = { store, db: store.engine, audit_log, meters, clock, log }
    const urls = await openNodes(config, choices, host, closing)

    const opened = await openPorts(config, choices, protocols, urls, host, closing)
    const { ports, breaker, routes, remote, delegations, tiers, change_notifications, devices, health } =
      opened
    const serving = openServing(config, {
      protocols: protocols.served,
      remote,
      aegis: delegations.client,
      tiers,
    })
    const engine = createEngine(ports, serving)

    const keys = keyRing(store.engine, system_clock, log)
    const people = openPeople(config, store.engine, clock, log, remote.clientOf('OAS'))
    closing.push(async () => people.close())
    const { registry } = routes
    const workflows = openWorkflows(
      config,
      { ...host, engine, registry, keys, change_notifications },
      closing,
    )
    openActions(config, { ...host, run_executor: workflows.executor, devices, change_notifications }, closing)
    const { plugins, registrations } = await followProtocols(config, routes, protocols.known, host, closing)

    const caches = { ...opened, ...opened.governance, resolver: remote.resolver, keys, people, registrations }
    onCommitted = (events) => forgetOwn(events, caches)
    const changes = await followChanges(config.db_url, caches, log)
    closing.push(() => changes.close())

    const dispatch_endpoint = openEndpoint(
      config,
      { host, ports, engine, keys, people, delegations },
      closing,
    )
    health.watch({ engine, audit_log })
    const { instance } = health
    const live = openLive(config, { ...host, ports, engine, breaker, instance }, closing)
    const trace = liveTrace(config, log, health.tracer, choices.onTraceChange)
    const surfaces = await openSurfaces(
      config,
      choices,
      { dispatch_endpoint, ports, people, meters, workflows, plugins, live, trace },
      closing,
    )
    const { loopback_tenant } = choices
    const remote_places = placesBeside(routes, plugins)
    const ticking = startTicking({ ...host, breaker, keys, remote: remote_places, loopback_tenant })
    closing.push(async () => ticking.stop())
    return {
      ...surfaces,
      probe: ticking.probe,
      tickLive: live.tick,
      trace,
      store,
      audit_log,
      engine,
      registry,
    }
  } catch (error) {
    for (const close of closing.reverse()) await close().catch(() => undefined)
    throw error
  }
}

interface EndpointParts {
  readonly host: Host
  readonly ports: Ports
  readonly engine: Engine
  readonly keys: CachedKeyRing
  readonly people: People
  readonly delegations: DelegationSource
}

/** Where calls come in, and whom it lets in: holders of keys, people who signed in, gateways and other engines. */
function openEndpoint(
  config: Config,
  { host, ports, engine, keys, people, delegations }: EndpointParts,
  closing: Closing,
): DispatchEndpoint {
  const { store, audit_log, meters, clock, log } = host
  const room = openAdmission(config, clock)
  addGauges(config, meters, engine, audit_log, room)
  return {
    engine,
    audit_log,
    sums: ports.sums,
    clock,
    log,
    own: { tenant_id: config.tenant_id, did: config.agent_did },
    admission: room,
    proxy_hops: config.login.proxy_hops,
    keys: forgetsDelegations(keys, delegations),
    gateways: openTrust(config, ports, store),
    engines: trustEngines(config, ports, store),
    logins: people.logins,
    witness: openWitnessing(config, { store, meters, log, clock, partnersOf }, closing),
  }
}

/** Protocols come and go while the engine runs, as services outside and as plugins. */
async function followProtocols(
  config: Config,
  routes: Routes,
  protocols: readonly Protocol[],
  host: Host,
  closing: Closing,
) {
  const outside = await followRegistrations(routes, host.log, closing)
  const plugins = await openPlugins(config, { ...host, routes, known: protocols }, closing)
  const changed = () => {
    outside.changed()
    plugins.changed()
  }
  return { plugins, registrations: { changed } }
}

/** Everything that does not run in this process, and how to ask after it. */
function placesBeside(routes: Routes, plugins: Plugins): Routes['outside'] {
  return {
    get watched() {
      return routes.outside.watched
    },
    isHealthy: (endpoint) => plugins.isHealthy(endpoint) ?? routes.outside.isHealthy(endpoint),
  }
}

/** The operator's own tenant, its unit of money and its book; then whatever else the first call needs. */
async function provision(
  { tenant_id }: Config,
  choices: Choices,
  store: PostgresStore,
  audit_log: AuditLog,
): Promise<void> {
  await ensureTenant(store.engine, tenant_id, 'The operator of this engine', 'sovereign')
  await nameOperator(store.engine, tenant_id)
  await ensureUsd(store.engine, tenant_id)
  await audit_log.ready(tenant_id)
  await choices.provision?.(store)
}

async function openStorage(
  config: Config,
  meters: Prometheus,
  log: Ports['log'],
  closing: Closing,
  onEvents: OnOutbox,
) {
  await migrate(config.db_url, migrations)
  const onOutbox: OnOutbox = (events) => {
    audit_log.outboxChanged()
    onEvents(events)
  }
  const store = await openStore({ url: config.db_url, log, onOutbox })
  closing.push(() => store.close())
  const fan_out = openFanOut(config, meters, log, closing)
  const audit_log: AuditLog = await openAuditLog({
    db_url: config.db_url,
    dir: config.audit_dir,
    master_key: config.master_key,
    bytes_max: config.audit_bytes_max,
    fsync: config.audit_fsync,
    operator_tenant_id: config.tenant_id,
    projection_modules: projectionsOf(config),
    onCommitted: fan_out.wake,
    onUnknownEvent: () => meters.count('audit_unknown_event'),
    log,
  })
  closing.push(() => audit_log.close())
  return { store, audit_log }
}

async function openNodes(
  config: Config,
  { nodes }: Choices,
  { store, clock }: Host,
  closing: Closing,
): Promise<NodeUrls> {
  const running = await nodes?.(store, clock)
  if (running) closing.push(() => running.close())
  return running?.urls ?? config.node_urls
}

function chooseProtocols(config: Config, choices: Choices): Protocols {
  const { features, plugins } = config
  const all = [...catalogue, ...(choices.more_protocols ?? [])]
  if (!features.includes('native-adapter') || !plugins.allowed_sources.includes('builtin'))
    return { served: [], known: all }
  const unknown = config.protocols.filter((id) => !all.some((protocol) => protocol.id.toUpperCase() === id))
  if (unknown.length)
    throw new ConfigError(`SVC_PROTOCOLS names ${unknown.join(', ')}, which this engine does not have.`)
  const isChosen = ({ id }: Protocol) => config.protocols.includes(id.toUpperCase())
  return { served: config.protocols.length ? all.filter(isChosen) : all, known: all }
}
