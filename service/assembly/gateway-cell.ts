// One cell as a gateway sees it: its database, who calls, and its engines.
import { listenForChanges } from '@svc/adapters/access/changes'
import { keyRing } from '@svc/adapters/access/key-ring'
import { home_change, type TenantHomes, tenantHomes } from '@svc/adapters/access/tenant-homes'
import { openHolders } from '@svc/adapters/accounts/holders'
import { loadPublicKeys } from '@svc/adapters/accounts/signing-keys'
import { system_clock } from '@svc/adapters/clock/system'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import type { OasResolver } from '@svc/adapters/identity/oas'
import { tier_change } from '@svc/adapters/rate-limit/tier-changes'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import { tlsFault } from '@svc/adapters/store/tls-fault'
import type { IdentityResolver, KeyRing, Log } from '@svc/engine/ports'
import type { Breaker } from '@svc/engine/routing/routing'
import { openLogins } from '@svc/gateway/oauth/logins'
import { openSite } from '@svc/gateway/oauth/site'
import { no_audit_log, type Relay } from '@svc/gateway/relay/relay'
import { type Spread, spreadOver } from '@svc/gateway/relay/relay-spread'
import { openUpstream, type Upstream } from '@svc/gateway/relay/relay-upstream'
import { openReporter } from '@svc/gateway/relay/report-refusals'
import { openSums } from '../background/summing.ts'
import { every } from '../background/tick.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { GatewayConfig } from '../settings/gateway-settings.ts'
import { gateway_pools } from './connections.ts'
import { proofsAtGateway } from './proofs.ts'
import { openRemoteServices } from './remote-services.ts'

const report_every_ms = 250
const probe_every_ms = 1_000

type Closing = (() => Promise<unknown>)[]

export interface CellSetup extends GatewayConfig {
  /** Where callers reach the gateway: the audience of access tokens and of agents' proofs. Without it only API keys are accepted. */
  readonly public_url?: string | undefined
}

export interface OpenCell
  extends Pick<Relay, 'keys' | 'logins' | 'proofs' | 'identity' | 'upstream' | 'sums' | 'engine_did'> {
  readonly engines: readonly Upstream[]
  readonly store: PostgresStore
  readonly homes: TenantHomes
}

export async function openCell(
  config: CellSetup,
  other_identity: IdentityResolver | undefined,
  log: Log,
  closing: Closing,
): Promise<OpenCell> {
  const store = await openDatabase(config, log, closing)
  const resolver = openResolver(config, store, log)
  const identity = other_identity ?? resolver ?? key_only_resolver
  const people = openPeople(config, store, other_identity ?? resolver)
  const homes = tenantHomes(store.engine, log)
  const keys = await openKeys(config, store, people, resolver, homes, log, closing)
  const { api_urls, tls, silence_ms_max, engine_did } = config
  const engines = api_urls.map((url) => openUpstream({ url, tls: tls.client, silence_ms_max }))
  const upstream = spreadOver(engines, system_clock)
  if (engines.length > 1) keepProbing(upstream, log, closing)
  const sums = openReporting(config, upstream, log, closing)
  return { keys, identity, engines, upstream, sums, store, homes, engine_did, ...people?.dispatch_endpoint }
}

function keepProbing(spread: Spread, log: Log, closing: Closing): void {
  const timer = every(probe_every_ms, () => spread.probe(), log)
  closing.push(async () => clearInterval(timer))
}

/** The gateway reports its own refusals to the engine, for the audit log of the tenant. */
function openReporting(
  { signer, engine_did }: GatewayConfig,
  upstream: Upstream,
  log: Log,
  closing: Closing,
): Relay['sums'] {
  const reporter = openReporter({ signer, engine_did, upstream, clock: system_clock, log })
  const timer = every(report_every_ms, () => reporter.send(), log)
  closing.push(async () => {
    clearInterval(timer)
    await reporter.close()
    upstream.close()
  })
  const audit_log = { record: reporter.record, written: no_audit_log.written }
  return openSums(audit_log, log, closing, reporter.hasRoom)
}

/** The engine creates the tables; a gateway only reads keys. */
async function openDatabase({ db_url }: GatewayConfig, log: Log, closing: Closing): Promise<PostgresStore> {
  const store = await openStore({ url: db_url, log, ...gateway_pools }).catch((error) => {
    throw new ConfigError(
      tlsFault(error) ??
        `The database of SVC_DB_URL cannot be used (${(error as Error).message}); it is the engine's, so start that first.`,
    )
  })
  closing.push(() => store.close())
  const { rows } = await store.engine_pool.query("SELECT to_regclass('api_keys') IS NOT NULL AS there")
  if (rows[0]?.there) return store
  throw new ConfigError('The database of SVC_DB_URL has no table of keys yet; start the engine on it first.')
}

/** The engine's resolver under the gateway's identity. Without a node the gateway leaves identities to the engine. */
function openResolver(
  { identity, signer, engine_did, tenant_id, tls }: GatewayConfig,
  store: PostgresStore,
  log: Log,
): OasResolver | undefined {
  const { OAS } = identity.node_urls
  if (OAS === undefined) return undefined
  const config = {
    agent_did: signer.did,
    agent_key: signer,
    tenant_id,
    tls,
    trusted_issuers: [engine_did, ...identity.trusted_issuers],
    trusted_publishers: [],
    require_signatures: true,
  }
  const parts = { db: store.engine, clock: system_clock, breaker: no_breaker, log }
  return openRemoteServices({ config, urls: { OAS }, ...parts }).resolver
}

/** An unreachable node delays one caller; then the failure is cached for a while. */
const no_breaker: Breaker = { blocked: () => undefined, state: () => 'CLOSED', succeeded() {}, failed() {} }

/** People who signed in and agents with a session. Tokens are verified with public keys, so a gateway needs no master key. */
function openPeople(
  { public_url }: CellSetup,
  { engine: db }: PostgresStore,
  identity: IdentityResolver | undefined,
) {
  if (public_url === undefined) return undefined
  const { changed, forgetAll, ...holders } = openHolders(db, system_clock)
  const site = openSite()
  site.settle(public_url)
  const accounts = { ...holders, signingKeys: () => loadPublicKeys(db) }
  const logins = openLogins(accounts, site, system_clock)
  const proofs = proofsAtGateway(public_url, identity, db)
  return { changed, forgetAll, dispatch_endpoint: { logins, proofs } }
}

/** The engine records when a key was last used: it sees the call too. */
async function openKeys(
  { db_url }: GatewayConfig,
  store: PostgresStore,
  people: ReturnType<typeof openPeople>,
  resolver: OasResolver | undefined,
  homes: TenantHomes,
  log: Log,
  closing: Closing,
): Promise<KeyRing> {
  const ring = keyRing(store.engine, system_clock, log)
  const changes = await listenForChanges(
    db_url,
    (kind, id) => {
      if (kind === home_change) homes.changed()
      if (kind === 'api_key') ring.forget(id)
      // Keys arrive with a tenant that has moved here.
      if (kind === tier_change) ring.forgetAll()
      people?.changed(kind, id)
      if (kind === 'identity' || kind === 'delegation') resolver?.forgetAll()
    },
    () => {
      homes.changed()
      ring.forgetAll()
      people?.forgetAll()
      resolver?.doubtAll()
    },
    log,
  )
  closing.push(() => changes.close())
  return { find: (key_id) => ring.find(key_id), used: () => {} }
}
