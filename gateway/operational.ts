// /health, /ready and /admin/trace: what an orchestrator and an operator ask.
import { type AgentCapability, covers } from '@svc/contract/capability'
import { isCaveatSatisfied } from '@svc/contract/caveat'
import { unresolved } from '@svc/contract/identity'
import { asRefusal, refuse } from '@svc/contract/refusal'
import { Closed, OneOf } from '@svc/contract/schema'
import type { Capabilities, Credential, IdentityResolver } from '@svc/engine/ports'
import { isExpired } from '@svc/engine/stages/4-gate-capability'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { authenticate } from './authenticate.ts'
import { type Door, recordAtDoor } from './doorkeeper.ts'

const log_levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

export const TraceSettings = Closed({
  level: Type.Optional(OneOf(...log_levels)),
  sample_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
})
export type TraceSettings = Static<typeof TraceSettings>

export interface Operations {
  readonly version: string
  /** What plugins are built against. */
  readonly plugin_abi?: string
  readonly started_ms: number
  /** Named checks; ready is all of them. */
  readiness(): Promise<Readonly<Record<string, boolean>>>
  readonly trace: { get(): Required<TraceSettings>; set(settings: TraceSettings): void }
  readonly identity: IdentityResolver
  readonly capabilities: Capabilities
}

const trace_capability = 'svc.admin.observability'
const settings_check = Compile(TraceSettings)

export function addOperationalRoutes(app: FastifyInstance, door: Door, operations: Operations): void {
  app.get('/health', async (_request, reply) => {
    const accepting = !door.engine.draining
    const uptime_seconds = Math.floor((door.clock.monotonic_ms() - operations.started_ms) / 1000)
    return reply
      .code(accepting ? 200 : 503)
      .send({ status: accepting ? 'ok' : 'draining', version: operations.version, uptime_seconds })
  })

  app.get('/ready', async (_request, reply) => {
    const checks = { accepting: !door.engine.draining, ...(await operations.readiness()) }
    const ready = Object.values(checks).every(Boolean)
    return reply.code(ready ? 200 : 503).send({ ready, checks, plugin_abi: operations.plugin_abi })
  })

  app.get('/admin/trace', async (request) => {
    await requireObserver(door, operations, request)
    return operations.trace.get()
  })

  app.put('/admin/trace', async (request) => {
    const credential = await requireObserver(door, operations, request)
    if (!settings_check.Check(request.body)) {
      const sentence = `Send level (${log_levels.join(', ')}) or sample_rate (0 to 1).`
      const refusal = refuse('invalid_payload', sentence, { reason: 'schema' })
      recordAtDoor(door, refusal, credential, undefined)
      throw refusal
    }
    operations.trace.set(request.body)
    return operations.trace.get()
  })
}

/** The same key and capability rules as a dispatch, and the same record of both answers. */
async function requireObserver(
  door: Door,
  operations: Operations,
  request: FastifyRequest,
): Promise<Credential> {
  const { authorization, 'x-agent-did': claimed } = request.headers
  const claimed_did = typeof claimed === 'string' ? claimed : undefined
  let credential: Credential | undefined
  try {
    const { keys, clock, logins } = door
    const changes = request.method !== 'GET'
    credential = await authenticate(authorization, claimed_did, keys, clock, logins, request.headers, changes)
    await door.book.ready(credential.tenant_id)
    const resolution = await operations.identity.resolve(credential.did)
    const caller = resolution.outcome === 'Failed' ? unresolved(credential.did) : resolution.identity
    const held = await operations.capabilities.effective(caller, credential, credential.tenant_id)
    if (held.some((grant) => grantsTracing(grant, door.clock.now_ms()))) {
      await recordAllowed(door, request, credential)
      return credential
    }
    throw refuse(
      'capability_denied',
      `${credential.did} may not change tracing; it needs ${trace_capability}.`,
      {
        requested_capability: trace_capability,
        reason: 'no matching capability',
      },
    )
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    recordAtDoor(door, refusal, credential, claimed_did)
    throw refusal
  }
}

async function recordAllowed(door: Door, request: FastifyRequest, credential: Credential): Promise<void> {
  door.book.record({
    id: door.clock.uuid(),
    event_type: 'AuthorizationCheck',
    correlation_id: door.clock.uuid(),
    timestamp: new Date(door.clock.now_ms()).toISOString(),
    tenant_id: credential.tenant_id,
    caller_did: credential.did,
    outcome: 'success',
    latency_ms: 0,
    meta: { gate: trace_capability, method: request.method, origin: 'http' },
  })
  await door.book.written()
}

/** Only the moment is known here: a caveat about anything else is not satisfied. */
function grantsTracing(grant: AgentCapability, now_ms: number): boolean {
  const now = new Date(now_ms)
  const usable =
    !isExpired(grant, now_ms) && grant.caveats.every((caveat) => isCaveatSatisfied(caveat, { now }))
  return usable && covers(grant.name, trace_capability)
}
