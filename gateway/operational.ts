// /health, /ready and /admin/trace: for orchestrators and operators.

import { refuse } from '@svc/contract/refusal'
import { Closed, OneOf } from '@svc/contract/schema'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { DispatchEndpoint } from './dispatch/refusal-recorder.ts'
import { type Gate, observer_capability, permit } from './route-gate.ts'

const log_levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

export const TraceSettings = Closed({
  level: Type.Optional(OneOf(...log_levels)),
  sample_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
})
export type TraceSettings = Static<typeof TraceSettings>

export interface Operations extends Gate {
  readonly version: string
  /** The interface version of plugins. */
  readonly plugin_abi?: string
  readonly started_ms: number
  /** Named checks; ready where all pass. */
  readiness(): Promise<Readonly<Record<string, boolean>>>
  readonly trace: { get(): Required<TraceSettings>; set(settings: TraceSettings): void }
}

const look = { capability: observer_capability, doing: 'look at tracing' }
const change = { capability: observer_capability, doing: 'change tracing' }
const settings_check = Compile(TraceSettings)

export function addOperationalRoutes(
  app: FastifyInstance,
  dispatch_endpoint: DispatchEndpoint,
  operations: Operations,
): void {
  app.get('/health', async (_request, reply) => {
    const accepting = !dispatch_endpoint.engine.draining
    const uptime_seconds = Math.floor((dispatch_endpoint.clock.monotonic_ms() - operations.started_ms) / 1000)
    return reply
      .code(accepting ? 200 : 503)
      .send({ status: accepting ? 'ok' : 'draining', version: operations.version, uptime_seconds })
  })

  app.get('/ready', async (_request, reply) => {
    const checks = { accepting: !dispatch_endpoint.engine.draining, ...(await operations.readiness()) }
    const ready = Object.values(checks).every(Boolean)
    // In overflow reads proceed and refusals are recorded, so this engine stays in rotation and reports its state.
    const audit = { state: dispatch_endpoint.audit_log.state() }
    return reply.code(ready ? 200 : 503).send({ ready, checks, audit, plugin_abi: operations.plugin_abi })
  })

  app.get('/admin/trace', async (request) => {
    await permit(dispatch_endpoint, operations, request, look, () => ({}))
    return operations.trace.get()
  })

  app.put('/admin/trace', async (request) => {
    operations.trace.set(await permit(dispatch_endpoint, operations, request, change, readSettings))
    return operations.trace.get()
  })
}

function readSettings({ body }: FastifyRequest): TraceSettings {
  if (settings_check.Check(body)) return body
  const sentence = `Send level (${log_levels.join(', ')}) or sample_rate (0 to 1).`
  throw refuse('invalid_payload', sentence, { reason: 'schema' })
}
