// GET /v1/live: the figures of the caller's tenant as they come, for who may take a snapshot of them.
import { asRefusal } from '@svc/contract/refusal'
import type { FastifyInstance } from 'fastify'
import { type Door, recordAtDoor } from './doorkeeper.ts'
import type { LiveStreams } from './live-streams.ts'
import { type Gate, recordAllowed, requireCapability } from './route-gate.ts'
import { type Caller, callerOf } from './whoami.ts'

const live_capability = 'svc.moment.snapshot'

export function addLiveRoute(app: FastifyInstance, door: Door, gate: Gate, streams: LiveStreams): void {
  app.get('/v1/live', async (request, reply) => {
    const caller = await callerOf(door, request)
    const { credential } = caller
    try {
      await requireLive(door, gate, caller)
      await recordAllowed(door, credential, live_capability, { method: 'GET' })
      const { raw: res } = reply
      if (res.destroyed) return reply.hijack()
      const again = async () => requireLive(door, gate, { ...caller, credential: await caller.again() })
      streams.add({ res, tenant_id: credential.tenant_id, again })
      return reply.hijack()
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      recordAtDoor(door, refusal, credential, undefined)
      throw refusal
    }
  })
}

function requireLive(door: Door, gate: Gate, caller: Pick<Caller, 'credential' | 'identity'>): Promise<void> {
  return requireCapability(door, gate, caller, live_capability, 'watch the live figures')
}
