// GET /v1/live: live figures of the caller's tenant, for callers that may take a snapshot.
import { asRefusal } from '@svc/database/as-refusal'
import type { FastifyInstance } from 'fastify'
import { type DispatchEndpoint, recordRefusedRequest } from '../dispatch/refusal-recorder.ts'
import { recordAllowed } from '../route-gate.ts'
import { callerOf } from '../whoami.ts'
import type { LiveStreams } from './live-streams.ts'

const live_capability = 'svc.moment.snapshot'
const snapshot = ['MOMENT', 'snapshot'] as const

export function addLiveRoute(
  app: FastifyInstance,
  dispatch_endpoint: DispatchEndpoint,
  streams: LiveStreams,
): void {
  const { engine } = dispatch_endpoint
  app.get('/v1/live', async (request, reply) => {
    const { credential, identity, again: lookAgain } = await callerOf(dispatch_endpoint, request)
    try {
      await engine.requirePermission(credential, ...snapshot, identity)
      await recordAllowed(dispatch_endpoint, credential, live_capability, { method: 'GET' })
      const { raw: res } = reply
      if (res.destroyed) return reply.hijack()
      // The identity a gateway vouched for may be outdated by then, so it is resolved again.
      const again = async () => engine.requirePermission(await lookAgain(), ...snapshot)
      streams.add({ res, tenant_id: credential.tenant_id, again })
      return reply.hijack()
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      recordRefusedRequest(dispatch_endpoint, refusal, request.raw, credential)
      throw refusal
    }
  })
}
