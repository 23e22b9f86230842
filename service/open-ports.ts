// Every port of the engine gets its adapter here.
import { capabilitiesOfKeys } from '@svc/adapters/access/api-keys'
import { satAt } from '@svc/adapters/access/charter'
import { balancers } from '@svc/adapters/balancer/balancers'
import { delegationSource } from '@svc/adapters/capabilities/delegations'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { spendingFromChain } from '@svc/adapters/spending/from-chain'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { Book } from '@svc/audit/book'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Protocol } from '@svc/contract/protocol'
import type { Clock, IdentityResolver, Ports, RateLimiter } from '@svc/engine/ports'
import type { Config } from './config.ts'
import { openFarServices } from './far-services.ts'
import type { NodeUrls } from './identity-settings.ts'
import { recordedBreaker } from './recorded-breaker.ts'
import { openRoutes } from './routes.ts'

interface Parts {
  readonly store: PostgresStore
  readonly book: Book
  readonly meters: Prometheus
  readonly log: Ports['log']
  readonly protocols: readonly Protocol[]
  readonly clock: Clock
  readonly urls: NodeUrls
  readonly limiter: RateLimiter
}

interface PortChoices {
  readonly identity: IdentityResolver | ((oas: IdentityResolver) => IdentityResolver)
  readonly check_outputs: boolean
  readonly more_protocols?: readonly Protocol[]
}

export function openPorts(config: Config, choices: PortChoices, parts: Parts) {
  const { store, book, meters, log, clock, limiter, protocols } = parts
  const breaker = recordedBreaker(config, parts)
  const far = openFarServices({ config, ...parts, db: store.engine, breaker })
  const identity = typeof choices.identity === 'function' ? choices.identity(far.resolver) : choices.identity
  const keysOf = (did: string, tenant_id: string) => capabilitiesOfKeys(store.engine, did, tenant_id)
  const lent = delegationSource({ client: far.clientOf('Aegis'), clock, log, identity, keysOf })
  const known = [...catalogue, ...(choices.more_protocols ?? [])]
  const routes = openRoutes({
    config,
    protocols,
    known,
    far,
    aegis: lent.client,
    db: store.engine,
    clock,
    log,
  })
  const ports: Ports = {
    clock,
    identity,
    capabilities: effectiveCapabilities({ identity, keysOf, grants: [lent] }),
    custody: openKeystore(config.master_key),
    charter: { satAt },
    publisher: far.publisher,
    limiter,
    breaker,
    balancer: balancers(clock),
    registry: routes.registry,
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
  return { ports, breaker, routes, far, lent }
}
