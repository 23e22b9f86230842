// Every port of the engine gets its adapter here.
import { capabilitiesOfKeys } from '@svc/adapters/access/api-keys'
import { type TenantTiers, tenantTiers } from '@svc/adapters/access/tenant-tiers'
import { balancers } from '@svc/adapters/balancer/balancers'
import type { MemoryBreaker } from '@svc/adapters/breaker/memory'
import { type DelegationSource, delegationSource } from '@svc/adapters/capabilities/delegations'
import { effectiveCapabilities } from '@svc/adapters/capabilities/effective'
import { type DatabaseChanges, databaseChanges } from '@svc/adapters/change-notifications/database'
import { WorkerPool } from '@svc/adapters/compute/worker-pool'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { tokenCounter } from '@svc/adapters/tokens/token-counter'
import type { BooksCache } from '@svc/adapters/treasury/books-cache'
import { envelopeGrants } from '@svc/adapters/treasury/envelope-grants'
import type { Devices } from '@svc/contract/needs/devices'
import type { Protocol } from '@svc/contract/protocol'
import type { IdentityResolver, Ports, Treaties } from '@svc/engine/ports'
import { openCognition } from '../background/cognition.ts'
import { openDevices } from '../background/devices.ts'
import { type Governance, openGovernance } from '../background/governance.ts'
import { openMail } from '../background/mail.ts'
import { recordedBreaker } from '../background/recorded-breaker.ts'
import { openSums } from '../background/summing.ts'
import { type OpenHealth, openHealth } from '../background/telemetry.ts'
import { openTreasury } from '../background/treasury.ts'
import type { Config } from '../settings/config.ts'
import type { NodeUrls } from '../settings/identity-settings.ts'
import type { Closing, Host } from './host.ts'
import { openLimiter } from './limiter.ts'
import { openNeeds } from './needs.ts'
import { openRemoteServices, type RemoteServices } from './remote-services.ts'
import { openRoutes, type Routes } from './routes.ts'

export interface PortChoices {
  /** A resolver, or what to make of the one that asks the identity node. */
  readonly identity: IdentityResolver | ((oas: IdentityResolver) => IdentityResolver)
  /** Tests and development: a module that answers outside its schema fails loudly. */
  readonly check_outputs: boolean
  /** Tests about what treaties allow bring some of their own. */
  readonly treaties?: Treaties
}

/** What this engine runs, and all that the catalogue knows, run here or not. */
export interface Protocols {
  readonly served: readonly Protocol[]
  readonly known: readonly Protocol[]
}

export interface OpenPorts {
  readonly ports: Ports
  readonly breaker: MemoryBreaker
  readonly routes: Routes
  readonly remote: RemoteServices
  readonly delegations: DelegationSource
  readonly tiers: TenantTiers
  readonly books: BooksCache
  readonly governance: Governance
  readonly change_notifications: DatabaseChanges
  readonly devices: Devices
  readonly health: OpenHealth
}

export async function openPorts(
  config: Config,
  choices: PortChoices,
  protocols: Protocols,
  urls: NodeUrls,
  host: Host,
  closing: Closing,
): Promise<OpenPorts> {
  const { db, audit_log, meters, clock, log } = host
  const limiter = await openLimiter(config, host, closing)
  const tiers = tenantTiers(db, clock)
  const { books, budget_counters } = await openTreasury(config, { ...host, tiers }, closing)
  const governance = await openGovernance(config, host, closing)
  const treaties = choices.treaties ?? governance.treaties
  const sums = openSums(audit_log, log, closing)
  const breaker = recordedBreaker(config, host)
  const remote = openRemoteServices({ config, urls, db, clock, breaker, log })
  const identity =
    typeof choices.identity === 'function' ? choices.identity(remote.resolver) : choices.identity
  const keysOf = (did: string, tenant_id: string) => capabilitiesOfKeys(db, did, tenant_id)
  const delegations = delegationSource({ client: remote.clientOf('Aegis'), clock, log, identity, keysOf })
  const routes = openRoutes({
    config,
    protocols,
    remote,
    aegis: delegations.client,
    db,
    treaties,
    clock,
    log,
  })
  const change_notifications = databaseChanges(db, log)
  closing.push(() => change_notifications.close())
  const devices = await openDevices(config, { ...host, change_notifications }, closing)
  const health = openHealth(config, host, closing)
  const identity_node = remote.resolver.client
  const custody = openKeystore(config.master_key)
  const world = { ...host, custody, tiers, identity_node, change_notifications, devices, health }
  const { needs, embedder } = openNeeds(config, world, closing)
  openMail(host, closing)
  openCognition(config, { ...host, embedder }, closing)
  const ports: Ports = {
    clock,
    identity,
    capabilities: effectiveCapabilities({ identity, keysOf, grants: [delegations, envelopeGrants(books)] }),
    custody,
    needs,
    ...openWorkers(host, closing),
    limiter,
    breaker,
    balancer: balancers(clock),
    registry: routes.registry,
    store: host.store,
    audit_log,
    sums,
    meters,
    tracer: health.tracer,
    treasury: books,
    budget_counters,
    treaties,
    policies: governance.policies,
    tenants: tiers,
    log,
    settings: settingsOf(config, choices),
  }
  return {
    ports,
    breaker,
    routes,
    remote,
    delegations,
    tiers,
    books,
    governance,
    change_notifications,
    devices,
    health,
  }
}

function settingsOf(config: Config, { check_outputs }: PortChoices): Ports['settings'] {
  const { agent_did: engine_did, tenant_id: operator_tenant_id, watts_per_core, limits } = config
  return { engine_did, operator_tenant_id, watts_per_core, check_outputs, limits }
}

/** Processes for what takes long: computations, and the counting of tokens. */
function openWorkers({ clock }: Host, closing: Closing): Pick<Ports, 'compute' | 'countTokens'> {
  const pool = new WorkerPool(clock)
  const { countTokens, close } = tokenCounter(clock)
  closing.push(() => pool.close(), close)
  return { compute: pool.compute, countTokens }
}
