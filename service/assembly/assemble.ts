// Assembles an engine: adapters for its ports, its protocols, background work and the surfaces callers use.

import { contextClaims } from '@svc/adapters/access/gateway-contexts'
import { type CachedKeyRing, keyRing } from '@svc/adapters/access/key-ring'
import type { DelegationSource } from '@svc/adapters/capabilities/delegations'
import { system_clock } from '@svc/adapters/clock/system'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import { queryOf } from '@svc/audit/query/query'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Protocol } from '@svc/contract/protocol'
import { createEngine, type Engine } from '@svc/engine/dispatch'
import type { Clock, Ports } from '@svc/engine/ports'
import type { OpenRegistry } from '@svc/engine/routing/registry'
import { openAdmission } from '@svc/gateway/dispatch/admission-control'
import { openProofs } from '@svc/gateway/dispatch/proofs'
import type { DispatchEndpoint } from '@svc/gateway/dispatch/refusal-recorder'
import { openSite, type SettledSite } from '@svc/gateway/oauth/site'
import type { TraceSettings } from '@svc/gateway/operational'
import { partnersOf } from '@svc/protocols/governance/moat/api'
import { openActions } from '../background/actions.ts'
import { followChanges } from '../background/change-feed.ts'
import { followRegistrations } from '../background/follow-registrations.ts'
import { type Live, openLive } from '../background/live.ts'
import { forgetOwn, forgetsDelegations } from '../background/own-changes.ts'
import { startTicking } from '../background/tick.ts'
import { type LiveTrace, liveTrace } from '../background/tracing.ts'
import { openViews } from '../background/views.ts'
import { openWitnessing } from '../background/witnessing.ts'
import { openWorkflows, type Workflows } from '../background/workflows.ts'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { NodeUrls } from '../settings/identity-settings.ts'
import { openTrust } from './engine-endpoint.ts'
import type { Closing, Host } from './host.ts'
import { openLogTiles } from './log-tiles.ts'
import { addGauges } from './metrics.ts'
import type { RunningNodes } from './nodes.ts'
import { type HostChoices, openHost } from './open-host.ts'
import { type OpenPorts, openPorts, type PortChoices, type Protocols } from './open-ports.ts'
import { operatorView } from './operator-view.ts'
import { openPeople, type People } from './people.ts'
import { openPlugins, type Plugins } from './plugins.ts'
import { proofSettings } from './proofs.ts'
import { publicAgents } from './public-agents.ts'
import type { RemoteServices } from './remote-services.ts'
import type { Routes } from './routes.ts'
import { openServing, trustEngines } from './served-engines.ts'
import { openSurfaces, type SurfaceChoices, type Surfaces } from './surfaces.ts'

export interface Service extends Surfaces {
  readonly store: PostgresStore
  readonly audit_log: AuditLog
  readonly root_keys: RootKeys
  readonly engine: Engine
  /** Versions and canaries can change while the service runs. */
  readonly registry: OpenRegistry
  /** Runs the probes that are due; the service does so itself every second. */
  probe(): Promise<void>
  /** Sends figures to the open live feeds; the service does so itself every second. */
  tickLive(): Promise<void>
  readonly trace: LiveTrace
}

export interface Choices extends HostChoices, SurfaceChoices, PortChoices {
  /** Starts the bundled nodes where no node is configured. */
  readonly nodes?: (store: PostgresStore, clock: Clock) => Promise<RunningNodes>
  /** Protocols of benches and tests, in addition to the catalogue's. */
  readonly more_protocols?: readonly Protocol[]
  /**
   * Development only: agents of this tenant may register endpoints on this machine, which are probed too, and its people
   * look at the engine as its operator's do.
   */
  readonly loopback_tenant?: string
  /** With several workers: applies a change made at this worker's /admin/trace to all of them. */
  readonly onTraceChange?: (settings: TraceSettings) => void
}

export async function assemble(config: Config, choices: Choices): Promise<Service> {
  const closing: Closing = []
  try {
    const protocols = chooseProtocols(config, choices)
    let onCommitted = (_events: readonly AuditEntry[]): void => {}
    const host = await openHost(config, choices, closing, (events) => onCommitted(events))
    const urls = await openNodes(config, choices, host, closing)
    const site = openSite()
    const adapters = await openPorts(config, choices, protocols, urls, site, host, closing)
    const { ports, breaker, routes, remote, delegations } = adapters
    const engine = openEngine(config, protocols, adapters)
    const callers = openCallers(config, remote, site, host, closing)
    const workflows = openSchedulers(config, { host, engine, keys: callers.keys, adapters }, closing)
    const { plugins, registrations } = await followProtocols(config, routes, protocols.known, host, closing)

    const caches = { ...adapters.caches, ...callers, delegations, resolver: remote.resolver, registrations }
    onCommitted = (events) => forgetOwn(events, caches)
    const { change_notifications } = adapters
    const changes = await followChanges(config.db_url, { ...caches, change_notifications }, host.log)
    closing.push(() => changes.close())

    const { loopback_tenant } = choices
    const parts = { host, ports, engine, ...callers, delegations, loopback_tenant }
    const dispatch_endpoint = openEndpoint(config, parts, closing)
    const { live, trace } = openMonitoring(config, choices, { host, engine, adapters }, closing)
    const surfaces = await openSurfaces(
      config,
      choices,
      {
        dispatch_endpoint,
        ports,
        people: callers.people,
        meters: host.meters,
        workflows,
        plugins,
        live,
        trace,
        operator_view: operatorView(config, host, ports),
      },
      closing,
    )
    const probed = probedEndpoints(routes, plugins)
    const ticking = startTicking({ ...host, breaker, keys: callers.keys, remote: probed, loopback_tenant })
    closing.push(async () => ticking.stop())
    return {
      ...surfaces,
      probe: ticking.probe,
      tickLive: live.tick,
      trace,
      store: host.store,
      audit_log: host.audit_log,
      root_keys: host.root_keys,
      engine,
      registry: routes.registry,
    }
  } catch (error) {
    for (const close of closing.reverse()) await close().catch(() => undefined)
    throw error
  }
}

function openEngine(config: Config, { served }: Protocols, adapters: OpenPorts): Engine {
  const { ports, remote, delegations, caches } = adapters
  const aegis = delegations.client
  return createEngine(ports, openServing(config, { protocols: served, remote, aegis, tiers: caches.tiers }))
}

interface Callers {
  readonly keys: CachedKeyRing
  readonly people: People
}

function openCallers(
  config: Config,
  remote: RemoteServices,
  site: SettledSite,
  host: Host,
  closing: Closing,
): Callers {
  const { db, root_keys, clock, log } = host
  const keys = keyRing(db, system_clock, log)
  const people = openPeople(config, { db, root_keys, clock, log, site, oas: remote.clientOf('OAS') })
  closing.push(async () => people.close())
  return { keys, people }
}

interface EngineParts {
  readonly host: Host
  readonly engine: Engine
  readonly adapters: OpenPorts
}

/** Runs and actions continue in the background after the call that started them. */
function openSchedulers(
  config: Config,
  { host, engine, keys, adapters }: EngineParts & Pick<Callers, 'keys'>,
  closing: Closing,
): Workflows {
  const { routes, devices, change_notifications } = adapters
  const { registry } = routes
  const workflows = openWorkflows({ ...host, engine, registry, keys, change_notifications }, closing)
  openActions(config, { ...host, run_executor: workflows.executor, devices, change_notifications }, closing)
  openViews(config, { ...host, executor: workflows.executor }, closing)
  return workflows
}

function openMonitoring(
  config: Config,
  { onTraceChange }: Choices,
  { host, engine, adapters }: EngineParts,
  closing: Closing,
): { readonly live: Live; readonly trace: LiveTrace } {
  const { ports, breaker, health } = adapters
  health.watch({ engine, audit_log: host.audit_log })
  const live = openLive(config, { ...host, ports, engine, breaker, instance: health.instance }, closing)
  return { live, trace: liveTrace(config, host.log, health.tracer, onTraceChange) }
}

interface EndpointParts extends Callers {
  readonly host: Host
  readonly ports: Ports
  readonly engine: Engine
  readonly delegations: DelegationSource
  readonly loopback_tenant: string | undefined
}

/** Accepts calls from holders of API keys, signed-in people, gateways and other engines. */
function openEndpoint(
  config: Config,
  { host, ports, engine, keys, people, delegations, loopback_tenant }: EndpointParts,
  closing: Closing,
): DispatchEndpoint {
  const { store, root_keys, audit_log, meters, clock, log } = host
  const room = openAdmission(config, clock)
  addGauges(config, meters, engine, audit_log, room)
  const claim = contextClaims(store.engine, clock, log)
  return {
    engine,
    audit_log,
    sums: ports.sums,
    clock,
    log,
    own: { tenant_id: config.tenant_id, did: config.agent_did },
    developers_tenant_id: loopback_tenant,
    admission: room,
    proxy_hops: config.login.proxy_hops,
    keys: forgetsDelegations(keys, delegations),
    gateways: openTrust(config, ports, store, claim),
    engines: trustEngines(config, ports, store),
    logins: people.logins,
    proofs: openProofs(
      proofSettings(() => people.mcp.site.public_url, ports, store.engine, claim),
      clock,
    ),
    witness: openWitnessing(config, { store, root_keys, meters, log, clock, partnersOf }, closing),
    log_tiles: openLogTiles(queryOf(store.engine), clock),
    public_agents: publicAgents(store.engine),
  }
}

/** External services and plugins add and remove protocols while the engine runs. */
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

/** Health of everything that does not run in this process: plugins and external services. */
function probedEndpoints(routes: Routes, plugins: Plugins): Routes['outside'] {
  return {
    get watched() {
      return routes.outside.watched
    },
    isHealthy: (endpoint) => plugins.isHealthy(endpoint) ?? routes.outside.isHealthy(endpoint),
  }
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
