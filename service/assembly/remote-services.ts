// Clients of the external nodes, probed by the circuit breaker, and the identity resolver that uses one of them.
import { satAt } from '@svc/adapters/access/charter'
import { endedAmong } from '@svc/adapters/access/revocations'
import type { MemoryBreaker, Place } from '@svc/adapters/breaker/memory'
import { adaptedEndpoint } from '@svc/adapters/endpoint/adapted'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { type OasResolver, oasResolver } from '@svc/adapters/identity/oas'
import type { Database } from '@svc/contract/database'
import type { Protocol } from '@svc/contract/protocol'
import type { Clock, Log } from '@svc/engine/ports'
import type { Breaker, Endpoint } from '@svc/engine/routing/routing'
import { keepKeyEvents } from '@svc/protocols/identity/keys/api'
import { lineageOf } from '@svc/protocols/identity/macs/api'
import type { Config } from '../settings/config.ts'
import type { IdentitySettings, NodeUrls } from '../settings/identity-settings.ts'

const answer_ms_max = 3_000

export interface RemoteServices {
  readonly resolver: OasResolver
  /** Undefined if no node of this standard is configured. */
  clientOf(protocol: string): ExternalClient | undefined
  /** Where a protocol runs: in this process, or for an adapter at its configured node. */
  endpointsOf(protocol: Protocol, aegis?: ExternalClient): readonly Endpoint[]
  readonly watched: readonly Place[]
  /** Undefined if the endpoint is not external. */
  isHealthy(endpoint: string): Promise<boolean> | undefined
}

/** Settings that engine and gateway have in common. */
export type Believing = Pick<Config, 'agent_did' | 'tenant_id'> &
  Partial<Pick<Config, 'tls'>> &
  Omit<IdentitySettings, 'node_urls'>

interface Parts {
  readonly config: Believing
  readonly urls: NodeUrls
  readonly db: Database
  readonly clock: Clock
  /** A gateway probes nothing, so no node counts as unavailable there. */
  readonly breaker: Breaker & Partial<Pick<MemoryBreaker, 'isAway'>>
  readonly log: Log
}

export function openRemoteServices(parts: Parts): RemoteServices {
  const { config, urls, clock } = parts
  const clients = new Map<string, ExternalClient>()
  for (const [protocol, url] of Object.entries(urls)) {
    const { agent_key: signer, tls } = config
    const service = { protocol, url, timeout_ms: answer_ms_max, signer, tls: tls?.client }
    clients.set(protocol, externalClient(service, clock))
  }
  const resolver = openResolver(parts, clients.get('OAS'))
  const publishers = {
    require_signatures: config.require_signatures,
    trusted: [config.agent_did, ...config.trusted_publishers],
  }
  return {
    resolver,
    clientOf: (protocol) => clients.get(protocol),
    endpointsOf(protocol, aegis) {
      if (protocol.estate !== 'adapter') return [nativeEndpoint(protocol)]
      const own: Record<string, ExternalClient | undefined> = { OAS: resolver.client, Aegis: aegis }
      const client = own[protocol.id] ?? clients.get(protocol.id)
      return client ? [adaptedEndpoint(protocol, client, publishers)] : []
    },
    watched: [...clients].map(([protocol, { url }]) => ({ protocol, endpoint: url })),
    isHealthy: (endpoint) => [...clients.values()].find(({ url }) => url === endpoint)?.isHealthy(),
  }
}

function openResolver(
  { config, db, clock, breaker, log }: Parts,
  client: ExternalClient | undefined,
): OasResolver {
  const trusted = new Set([config.agent_did, ...config.trusted_issuers])
  return oasResolver({
    client,
    clock,
    log,
    own: { tenant_id: config.tenant_id, did: config.agent_did },
    isTrustedIssuer: (issuer_did, tenant_id) =>
      trusted.has(issuer_did) || satAt(db, tenant_id, issuer_did, new Date(clock.now_ms())),
    revocations: (dids) => endedAmong(db, dids),
    learnKeys: (did, events) => keepKeyEvents(db, did, events),
    lineageOf: (did) => lineageOf(db, did),
    isAway: () => client !== undefined && breaker.isAway?.('OAS', client.url) === true,
  })
}
