// POST /v1/witness/add-checkpoint and GET /v1/witness/checkpoint, as C2SP specifies a witness, and add-rotation of our own: plain text,
// and no credential but the checkpoint's signature. Because anybody may call, size and concurrency are limited.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { boundAtOnce } from '../at-once.ts'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import type { WitnessReply } from './witness-handler.ts'

/** Fits a note of 16 KiB and a proof of 63 lines. */
const body_bytes_max = 20 * 1024
/** The record of a key change and its path besides. */
const rotation_bytes_max = 32 * 1024
const at_once_max = 16
/** Names are looked up in the database, which accepts no control characters. */
const origin_form = /^[^\p{Cc}]{1,256}$/u
const plain = 'text/plain; charset=utf-8'

export function addWitnessRoutes(app: FastifyInstance, { witness }: DispatchEndpoint): void {
  if (!witness) return
  // A separate scope: nothing here is JSON, whatever a client declares.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body))
    boundAtOnce(scope, at_once_max, 'This witness is busy; ask again in a second.\n')
    scope.post('/v1/witness/add-checkpoint', { bodyLimit: body_bytes_max }, async ({ body }, reply) => {
      return say(reply, await witness.addCheckpoint(typeof body === 'string' ? body : ''))
    })
    scope.post('/v1/witness/add-rotation', { bodyLimit: rotation_bytes_max }, async ({ body }, reply) => {
      return say(reply, await witness.addRotation(typeof body === 'string' ? body : ''))
    })
    scope.get('/v1/witness/checkpoint', async ({ query }, reply) => {
      const { origin } = query as { origin?: unknown }
      if (typeof origin !== 'string' || !origin_form.test(origin)) {
        return say(reply, { status: 400, type: plain, body: 'Name one log: ?origin=<its origin line>.\n' })
      }
      const note = await witness.checkpoint(origin)
      return say(
        reply,
        note === undefined
          ? { status: 404, type: plain, body: 'Nothing of this log was cosigned here.\n' }
          : { status: 200, type: plain, body: note },
      )
    })
  })
}

function say(reply: FastifyReply, { status, type, body }: WitnessReply): FastifyReply {
  return reply.code(status).header('content-type', type).header('cache-control', 'no-store').send(body)
}
