// GET /v1/live: the figures of the caller's tenant as they come, for who may take a snapshot of them.
import { asRefusal } from '@svc/database/as-refusal'
import type { FastifyInstance } from 'fastify'
import { type Door, recordAtDoor } from '../dispatch/refusal-recorder.ts'
import { recordAllowed } from '../route-gate.ts'
import { callerOf } from '../whoami.ts'
import type { LiveStreams } from './live-streams.ts'

const live_capability = 'svc.moment.snapshot'
const snapshot = ['MOMENT', 'snapshot'] as const

export function addLiveRoute(app: FastifyInstance, door: Door, streams: LiveStreams): void {
  const { engine } = door
  app.get('/v1/live', async (request, reply) => {
    const { credential, identity, again: lookAgain } = await callerOf(door, request)
    try {
      await engine.requirePermission(credential, ...snapshot, identity)
      await recordAllowed(door, credential, live_capability, { method: 'GET' })
      const { raw: res } = reply
      if (res.destroyed) return reply.hijack()
      // Who the caller was when a gateway vouched for it may be over by then, so that is resolved anew.
      const again = async () => engine.requirePermission(await lookAgain(), ...snapshot)
      streams.add({ res, tenant_id: credential.tenant_id, again })
      return reply.hijack()
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      recordAtDoor(door, refusal, request.raw, credential)
      throw refusal
    }
  })
}
