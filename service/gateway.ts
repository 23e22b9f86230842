// svc-engine gateway: terminates TLS, authenticates callers and forwards calls with its own signature instead of their keys.
import { system_clock } from '@svc/adapters/clock/system'
import type { IdentityResolver, Log } from '@svc/engine/ports'
import { openAdmission } from '@svc/gateway/dispatch/admission-control'
import { chooseCell, type RelayCell } from '@svc/gateway/relay/choose-cell'
import { no_audit_log, type Relay } from '@svc/gateway/relay/relay'
import { createRelayServer } from '@svc/gateway/relay/relay-server'
import { isReady } from '@svc/gateway/relay/relay-upstream'
import { openTraffic } from '@svc/gateway/relay/traffic'
import { type OpenCell, openCell } from './assembly/gateway-cell.ts'
import { openLog } from './assembly/log.ts'
import { ConfigError } from './settings/config-error.ts'
import { type GatewayConfig, readGatewayConfig } from './settings/gateway-settings.ts'
import { readLoginSettings } from './settings/login-settings.ts'
import { type Environment, reader } from './settings/reader.ts'
import { service_version } from './version.ts'
import { stopOnSignals } from './workers/signals.ts'

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
  /** Reads the certificate files again; if the new pair is invalid, the old one stays in use. */
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
  console.log(JSON.stringify({ listening, tls: !config.is_plain, did: running.did }))
}

export async function startGateway(
  config: GatewaySetup,
  other_identity?: IdentityResolver,
): Promise<RunningGateway> {
  const log = openLog(config.log_level)
  const { tls, is_plain } = config
  const closing: Closing = []
  try {
    tls.follow(log, closing)
    const cells: OpenCell[] = []
    for (const setup of [config, ...config.cells.map((cell) => ({ ...config, ...cell }))])
      cells.push(await openCell(setup, other_identity, log, closing))
    const relay = assembleRelay(config, cells, log)
    const server = createRelayServer(relay, is_plain ? undefined : tls.listener, config.silence_ms_max)
    const port = await server.listen(config.host, config.port).catch((error) => {
      throw cannotListen(error, config)
    })
    closing.push(() => server.close(config.shutdown_grace_ms))
    const stop = () => closeAll(closing)
    return { port, did: config.signer.did, renew: () => tls.renew(), stop }
  } catch (error) {
    await closeAll(closing).catch(() => undefined)
    throw error
  }
}

/** Concurrent calls of this gateway; the engines have their own limits. */
const admission_limits = { calls_max: 2_048, body_bytes_max: 256 * 1024 * 1024 }

/** Of the first cell; a call of a tenant that lives in another one is passed on there. */
function assembleRelay(config: GatewaySetup, cells: readonly OpenCell[], log: Log): Relay {
  const started_ms = system_clock.monotonic_ms()
  let asking: Promise<Readonly<Record<string, boolean>>> | undefined
  const look = async () => {
    const databases = await Promise.all(cells.map(({ store }) => store.healthy()))
    const ready = await Promise.all(cells.flatMap(({ engines }) => engines.map(isReady)))
    return { database: databases.some(Boolean), engine: ready.some(Boolean) }
  }
  const shared = {
    log,
    clock: system_clock,
    audit_log: no_audit_log,
    proxy_hops: config.proxy_hops ?? 0,
    own: { tenant_id: config.tenant_id, did: config.signer.did },
    signer: config.signer,
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
  const relays = cells.map(
    ({ engines: _, store: __, ...cell }): RelayCell => ({ relay: { ...shared, ...cell }, homes: cell.homes }),
  )
  const [first] = relays as [RelayCell]
  return relays.length === 1
    ? first.relay
    : { ...first.relay, relayFor: (request) => chooseCell(relays, request) }
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
