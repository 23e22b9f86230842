// Where everything meets: ports get their adapters, the engine its protocols, the world its doors.

import { capabilitiesOfKeys } from '@svc/adapters/access/api-keys'
import { listenForChanges } from '@svc/adapters/access/changes'
import { contextClaims } from '@svc/adapters/access/gateway-contexts'
import { keyRing } from '@svc/adapters/access/key-ring'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { roundRobin } from '@svc/adapters/balancer/round-robin'
import { memoryBreaker } from '@svc/adapters/breaker/memory'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { system_clock } from '@svc/adapters/clock/system'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import { spendingFromChain } from '@svc/adapters/spending/from-chain'
import { migrate } from '@svc/adapters/store/migrate'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import { type Prometheus, prometheus } from '@svc/adapters/telemetry/prometheus'
import { type Book, openBook } from '@svc/audit/book'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Protocol } from '@svc/contract/protocol'
import { createEngine, type Engine } from '@svc/engine/dispatch'
import type { Clock, IdentityResolver, Ports } from '@svc/engine/ports'
import { type OpenRegistry, openRegistry } from '@svc/engine/registry'
import { type GatewayTrust, trustGateways } from '@svc/gateway/accept-context'
import { addDirectoryRoutes } from '@svc/gateway/directory'
import type { Door } from '@svc/gateway/doorkeeper'
import { serveMetrics } from '@svc/gateway/metrics-server'
import { addOperationalRoutes, type Operations, type TraceSettings } from '@svc/gateway/operational'
import { createGateway, type Gateway } from '@svc/gateway/server'
import { type Config, ConfigError } from './config.ts'
import { type LiveLog, openLog } from './log.ts'
import { migrations } from './migrations.ts'
import { startTicking } from './tick.ts'
import { service_version } from './version.ts'

export interface Service {
  readonly port: number
  readonly metrics_port: number
  readonly store: PostgresStore
  readonly book: Book
  readonly engine: Engine
  /** Versions and canaries can change while the service runs. */
  readonly registry: OpenRegistry
  /** Drains, flushes and closes, in the spec's order. */
  stop(): Promise<void>
}

export interface Choices {
  readonly identity: IdentityResolver
  /** Tests and development: a module that answers outside its schema fails loudly. */
  readonly check_outputs: boolean
  /** Protocols beside the catalogue's: benches and tests bring their own. */
  readonly more_protocols?: readonly Protocol[]
  /** Tests about time bring a clock of their own. */
  readonly clock?: Clock
  /** Makes what the first call needs, once the tables are there and before the door opens. */
  readonly provision?: (store: PostgresStore) => Promise<void>
}

const connections_ms_max = 5_000

type Closing = (() => Promise<unknown>)[]

export async function assemble(config: Config, choices: Choices): Promise<Service> {
  const log = openLog(config.log_level)
  const closing: Closing = []
  try {
    const meters = prometheus(log)
    const protocols = chooseProtocols(config, choices)
    const { store, book } = await openStorage(config, meters, log, closing)
    await ensureTenant(store.engine, config.tenant_id, 'The operator of this engine', 'sovereign')
    await book.ready(config.tenant_id)
    await choices.provision?.(store)
    const { ports, breaker, registry } = openPorts(config, choices, { store, book, meters, log, protocols })
    const engine = createEngine(ports)
    const keys = await openKeys(config, store, log, closing)
    const own = { tenant_id: config.tenant_id, did: config.agent_did }
    const gateways = openTrust(config, ports, store)
    const door: Door = { engine, book, keys, clock: ports.clock, log, own, gateways }
    addGauges(meters, engine, book)
    const port = await openGateway(config, door, ports, protocols, log, closing)
    const metrics_port = await openMetrics(config, meters, closing)
    const ticking = startTicking({ breaker, keys, store, log })
    closing.push(async () => ticking.stop())
    const stop = () => stopService(engine, config, closing)
    return { port, metrics_port, store, book, engine, registry, stop }
  } catch (error) {
    for (const close of closing.reverse()) await close().catch(() => undefined)
    throw error
  }
}

async function openStorage(config: Config, meters: Prometheus, log: Ports['log'], closing: Closing) {
  await migrate(config.db_url, migrations)
  const store = await openStore({ url: config.db_url, log, onOutbox: () => book.outboxChanged() })
  closing.push(() => store.close())
  const book: Book = await openBook({
    db_url: config.db_url,
    dir: config.audit_dir,
    master_key: config.master_key,
    bytes_max: config.audit_bytes_max,
    fsync: config.audit_fsync,
    operator_tenant_id: config.tenant_id,
    onUnknownEvent: () => meters.count('audit_unknown_event'),
    log,
  })
  closing.push(() => book.close())
  return { store, book }
}

async function openKeys(config: Config, store: PostgresStore, log: Ports['log'], closing: Closing) {
  const keys = keyRing(store.engine, system_clock, log)
  const changes = await listenForChanges(
    config.db_url,
    (kind, id) => (kind === 'api_key' ? keys.forget(id) : undefined),
    () => keys.forgetAll(),
    log,
  )
  closing.push(() => changes.close())
  return keys
}

function openTrust(config: Config, { clock, registry, log }: Ports, store: PostgresStore): GatewayTrust {
  const isWrite = (protocol: string, operation: string) =>
    registry
      .versions(protocol)
      ?.some(({ operations }) => operations.get(operation)?.facts.effect === 'write') ?? false
  const claim = contextClaims(store.engine, clock, log)
  const { trusted_gateways, require_gateway: required, agent_did: audience } = config
  return trustGateways({ dids: new Set(trusted_gateways), audience, required, isWrite, claim }, clock)
}

async function openGateway(
  config: Config,
  door: Door,
  ports: Ports,
  protocols: readonly Protocol[],
  log: LiveLog,
  closing: Closing,
): Promise<number> {
  const operations: Operations = {
    version: service_version,
    started_ms: ports.clock.monotonic_ms(),
    readiness: async () => ({
      database: await ports.store.healthy(),
      audit: ports.book.state() !== 'overflow',
      rate_limit: ports.limiter.health() === 'ok',
    }),
    trace: liveTrace(config, log),
    identity: ports.identity,
    capabilities: ports.capabilities,
  }
  const gateway = await createGateway(door, (app) => {
    addOperationalRoutes(app, door, operations)
    addDirectoryRoutes(app, protocols)
  })
  closing.push(() => closeGateway(gateway, config))
  return gateway.listen(config.host, config.port).catch((error) => {
    throw portTaken(error, config.port)
  })
}

/** Every call is answered by now. Half a request, or a caller who does not read, must not keep the engine from ending. */
async function closeGateway(gateway: Gateway, config: Config): Promise<void> {
  const wait_ms_max = Math.min(config.shutdown_grace_ms, connections_ms_max)
  const cut = setTimeout(() => gateway.server.closeAllConnections(), wait_ms_max)
  await gateway.close()
  clearTimeout(cut)
}

async function openMetrics(config: Config, meters: Prometheus, closing: Closing): Promise<number> {
  const read = async () => ({ type: meters.registry.contentType, text: await meters.registry.metrics() })
  const metrics = await serveMetrics(config.host, config.metrics_port, read).catch((error) => {
    throw portTaken(error, config.metrics_port)
  })
  closing.push(() => metrics.close())
  return metrics.port
}

/** What /admin/trace reads and changes while the engine runs. */
function liveTrace(config: Config, log: LiveLog): Operations['trace'] {
  let { trace_sample_rate: sample_rate } = config
  return {
    get: () => ({ level: log.level as Required<TraceSettings>['level'], sample_rate }),
    set(settings) {
      if (settings.level) log.level = settings.level
      sample_rate = settings.sample_rate ?? sample_rate
    },
  }
}

function chooseProtocols(config: Config, choices: Choices): readonly Protocol[] {
  const all = [...catalogue, ...(choices.more_protocols ?? [])]
  const unknown = config.protocols.filter((id) => !all.some((protocol) => protocol.id.toUpperCase() === id))
  if (unknown.length)
    throw new ConfigError(`SVC_PROTOCOLS names ${unknown.join(', ')}, which this engine does not have.`)
  return config.protocols.length ? all.filter(({ id }) => config.protocols.includes(id.toUpperCase())) : all
}

interface Parts {
  readonly store: PostgresStore
  readonly book: Book
  readonly meters: Prometheus
  readonly log: Ports['log']
  readonly protocols: readonly Protocol[]
}

function openPorts(config: Config, choices: Choices, { store, book, meters, log, protocols }: Parts) {
  const clock = choices.clock ?? system_clock
  const registry = openRegistry()
  for (const protocol of protocols) registry.register(protocol, [nativeEndpoint(protocol)])
  const breaker = memoryBreaker(clock, (transition) =>
    book.record({
      id: clock.uuid(),
      event_type: 'CircuitBreakerTransition',
      correlation_id: clock.uuid(),
      timestamp: new Date(clock.now_ms()).toISOString(),
      tenant_id: config.tenant_id,
      caller_did: config.agent_did,
      protocol: transition.protocol,
      outcome: 'success',
      latency_ms: 0,
      meta: { ...transition },
    }),
  )
  const ports: Ports = {
    clock,
    identity: choices.identity,
    capabilities: effectiveCapabilities({
      identity: choices.identity,
      keysOf: (did, tenant_id) => capabilitiesOfKeys(store.engine, did, tenant_id),
      grants: [],
    }),
    custody: openKeystore(config.master_key),
    limiter: memoryLimiter(clock),
    breaker,
    balancer: roundRobin(),
    registry,
    store,
    book,
    telemetry: meters,
    meters,
    spending: spendingFromChain(store.engine),
    log,
    settings: {
      engine_did: config.agent_did,
      watts_per_core: config.watts_per_core,
      check_outputs: choices.check_outputs,
      limits: config.limits,
    },
  }
  return { ports, breaker, registry }
}

function addGauges(meters: Prometheus, engine: Engine, book: Book): void {
  const states = { normal: 0, buffering: 1, overflow: 2 }
  meters.gauge('svc_in_flight', 'Calls under way.', () => engine.in_flight)
  meters.gauge('svc_audit_pending_bytes', 'Journalled bytes not yet in the chain.', () =>
    book.pending_bytes(),
  )
  meters.gauge('svc_audit_state', '0 normal, 1 buffering, 2 overflow.', () => states[book.state()])
}

/** In the spec's order: refuse new calls, let those under way finish, flush the book, close connections. */
async function stopService(
  engine: Engine,
  config: Config,
  closing: (() => Promise<unknown>)[],
): Promise<void> {
  const cut = setTimeout(() => engine.cut(), config.shutdown_grace_ms)
  await engine.drain()
  clearTimeout(cut)
  for (const close of closing.reverse()) await close()
}

function portTaken(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`Port ${port} is taken; stop what uses it, or choose others with --port.`)
  if (error.code === 'EACCES')
    return new ConfigError(`Port ${port} needs more rights than this user has; choose one above 1023.`)
  return error
}
