// Every port of the engine gets its adapter here.
import { capabilitiesOfKeys } from '@svc/adapters/access/api-keys'
import { changeCharter, listMembers, satAt } from '@svc/adapters/access/charter'
import type { TenantTiers } from '@svc/adapters/access/tenant-tiers'
import { balancers } from '@svc/adapters/balancer/balancers'
import { delegationSource } from '@svc/adapters/capabilities/delegations'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { registrationsOf } from '@svc/adapters/external/registrations'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { BooksCache } from '@svc/adapters/treasury/books-cache'
import { envelopeGrants } from '@svc/adapters/treasury/envelope-grants'
import type { Book } from '@svc/audit/book'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Database } from '@svc/contract/database'
import type { Faculties } from '@svc/contract/needs/faculties'
import type { Protocol } from '@svc/contract/protocol'
import type { Calibrator, Registrar } from '@svc/engine/handler/consulted'
import type { Clock, IdentityResolver, Ports, Purses, RateLimiter, Treaties } from '@svc/engine/ports'
import { registerEntry } from '@svc/protocols/awareness/mars/api'
import { applyMap, publishedMap } from '@svc/protocols/truth/mantic/api'
import type { Governance } from '../background/governance.ts'
import { recordedBreaker } from '../background/recorded-breaker.ts'
import type { Config } from '../settings/config.ts'
import type { NodeUrls } from '../settings/identity-settings.ts'
import { openFarServices } from './far-services.ts'
import { openRoutes } from './routes.ts'

interface Parts {
  readonly store: PostgresStore
  readonly book: Book
  readonly sums: Ports['sums']
  readonly meters: Prometheus
  readonly log: Ports['log']
  readonly protocols: readonly Protocol[]
  readonly clock: Clock
  readonly urls: NodeUrls
  readonly limiter: RateLimiter
  readonly books: BooksCache
  readonly purses: Purses
  readonly tiers: TenantTiers
  readonly governance: Governance
  readonly faculties: Faculties
  readonly tracer: Ports['tracer']
}

interface PortChoices {
  readonly identity: IdentityResolver | ((oas: IdentityResolver) => IdentityResolver)
  readonly check_outputs: boolean
  readonly more_protocols?: readonly Protocol[]
  /** Tests about what treaties allow bring some of their own. */
  readonly treaties?: Treaties
}

export function openPorts(config: Config, choices: PortChoices, parts: Parts) {
  const { store, book, meters, log, clock, limiter, protocols, books, purses, tiers } = parts
  const breaker = recordedBreaker(config, parts)
  const far = openFarServices({ config, ...parts, db: store.engine, breaker })
  const identity = typeof choices.identity === 'function' ? choices.identity(far.resolver) : choices.identity
  const keysOf = (did: string, tenant_id: string) => capabilitiesOfKeys(store.engine, did, tenant_id)
  const lent = delegationSource({ client: far.clientOf('Aegis'), clock, log, identity, keysOf })
  const known = [...catalogue, ...(choices.more_protocols ?? [])]
  const treaties = choices.treaties ?? parts.governance.treaties
  const routes = openRoutes({
    config,
    protocols,
    known,
    far,
    aegis: lent.client,
    db: store.engine,
    treaties,
    clock,
    log,
  })
  const ports: Ports = {
    clock,
    identity,
    capabilities: effectiveCapabilities({
      identity,
      keysOf,
      grants: [lent, envelopeGrants(books)],
    }),
    custody: openKeystore(config.master_key),
    faculties: parts.faculties,
    charter: { satAt, members, change: changeCharter },
    publisher: far.publisher,
    limiter,
    breaker,
    balancer: balancers(clock),
    registry: routes.registry,
    store,
    book,
    sums: parts.sums,
    telemetry: meters,
    meters,
    tracer: parts.tracer,
    treasury: books,
    purses,
    ...parts.governance,
    treaties,
    registrar: registerInMars,
    calibrator: calibrateByMantic,
    tenants: { tierOf: tiers.tierOf, speakersOf: (protocol) => speakersOf(store, protocol) },
    log,
    settings: {
      engine_did: config.agent_did,
      operator_tenant_id: config.tenant_id,
      watts_per_core: config.watts_per_core,
      check_outputs: choices.check_outputs,
      limits: config.limits,
    },
  }
  return { ports, breaker, routes, far, lent }
}

async function members(db: Database, tenant_id: string): Promise<string[]> {
  return (await listMembers(db, tenant_id)).map(({ did }) => did)
}

/** What was made stays true until it is replaced. */
const registerInMars: Registrar = async (context, entry) => {
  const registered = await registerEntry(
    context,
    { ...entry, ttl_seconds: null },
    { signers: [context.caller.did] },
  )
  return `mars://${registered.entry}`
}

const calibrateByMantic: Calibrator = async (context, forecaster, probability) => {
  const map = await publishedMap(context, forecaster)
  return map && applyMap(map, probability)
}

/** Whoever answers for a protocol from outside may also say what it used. */
async function speakersOf({ engine }: PostgresStore, protocol: string): Promise<readonly string[]> {
  const registrations = await registrationsOf(engine, protocol)
  return registrations.filter(({ enabled }) => enabled).map(({ did }) => did)
}
