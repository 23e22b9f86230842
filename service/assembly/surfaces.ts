// Opens the engine's listeners for calls, MCP and metrics, and closes them at shutdown.
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import { readinessSeries } from '@svc/adapters/telemetry/readiness-series'
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import type { Ports } from '@svc/engine/ports'
import type { DispatchEndpoint } from '@svc/gateway/dispatch/refusal-recorder'
import type { OperatorView } from '@svc/gateway/operator-routes'
import type { Live } from '../background/live.ts'
import type { LiveTrace } from '../background/tracing.ts'
import type { Workflows } from '../background/workflows.ts'
import type { Config } from '../settings/config.ts'
import { type Ending, openEnding } from '../workers/ending.ts'
import { openGateway, readinessOf } from './engine-endpoint.ts'
import { openMcp } from './mcp.ts'
import { measure, openMetrics } from './metrics.ts'
import { listeningUrl, type People } from './people.ts'
import type { Plugins } from './plugins.ts'

export interface Surfaces extends Ending {
  readonly port: number
  readonly metrics_port: number
  /** Where MCP clients connect; undefined if there is no MCP surface. */
  readonly mcp_url: string | undefined
  /** Opens the MCP surface that was not opened at the start; returns its address. */
  hostMcp(): Promise<string | undefined>
  /** All metrics of this process, for the parent that sums them. */
  measure(): Promise<Measured>
}

export interface SurfaceChoices {
  /** One of several workers: the parent collects its metrics and chooses which worker serves MCP. */
  readonly has_parent?: boolean
  /** Production: how long connections stay open for a last answer at shutdown. */
  readonly drain_ms_max?: number
}

interface Parts {
  readonly dispatch_endpoint: DispatchEndpoint
  readonly ports: Ports
  readonly people: People
  readonly workflows: Workflows
  readonly plugins: Plugins
  readonly meters: Prometheus
  readonly live: Live
  readonly trace: LiveTrace
  readonly operator_view: OperatorView
}

export async function openSurfaces(
  config: Config,
  { has_parent = false, drain_ms_max }: SurfaceChoices,
  { dispatch_endpoint, ports, people, meters, workflows, plugins, live, trace, operator_view }: Parts,
  closing: (() => Promise<unknown>)[],
): Promise<Surfaces> {
  const { port, server } = await openGateway(
    config,
    { dispatch_endpoint, ports, people, plugins, live, trace, operator_view },
    closing,
  )
  const mcp = openMcp(config, { dispatch_endpoint, people, registry: ports.registry }, closing)
  const mcp_url = has_parent ? mcp.url : await mcp.listen()
  people.start(listeningUrl(config, port), mcp_url)
  readinessSeries(meters.registry, readinessOf(ports, plugins))
  const metrics_port = has_parent ? 0 : await openMetrics(config, meters, closing)
  const { shutdown_grace_ms } = config
  const { engine } = dispatch_endpoint
  const leaveWork = () => {
    workflows.leave()
    live.streams.close()
  }
  const leaveMcp = () => {
    mcp.leave()
    live.streams.close()
  }
  const ended = { engine, server, closing, shutdown_grace_ms, drain_ms_max, leaveMcp, leaveWork }
  return {
    port,
    metrics_port,
    mcp_url,
    ...openEnding(ended),
    hostMcp: mcp.listen,
    measure: () => measure(meters),
  }
}
