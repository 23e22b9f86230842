// Every port of the engine gets its adapter here.
import { capabilitiesOfKeys } from '@svc/adapters/access/api-keys'
import { type TenantHomes, tenantHomes } from '@svc/adapters/access/tenant-homes'
import { type TenantTiers, tenantTiers } from '@svc/adapters/access/tenant-tiers'
import { roleGrants } from '@svc/adapters/accounts/role-grants'
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
import { type RoleTable, roleTable } from '@svc/contract/authority/role'
import type { Devices } from '@svc/contract/needs/devices'
import type { Protocol } from '@svc/contract/protocol'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import { openReservations } from '@svc/engine/limits/reservations'
import type { IdentityResolver, Ports, Treaties } from '@svc/engine/ports'
import { invitationLink } from '@svc/gateway/oauth/invitation-link'
import type { Site } from '@svc/gateway/oauth/site'
import { openAlerts } from '../background/alerts.ts'
import { openApprovals } from '../background/approvals.ts'
import { openCognition } from '../background/cognition.ts'
import { openDevices } from '../background/devices.ts'
import { type Governance, openCourts, openGovernance } from '../background/governance.ts'
import { openMail } from '../background/mail.ts'
import { openMailer } from '../background/mailer.ts'
import { recordedBreaker } from '../background/recorded-breaker.ts'
import { openSums } from '../background/summing.ts'
import { type OpenHealth, openHealth } from '../background/telemetry.ts'
import { openTreasury } from '../background/treasury.ts'
import { openWebhooks } from '../background/webhooks.ts'
import type { Config } from '../settings/config.ts'
import type { NodeUrls } from '../settings/identity-settings.ts'
import type { Closing, Host } from './host.ts'
import { type Limits, openLimits } from './limits.ts'
import { openNeeds } from './needs.ts'
import { openRemoteServices, type RemoteServices } from './remote-services.ts'
import { openRoutes, type Routes } from './routes.ts'

export interface PortChoices {
  /** A resolver, or a function that wraps the resolver of the identity node. */
  readonly identity: IdentityResolver | ((oas: IdentityResolver) => IdentityResolver)
  /** Tests and development: an output that does not match its schema is an error. */
  readonly check_outputs: boolean
  /** Tests of treaties pass their own. */
  readonly treaties?: Treaties
  /** Tests share worker processes. */
  readonly workers?: Workers
}

type Workers = Pick<Ports, 'compute' | 'countTokens'>

/** The protocols this engine runs, and all of the catalogue. */
export interface Protocols {
  readonly served: readonly Protocol[]
  readonly known: readonly Protocol[]
}

/** What the engine remembers of a tenant; change notifications invalidate it. */
export interface TenantCaches extends Governance {
  readonly homes: TenantHomes
  readonly tiers: TenantTiers
  readonly books: BooksCache
}

export interface OpenPorts {
  readonly ports: Ports
  readonly breaker: MemoryBreaker
  readonly routes: Routes
  readonly remote: RemoteServices
  readonly delegations: DelegationSource
  readonly caches: TenantCaches
  readonly change_notifications: DatabaseChanges
  readonly devices: Devices
  readonly health: OpenHealth
}

export async function openPorts(
  config: Config,
  choices: PortChoices,
  protocols: Protocols,
  urls: NodeUrls,
  site: Site,
  host: Host,
  closing: Closing,
): Promise<OpenPorts> {
  const { db, audit_log, meters, clock, log } = host
  const limits = await openLimits(config, host, closing)
  const { caches, budget_counters } = await openTenantCaches(config, host, limits, closing)
  const treaties = choices.treaties ?? caches.treaties
  const sums = openSums(audit_log, log, closing, () => audit_log.canWrite())
  const breaker = recordedBreaker(config, host)
  const remote = openRemoteServices({ config, urls, db, clock, breaker, log })
  const roles = roleTable(protocols.known)
  const authority = openAuthority(choices, remote, { ...caches, roles }, host)
  const { delegations } = authority
  const aegis = delegations.client
  const routes = openRoutes({ config, protocols, remote, aegis, db, treaties, clock, log })
  const handler_services = await openHandlerServices(config, { host, caches, remote, roles, site }, closing)
  const { custody, needs, change_notifications, devices, health } = handler_services
  openWebhooks(config, { ...host, custody, capabilities: authority.capabilities }, closing)
  openAlerts(config, { ...host, custody, health }, closing)
  openMailer(config, host, closing)
  const ports: Ports = {
    clock,
    identity: authority.identity,
    capabilities: authority.capabilities,
    custody,
    needs,
    ...(choices.workers ?? openWorkers(host, closing)),
    limiter: limits.limiter,
    breaker,
    balancer: balancers(clock),
    registry: routes.registry,
    store: host.store,
    audit_log,
    sums,
    meters,
    tracer: health.tracer,
    treasury: caches.books,
    budget_counters,
    reservations: openReservations(),
    treaties,
    policies: caches.policies,
    courts: openCourts(config.tenant_id, db, clock),
    approvals: openApprovals({ ...host, ...authority, custody }),
    tenants: caches.tiers,
    homes: caches.homes,
    roles,
    log,
    settings: settingsOf(config, choices),
  }
  return { ports, breaker, routes, remote, delegations, caches, change_notifications, devices, health }
}

async function openTenantCaches(
  config: Config,
  host: Host,
  limits: Limits,
  closing: Closing,
): Promise<{ readonly caches: TenantCaches; readonly budget_counters: BudgetCounters }> {
  const tiers = tenantTiers(host.db, host.clock)
  const parts = { ...host, tiers, budget_counters: limits.budget_counters }
  const { books, budget_counters } = openTreasury(config, parts, closing)
  const governance = await openGovernance(config, host, closing)
  const homes = tenantHomes(host.db, host.log, () => host.audit_log)
  await homes.load()
  return { caches: { ...governance, homes, tiers, books }, budget_counters }
}

interface Authority extends Pick<Ports, 'identity' | 'capabilities'> {
  readonly delegations: DelegationSource
}

/** Who a caller is, and which capabilities it has by API keys, delegations, envelopes and roles. */
function openAuthority(
  choices: PortChoices,
  remote: RemoteServices,
  { books, roles }: Pick<TenantCaches, 'books'> & Pick<Ports, 'roles'>,
  { db, clock, log }: Host,
): Authority {
  const identity =
    typeof choices.identity === 'function' ? choices.identity(remote.resolver) : choices.identity
  const keysOf = (did: string, tenant_id: string) => capabilitiesOfKeys(db, did, tenant_id)
  const delegations = delegationSource({ client: remote.clientOf('Aegis'), clock, log, identity, keysOf })
  const grants = [delegations, envelopeGrants(books), roleGrants(books, roles)]
  return { identity, delegations, capabilities: effectiveCapabilities({ identity, keysOf, grants }) }
}

interface HandlerParts {
  readonly host: Host
  readonly caches: TenantCaches
  readonly remote: RemoteServices
  readonly roles: RoleTable
  readonly site: Site
}

/** What protocol handlers use beside their context, and the background work on the same data. */
async function openHandlerServices(
  config: Config,
  { host, caches, remote, roles, site }: HandlerParts,
  closing: Closing,
) {
  const change_notifications = databaseChanges(host.db, host.log)
  closing.push(() => change_notifications.close())
  const devices = await openDevices(config, { ...host, change_notifications }, closing)
  const health = openHealth(config, host, closing)
  const custody = openKeystore(host.root_keys)
  const services = { custody, change_notifications, devices, health }
  const identity_node = remote.resolver.client
  const { tiers } = caches
  const linkOf = (token: string) => invitationLink(site.public_url, token)
  const own = { tiers, identity_node, roles, linkOf }
  const { needs, embedder } = openNeeds(config, { ...host, ...services, ...own }, closing)
  openMail(host, closing)
  openCognition(config, { ...host, embedder }, closing)
  return { ...services, needs }
}

function settingsOf(config: Config, { check_outputs }: PortChoices): Ports['settings'] {
  const { agent_did: engine_did, tenant_id: operator_tenant_id, watts_per_core, limits } = config
  return { engine_did, operator_tenant_id, watts_per_core, check_outputs, limits }
}

/** Worker pools for slow work: computations and token counting. */
function openWorkers({ clock }: Host, closing: Closing): Workers {
  const pool = new WorkerPool(clock)
  const { countTokens, close } = tokenCounter(clock)
  closing.push(() => pool.close(), close)
  return { compute: pool.compute, countTokens }
}
