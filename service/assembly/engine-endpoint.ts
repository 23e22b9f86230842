// The engine's HTTP surface: the dispatch endpoint, operational and public routes.
import type { Server } from 'node:http'
import { type ClaimContext, claimContext } from '@svc/adapters/access/gateway-contexts'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Ports } from '@svc/engine/ports'
import { addA2aRoutes } from '@svc/gateway/a2a/a2a-routes'
import { type GatewayTrust, trustGateways } from '@svc/gateway/dispatch/accept-context'
import type { DispatchEndpoint } from '@svc/gateway/dispatch/refusal-recorder'
import { addInvokeRoute } from '@svc/gateway/invoke/invoke'
import { addLiveRoute } from '@svc/gateway/live/live'
import { addLogRoutes } from '@svc/gateway/log/log-routes'
import { addOperationalRoutes, type Operations } from '@svc/gateway/operational'
import { addOperatorRoutes, type OperatorView } from '@svc/gateway/operator-routes'
import { addDirectoryRoutes } from '@svc/gateway/public/directory'
import { addReportRoute } from '@svc/gateway/relay/reported-refusals'
import { createGateway, type Gateway } from '@svc/gateway/server'
import { addWhoamiRoute } from '@svc/gateway/whoami'
import { addWitnessRoutes } from '@svc/gateway/witness/witness-routes'
import type { Live } from '../background/live.ts'
import type { LiveTrace } from '../background/tracing.ts'
import { type Config, portTaken } from '../settings/config.ts'
import { service_version } from '../version.ts'
import type { People } from './people.ts'
import type { Plugins } from './plugins.ts'
import { someVersion } from './proofs.ts'

const connections_ms_max = 5_000

type Closing = (() => Promise<unknown>)[]

export function openTrust(
  config: Config,
  { clock, registry, tenants }: Ports,
  store: PostgresStore,
  claim: ClaimContext,
): GatewayTrust {
  const isWrite = (protocol: string, operation: string) =>
    someVersion(registry, protocol, operation, ({ effect }) => effect === 'write')
  const isTenant = async (tenant_id: string) => (await tenants.tierOf(tenant_id)) !== undefined
  const { trusted_gateways, require_gateway: required, agent_did: audience } = config
  const keepReport: GatewayTrust['keepReport'] = (id, until_ms, entries) =>
    store.engine.transaction(async (trx) => {
      if (!(await claimContext(trx, id, until_ms))) return
      for (const entry of entries) await leaveInOutbox(trx, entry)
    })
  const dids = new Set(trusted_gateways)
  const settings = { dids, audience, required, isWrite, isTenant, claim, keepReport }
  return trustGateways(settings, clock)
}

interface Parts {
  readonly dispatch_endpoint: DispatchEndpoint
  readonly ports: Ports
  readonly people: People
  readonly plugins: Plugins
  readonly live: Live
  readonly trace: LiveTrace
  readonly operator_view: OperatorView
}

export async function openGateway(
  config: Config,
  { dispatch_endpoint, ports, people, plugins, live, trace, operator_view }: Parts,
  closing: Closing,
): Promise<{ readonly port: number; readonly server: Server }> {
  const operations: Operations = {
    version: service_version,
    started_ms: ports.clock.monotonic_ms(),
    readiness: readinessOf(ports, plugins),
    plugin_abi: config.plugins.abi_level,
    trace,
    identity: ports.identity,
    capabilities: ports.capabilities,
  }
  const gateway = await createGateway(
    dispatch_endpoint,
    (app) => {
      addOperationalRoutes(app, dispatch_endpoint, operations)
      addOperatorRoutes(app, dispatch_endpoint, operator_view)
      addWhoamiRoute(app, dispatch_endpoint, () => people.mcp.site.mcp_url)
      addLiveRoute(app, dispatch_endpoint, live.streams)
      addDirectoryRoutes(app, ports.registry)
      addInvokeRoute(app, dispatch_endpoint)
      addReportRoute(app, dispatch_endpoint)
      addWitnessRoutes(app, dispatch_endpoint)
      addLogRoutes(app, dispatch_endpoint)
      addA2aRoutes(app, dispatch_endpoint, people.mcp.site)
      people.addRoutes(app, dispatch_endpoint, ports)
    },
    config.tls.listener,
  )
  closing.push(() => closeGateway(gateway, config))
  const port = await gateway.listen(config.host, config.port).catch((error) => {
    throw portTaken(error, config.port)
  })
  return { port, server: gateway.server }
}

export function readinessOf(
  { store, limiter }: Pick<Ports, 'store' | 'limiter'>,
  plugins: Plugins,
): Operations['readiness'] {
  return async () => ({
    database: await store.healthy(),
    rate_limit: limiter.health() === 'ok',
    plugins: plugins.problem === undefined,
  })
}

/** All calls are answered by now. A half-sent request or a caller that does not read must not block the shutdown. */
async function closeGateway(gateway: Gateway, config: Config): Promise<void> {
  const wait_ms_max = Math.min(config.shutdown_grace_ms, connections_ms_max)
  const cut = setTimeout(() => gateway.server.closeAllConnections(), wait_ms_max)
  await gateway.close()
  clearTimeout(cut)
}
