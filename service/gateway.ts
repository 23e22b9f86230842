// svc-engine gateway: terminates TLS, authenticates callers and forwards calls with its own signature instead of their keys.
import { unwatchFile, watchFile } from 'node:fs'
import { listenForChanges } from '@svc/adapters/access/changes'
import { keyRing } from '@svc/adapters/access/key-ring'
import { openHolders } from '@svc/adapters/accounts/holders'
import { loadPublicKeys } from '@svc/adapters/accounts/signing-keys'
import { system_clock } from '@svc/adapters/clock/system'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import type { OasResolver } from '@svc/adapters/identity/oas'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import type { IdentityResolver, KeyRing, Log } from '@svc/engine/ports'
import type { Breaker } from '@svc/engine/routing/routing'
import { openAdmission } from '@svc/gateway/dispatch/admission-control'
import type { Proofs } from '@svc/gateway/dispatch/proofs'
import { type Logins, openLogins } from '@svc/gateway/oauth/logins'
import { openSite } from '@svc/gateway/oauth/site'
import { no_audit_log, type Relay } from '@svc/gateway/relay/relay'
import { createRelayServer, type RelayServer } from '@svc/gateway/relay/relay-server'
import { type Spread, spreadOver } from '@svc/gateway/relay/relay-spread'
import { isReady, openUpstream, type Upstream } from '@svc/gateway/relay/relay-upstream'
import { openReporter } from '@svc/gateway/relay/report-refusals'
import { openTraffic } from '@svc/gateway/relay/traffic'
import { openLog } from './assembly/log.ts'
import { proofsAtGateway } from './assembly/proofs.ts'
import { openRemoteServices } from './assembly/remote-services.ts'
import { openSums } from './background/summing.ts'
import { every } from './background/tick.ts'
import { ConfigError } from './settings/config-error.ts'
import {
  type CertificateFiles,
  type GatewayConfig,
  readCertificate,
  readGatewayConfig,
} from './settings/gateway-settings.ts'
import { readLoginSettings } from './settings/login-settings.ts'
import { type Environment, reader } from './settings/reader.ts'
import { service_version } from './version.ts'
import { stopOnSignals } from './workers/signals.ts'

const look_at_files_ms = 2_000
const report_every_ms = 250
const probe_every_ms = 1_000
const connections = { app_pool_max: 1, engine_pool_max: 4 }

type Closing = (() => Promise<unknown>)[]

export interface GatewaySetup extends GatewayConfig {
  /** Where callers reach it: the audience of access tokens and of agents' proofs. Without it only API keys are accepted. */
  readonly public_url?: string | undefined
  /** Number of our own proxies in front; the address before them is the caller's. */
  readonly proxy_hops?: number
}

export interface RunningGateway {
  readonly port: number
  readonly did: string
  /** Reloads the certificate files; if the new pair is invalid, the old one stays in use. */
  renew(): void
  stop(): Promise<void>
}

export async function gateway(env: Environment): Promise<void> {
  const config = readGatewayConfig(env)
  const { public_url, proxy_hops } = readLoginSettings(reader(env, 'gateway'))
  const running = await startGateway({ ...config, public_url, proxy_hops })
  process.on('SIGHUP', () => running.renew())
  stopOnSignals(() => running.stop())
  const listening = `${config.host}:${running.port}`
  console.log(JSON.stringify({ listening, tls: config.certificate !== undefined, did: running.did }))
}

export async function startGateway(
  config: GatewaySetup,
  other_identity?: IdentityResolver,
): Promise<RunningGateway> {
  const log = openLog(config.log_level)
  const { certificate: files } = config
  const pair = files && readCertificate(files, system_clock.now_ms())
  const closing: Closing = []
  try {
    const store = await openDatabase(config, log, closing)
    const resolver = openResolver(config, store, log)
    const identity = other_identity ?? resolver ?? key_only_resolver
    const people = openPeople(config, store, other_identity ?? resolver)
    const keys = await openKeys(config, store, people, resolver, log, closing)
    const { api_urls, upstream_ca: ca, silence_ms_max } = config
    const engines = api_urls.map((url) => openUpstream({ url, ca, silence_ms_max }))
    const upstream = spreadOver(engines, system_clock)
    if (engines.length > 1) keepProbing(upstream, log, closing)
    const sums = openReporting(config, upstream, log, closing)
    const parts = { keys, identity, engines, upstream, sums, store, log, ...people?.dispatch_endpoint }
    const relay = assembleRelay(config, parts)
    const server = createRelayServer(relay, pair, silence_ms_max)
    const port = await server.listen(config.host, config.port).catch((error) => {
      throw cannotListen(error, config)
    })
    closing.push(() => server.close(config.shutdown_grace_ms))
    const renew = files ? watchCertificate(files, server, log, closing) : () => {}
    const stop = () => closeAll(closing)
    return { port, did: config.signer.did, renew, stop }
  } catch (error) {
    await closeAll(closing).catch(() => undefined)
    throw error
  }
}

function keepProbing(spread: Spread, log: Log, closing: Closing): void {
  const timer = every(probe_every_ms, () => spread.probe(), log)
  closing.push(async () => clearInterval(timer))
}

interface Parts {
  readonly keys: KeyRing
  readonly logins?: Logins
  readonly proofs?: Proofs
  readonly identity: IdentityResolver
  readonly engines: readonly Upstream[]
  readonly upstream: Upstream
  readonly sums: Relay['sums']
  readonly store: PostgresStore
  readonly log: Log
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

/** Concurrent calls of this gateway; the engines have their own limits. */
const admission_limits = { calls_max: 2_048, body_bytes_max: 256 * 1024 * 1024 }

function assembleRelay(config: GatewaySetup, { store, log, engines, ...parts }: Parts): Relay {
  const started_ms = system_clock.monotonic_ms()
  let asking: Promise<Readonly<Record<string, boolean>>> | undefined
  const look = async () => {
    const [database, ...ready] = await Promise.all([store.healthy(), ...engines.map(isReady)])
    return { database, engine: ready.some(Boolean) }
  }
  return {
    ...parts,
    log,
    clock: system_clock,
    audit_log: no_audit_log,
    proxy_hops: config.proxy_hops ?? 0,
    own: { tenant_id: config.tenant_id, did: config.signer.did },
    signer: config.signer,
    engine_did: config.engine_did,
    engine: openTraffic(),
    admission: openAdmission(admission_limits, system_clock, 'gateway'),
    status: () => ({
      version: service_version,
      uptime_seconds: Math.floor((system_clock.monotonic_ms() - started_ms) / 1000),
    }),
    // Anyone may ask, so concurrent requests share one request per engine.
    readiness() {
      asking ??= look().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}

/** The engine creates the tables; a gateway only reads keys. */
async function openDatabase({ db_url }: GatewayConfig, log: Log, closing: Closing): Promise<PostgresStore> {
  const store = await openStore({ url: db_url, log, ...connections }).catch((error) => {
    throw new ConfigError(
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
  { identity, signer, engine_did, tenant_id, upstream_ca: tls_ca }: GatewayConfig,
  store: PostgresStore,
  log: Log,
): OasResolver | undefined {
  const { OAS } = identity.node_urls
  if (OAS === undefined) return undefined
  const config = {
    agent_did: signer.did,
    agent_key: signer,
    tenant_id,
    tls_ca,
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
  { public_url }: GatewaySetup,
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
  log: Log,
  closing: Closing,
): Promise<KeyRing> {
  const ring = keyRing(store.engine, system_clock, log)
  const changes = await listenForChanges(
    db_url,
    (kind, id) => {
      if (kind === 'api_key') ring.forget(id)
      people?.changed(kind, id)
      if (kind === 'identity' || kind === 'delegation') resolver?.forgetAll()
    },
    () => {
      ring.forgetAll()
      people?.forgetAll()
      resolver?.doubtAll()
    },
    log,
  )
  closing.push(() => changes.close())
  return { find: (key_id) => ring.find(key_id), used: () => {} }
}

function watchCertificate(
  files: CertificateFiles,
  server: RelayServer,
  log: Log,
  closing: Closing,
): () => void {
  const renew = () => {
    try {
      server.renew(readCertificate(files, system_clock.now_ms()))
      log.info({ cert_file: files.cert_file }, 'the certificate was reloaded')
    } catch (error) {
      log.error({ err: error }, 'the new certificate cannot be used; the old one stays in use')
    }
  }
  const watched = [files.cert_file, files.key_file]
  // Polls instead of watching: a mounted secret changes by a symlink far above the file.
  for (const file of watched) watchFile(file, { interval: look_at_files_ms, persistent: false }, renew)
  closing.push(async () => {
    for (const file of watched) unwatchFile(file, renew)
  })
  return renew
}

async function closeAll(closing: Closing): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close()
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: GatewayConfig): Error {
  const address = `${host}:${port}`
  if (error.code === 'EADDRINUSE')
    return new ConfigError(`${address} is in use; stop the program that uses it, or set APP_BIND_ADDR.`)
  if (error.code === 'EACCES')
    return new ConfigError(`This user may not listen on ${address}; set APP_BIND_ADDR to a port above 1023.`)
  if (error.code === 'EADDRNOTAVAIL')
    return new ConfigError(`${address} is not an address of this machine; set APP_BIND_ADDR.`)
  return error
}
