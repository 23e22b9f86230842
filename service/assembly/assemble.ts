// Where everything meets: ports get their adapters, the engine its protocols, the world its doors.

import { keyRing } from '@svc/adapters/access/key-ring'
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { migrate } from '@svc/adapters/store/migrate'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import type { OnOutbox } from '@svc/adapters/store/tenant-transaction'
import { type Prometheus, prometheus } from '@svc/adapters/telemetry/prometheus'
import { type Book, openBook } from '@svc/audit/book'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Protocol } from '@svc/contract/protocol'
import { createEngine, type Engine } from '@svc/engine/dispatch'
import type { Clock, IdentityResolver, Ports, Treaties } from '@svc/engine/ports'
import type { OpenRegistry } from '@svc/engine/routing/registry'
import type { Door } from '@svc/gateway/dispatch/doorkeeper'
import { openRoom } from '@svc/gateway/dispatch/room'
import type { TraceSettings } from '@svc/gateway/operational'
import { ensureUsd } from '@svc/protocols/economic/ledger/api'
import { partnersOf } from '@svc/protocols/governance/moat/api'
import { openActions } from '../background/actions.ts'
import { followChanges } from '../background/change-feed.ts'
import { openFanOut } from '../background/fan-out.ts'
import { followRegistrations } from '../background/follow-registrations.ts'
import { type LiveParts, openLive } from '../background/live.ts'
import { forgetOwn, forgetsDelegations } from '../background/own-changes.ts'
import { projectionsOf } from '../background/projections.ts'
import { openSums } from '../background/summing.ts'
import type { OpenVitals } from '../background/telemetry.ts'
import { startTicking } from '../background/tick.ts'
import { type LiveTrace, liveTrace } from '../background/tracing.ts'
import { openWitnessing } from '../background/witnessing.ts'
import { openWorkflows } from '../background/workflows.ts'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { NodeUrls } from '../settings/identity-settings.ts'
import { openTrust } from './engine-door.ts'
import { type LiveLog, openLog } from './log.ts'
import { openMeans } from './means.ts'
import { addGauges } from './metrics.ts'
import { migrations } from './migrations.ts'
import type { RunningNodes } from './nodes.ts'
import { openPorts } from './open-ports.ts'
import { openPeople } from './people.ts'
import { openPlugins, type Plugins } from './plugins.ts'
import type { Routes } from './routes.ts'
import { openServing, trustEngines } from './served-engines.ts'
import { openSurfaces, type SurfaceChoices, type Surfaces } from './surfaces.ts'

export interface Service extends Surfaces {
  readonly store: PostgresStore
  readonly book: Book
  readonly engine: Engine
  /** Versions and canaries can change while the service runs. */
  readonly registry: OpenRegistry
  /** Probes what is due by the clock; the service does so itself every second. */
  probe(): Promise<void>
  /** Tells everybody who watches; the service does so itself every second. */
  tickLive(): Promise<void>
  readonly trace: LiveTrace
}

export interface Choices extends SurfaceChoices {
  /** A resolver, or what to make of the one that asks the identity node. */
  readonly identity: IdentityResolver | ((oas: IdentityResolver) => IdentityResolver)
  /** Starts the nodes that come with the engine, where none is bound. */
  readonly nodes?: (store: PostgresStore, clock: Clock) => Promise<RunningNodes>
  /** Tests and development: a module that answers outside its schema fails loudly. */
  readonly check_outputs: boolean
  /** Protocols beside the catalogue's: benches and tests bring their own. */
  readonly more_protocols?: readonly Protocol[]
  /** Tests about what treaties allow bring some of their own. */
  readonly treaties?: Treaties
  /** Tests about time bring a clock of their own. */
  readonly clock?: Clock
  /** Development only: agents of this tenant may register endpoints on this machine, and their health is asked for. */
  readonly loopback_tenant?: string
  /** One of several workers: what was changed at this one's /admin/trace is for all of them. */
  readonly onTraceChange?: (settings: TraceSettings) => void
  /** Makes what the first call needs, once the tables are there and before the door opens. */
  readonly provision?: (store: PostgresStore) => Promise<void>
}

type Closing = (() => Promise<unknown>)[]

export async function assemble(config: Config, choices: Choices): Promise<Service> {
  const log = openLog(config.log_level)
  const closing: Closing = []
  try {
    const meters = prometheus(log)
    const protocols = chooseProtocols(config, choices)
    let onEvents = (_events: readonly AuditEntry[]): void => {}
    const { store, book } = await openStorage(config, meters, log, closing, (events) => onEvents(events))
    await provision(config, choices, store, book)
    const clock = choices.clock ?? system_clock
    const urls = await openNodes(config, choices, store, clock, closing)
    const means = await openMeans(config, { store, book, meters, clock, log }, closing)
    const { tiers, money, governance, news, devices, vitals, faculties, limiter } = means
    const standing = { limiter, tiers, governance, faculties, tracer: vitals.tracer, ...money }
    const sums = openSums(book, log, closing)
    const parts = { store, book, sums, meters, log, protocols, clock, urls, ...standing }
    const { ports, breaker, routes, far, lent } = openPorts(config, choices, parts)
    const serving = openServing(config, { protocols, far, aegis: lent.client, tiers })
    const engine = createEngine(ports, serving)
    const people = openPeople(config, store.engine, ports.clock, log, far.clientOf('OAS'))
    closing.push(async () => people.close())
    const keys = keyRing(store.engine, system_clock, log)
    const { registry } = routes
    const working = { store, book, engine, registry, keys, news, clock, log }
    const workflows = openWorkflows(config, working, closing)
    openActions(config, { store, hands: workflows.hands, devices, news, clock, log }, closing)
    const known = [...catalogue, ...(choices.more_protocols ?? [])]
    const followed = { db: store.engine, routes, known, meters, clock, log }
    const { plugins, registrations } = await followProtocols(config, followed, closing)
    const { books } = money
    const { resolver } = far
    const caches = { news, keys, people, resolver, lent, registrations, tiers, books, ...governance }
    onEvents = (events) => forgetOwn(events, caches)
    const changes = await followChanges(config.db_url, caches, log)
    closing.push(() => changes.close())
    const own = { tenant_id: config.tenant_id, did: config.agent_did }
    const gateways = openTrust(config, ports, store)
    const { logins } = people
    const room = openRoom(config, ports.clock)
    const engines = trustEngines(config, ports, store)
    const witness = openWitnessing(config, { store, meters, log, clock, partnersOf }, closing)
    const vouching = { keys: forgetsDelegations(keys, lent), gateways, engines, logins, witness }
    const { proxy_hops } = config.login
    const door: Door = { engine, book, sums, clock, log, own, room, proxy_hops, ...vouching }
    addGauges(config, meters, engine, book, room)
    const told = { ports, engine, book, breaker, meters, vitals, db: store.engine }
    const { live, trace } = openTelling(config, choices, log, told, closing)
    const shown = { door, ports, people, meters, workflows, plugins, live, trace }
    const surfaces = await openSurfaces(config, choices, shown, closing)
    const outside = placesBeside(routes, plugins)
    const { loopback_tenant } = choices
    const ticking = startTicking({ breaker, keys, store, far: outside, clock, loopback_tenant, log })
    closing.push(async () => ticking.stop())
    const asked = { probe: ticking.probe, tickLive: live.tick, trace }
    return { ...surfaces, ...asked, store, book, engine, registry }
  } catch (error) {
    for (const close of closing.reverse()) await close().catch(() => undefined)
    throw error
  }
}

/** What the engine tells of itself while it runs, and how much of it. */
function openTelling(
  config: Config,
  { onTraceChange }: Choices,
  log: LiveLog,
  { vitals, ...parts }: Omit<LiveParts, 'instance'> & { readonly vitals: OpenVitals; readonly book: Book },
  closing: Closing,
) {
  vitals.watch(parts)
  return {
    live: openLive(config, { ...parts, instance: vitals.instance }, closing),
    trace: liveTrace(config, log, vitals.tracer, onTraceChange),
  }
}

/** Protocols come and go while the engine runs, as services outside and as plugins. */
async function followProtocols(config: Config, parts: Parameters<typeof openPlugins>[1], closing: Closing) {
  const outside = await followRegistrations(parts.routes, parts.log, closing)
  const plugins = await openPlugins(config, parts, closing)
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
  book: Book,
): Promise<void> {
  await ensureTenant(store.engine, tenant_id, 'The operator of this engine', 'sovereign')
  await nameOperator(store.engine, tenant_id)
  await ensureUsd(store.engine, tenant_id)
  await book.ready(tenant_id)
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
    book.outboxChanged()
    onEvents(events)
  }
  const store = await openStore({ url: config.db_url, log, onOutbox })
  closing.push(() => store.close())
  const fan_out = openFanOut(config, meters, log, closing)
  const book: Book = await openBook({
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
  closing.push(() => book.close())
  return { store, book }
}

async function openNodes(
  config: Config,
  { nodes }: Choices,
  store: PostgresStore,
  clock: Clock,
  closing: Closing,
): Promise<NodeUrls> {
  const running = await nodes?.(store, clock)
  if (running) closing.push(() => running.close())
  return running?.urls ?? config.node_urls
}

function chooseProtocols(config: Config, choices: Choices): readonly Protocol[] {
  const { features, plugins } = config
  if (!features.includes('native-adapter') || !plugins.allowed_sources.includes('builtin')) return []
  const all = [...catalogue, ...(choices.more_protocols ?? [])]
  const unknown = config.protocols.filter((id) => !all.some((protocol) => protocol.id.toUpperCase() === id))
  if (unknown.length)
    throw new ConfigError(`SVC_PROTOCOLS names ${unknown.join(', ')}, which this engine does not have.`)
  return config.protocols.length ? all.filter(({ id }) => config.protocols.includes(id.toUpperCase())) : all
}
