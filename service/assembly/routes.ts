// What this engine routes to: the catalogue's protocols in this process, replaced by registered external services.
import type { Place } from '@svc/adapters/breaker/memory'
import type { ExternalClient } from '@svc/adapters/endpoint/external-client'
import {
  type EndpointParts,
  type ExternalEndpoint,
  externalEndpoint,
} from '@svc/adapters/external/external-endpoint'
import { type ProtocolSettings, readAll } from '@svc/adapters/external/registrations'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import type { Database } from '@svc/contract/database'
import type { Declaration, Protocol } from '@svc/contract/protocol'
import type { Clock, Log, Treaties } from '@svc/engine/ports'
import { type OpenRegistry, openRegistry } from '@svc/engine/routing/registry'
import type { Endpoint } from '@svc/engine/routing/routing'
import { readJson } from '@svc/gateway/dispatch/read-json'
import { large_bytes, readLargeJson } from '@svc/gateway/dispatch/read-large-json'
import type { Config } from '../settings/config.ts'
import type { RemoteServices } from './remote-services.ts'
import { groupByVersion, type VersionGroup, versionKey } from './route-groups.ts'

interface Parts {
  readonly config: Pick<Config, 'agent_key' | 'allowed_networks' | 'tls' | 'tenant_id'>
  /** The protocols this engine runs, and the whole catalogue, which describes external ones too. */
  readonly protocols: { readonly served: readonly Protocol[]; readonly known: readonly Protocol[] }
  readonly remote: RemoteServices
  readonly aegis: ExternalClient | undefined
  readonly db: Database
  readonly treaties: Treaties
  readonly clock: Clock
  readonly log: Log
}

export interface Routes {
  readonly registry: OpenRegistry
  /** The external endpoints that are probed now. */
  readonly outside: Pick<RemoteServices, 'watched' | 'isHealthy'>
  /** Applies the current registrations; calls in flight are not interrupted. */
  reload(): Promise<void>
  /** Why a plugin cannot have this version; undefined if it can. */
  taken(id: string, version: string): string | undefined
  /** Routes a plugin's version like one of this process, until it is removed. */
  host(declaration: Declaration, endpoint: Endpoint): void
  unhost(id: string, version: string): void
  close(): void
}

interface Native {
  readonly protocol: Declaration
  readonly endpoints: readonly Endpoint[]
}

/** A routed version and its registration, so that only changes are applied. */
interface Routed {
  readonly id: string
  readonly version: string
  readonly words: string
  readonly endpoints: readonly ExternalEndpoint[]
}

export function openRoutes(parts: Parts): Routes {
  const registry = openRegistry()
  const outgoing = outgoingParts(parts)
  const natives = registerNatives(registry, parts)
  const canaries = new Map<string, string>()
  let endpoints = new Map<string, ExternalEndpoint>()
  let routed = new Map<string, Routed>()
  const route = (groups: readonly VersionGroup[]) => {
    const [open, next] = [new Map<string, ExternalEndpoint>(), new Map<string, Routed>()]
    for (const group of groups) {
      const { id, version } = group.declaration
      const old = routed.get(versionKey(id, version))
      next.set(versionKey(id, version), routeGroup(group, old, { registry, outgoing, endpoints, open }))
    }
    for (const [key, old] of routed) if (!next.has(key)) bringBack(registry, natives.get(key), old)
    for (const [words, endpoint] of endpoints) if (!open.has(words)) endpoint.close()
    endpoints = open
    routed = next
  }
  return {
    registry,
    outside: {
      get watched() {
        return [...parts.remote.watched, ...placesOf(routed)]
      },
      isHealthy(url) {
        const registered = [...endpoints.values()].find(({ id }) => id === url)
        return registered ? registered.isHealthy() : parts.remote.isHealthy(url)
      },
    },
    async reload() {
      const { registrations, settings } = await readAll(parts.db)
      route(groupByVersion(registrations, settings, parts.protocols.known))
      weigh(registry, settings, canaries, parts.log)
    },
    taken(id, version) {
      const by = registry.versions(id)?.find((each) => each.version === version)?.endpoints[0]?.id
      if (by === undefined) return undefined
      return `${id} ${version} is served already (${by}); give the plugin another version.`
    },
    host(declaration, endpoint) {
      const key = versionKey(declaration.id, declaration.version)
      natives.set(key, { protocol: declaration, endpoints: [endpoint] })
      // External services take precedence over plugins and built-in protocols.
      if (!routed.has(key)) registry.register(declaration, [endpoint])
    },
    unhost(id, version) {
      natives.delete(versionKey(id, version))
      if (!routed.has(versionKey(id, version))) registry.unregister(id, version)
    },
    close() {
      for (const endpoint of endpoints.values()) endpoint.close()
    },
  }
}

function outgoingParts({ config, clock, treaties }: Parts): EndpointParts {
  return {
    signer: config.agent_key,
    clock,
    outbound: {
      guard: addressGuard(config.allowed_networks),
      ca: config.tls.authorities,
      shows: config.tls.client,
    },
    readJson: (bytes) => (bytes.length > large_bytes ? readLargeJson(bytes) : readJson(bytes)),
    async isInForce(treaty_id) {
      const treaty = await treaties.find(config.tenant_id, treaty_id)
      const [one, other] = treaty?.parties ?? []
      if (!treaty || !one || !other) return false
      const line = await treaties.between(one.tenant, other.tenant)
      return line.some(
        (each) => each.root_id === treaty.root_id && treatyStateAt(each, clock.now_ms()) === 'ACTIVE',
      )
    },
  }
}

function registerNatives(registry: OpenRegistry, { protocols, remote, aegis }: Parts): Map<string, Native> {
  const natives = new Map<string, Native>()
  for (const protocol of protocols.served) {
    const endpoints = remote.endpointsOf(protocol, aegis)
    natives.set(versionKey(protocol.id, protocol.version), { protocol, endpoints })
    registry.register(protocol, endpoints)
  }
  return natives
}

interface Routing {
  readonly registry: OpenRegistry
  readonly outgoing: EndpointParts
  /** The current ones, by their registration. */
  readonly endpoints: ReadonlyMap<string, ExternalEndpoint>
  /** The next ones. */
  readonly open: Map<string, ExternalEndpoint>
}

/** An endpoint whose registration did not change keeps its connections and counts. */
function routeGroup(group: VersionGroup, old: Routed | undefined, routing: Routing): Routed {
  const { declaration, registrations, balance } = group
  const { id, version } = declaration
  const { registry, outgoing, open } = routing
  const words = JSON.stringify([registrations, balance])
  const endpoints = registrations.map((registration) => {
    const own_words = JSON.stringify(registration)
    const endpoint = routing.endpoints.get(own_words) ?? externalEndpoint(registration, declaration, outgoing)
    open.set(own_words, endpoint)
    return endpoint
  })
  if (old?.words !== words) registry.register(declaration, endpoints, balance)
  return { id, version, words, endpoints }
}

/** Without external services the built-in version runs again, if there is one. */
function bringBack(registry: OpenRegistry, native: Native | undefined, { id, version }: Routed): void {
  if (native) registry.register(native.protocol, native.endpoints)
  else registry.unregister(id, version)
}

function placesOf(routed: ReadonlyMap<string, Routed>): Place[] {
  return [...routed.values()].flatMap(({ id, endpoints }) =>
    endpoints.map((endpoint) => ({ protocol: id, endpoint: endpoint.id })),
  )
}

/** Every change clears the router's cache, so unchanged weights are not set again. */
function weigh(
  registry: OpenRegistry,
  settings: readonly ProtocolSettings[],
  set: Map<string, string>,
  log: Log,
): void {
  for (const { name_key, canary } of settings) {
    const words = JSON.stringify(canary)
    if ((set.get(name_key) ?? '[]') === words) continue
    try {
      registry.setCanary(name_key, canary)
    } catch (error) {
      log.error({ err: error, protocol: name_key }, 'canary weights are invalid and were not changed')
    }
    set.set(name_key, words)
  }
}
