// A limit on concurrent requests to routes that anybody may call.
import type { FastifyInstance } from 'fastify'

/** From the first byte of a request to the last of its answer, so that slow senders count too. */
export function boundAtOnce(scope: FastifyInstance, at_once_max: number, busy: string): void {
  let running = 0
  scope.addHook('onRequest', async (_, reply) => {
    if (running >= at_once_max) {
      return reply
        .code(503)
        .header('retry-after', '1')
        .header('content-type', 'text/plain; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(busy)
    }
    running++
    reply.raw.once('close', () => running--)
  })
}
