// How a listener is left without a reset: whoever has a connection is answered on it once more and told to take another.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const look_every_ms = 20

/** Every answer from now on is the last on its connection. */
export function closeAfterAnswers(server: Server): void {
  const last = (_req: IncomingMessage, res: ServerResponse) => {
    res.shouldKeepAlive = false
  }
  server.prependListener('request', last)
  server.prependListener('checkExpectation', last)
}

/** No new connections; those there are stay. Node's own close of an HTTP server would also end the idle ones, in the middle of a request on its way. */
export function stopListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server)
}

/** Until the last connection is gone, but no longer than that. */
export async function awaitDepartures(server: Server, wait_ms_max: number): Promise<void> {
  for (let waited_ms = 0; waited_ms < wait_ms_max; waited_ms += look_every_ms) {
    const open = await new Promise<number>((resolve) =>
      server.getConnections((_error, count) => resolve(count ?? 0)),
    )
    if (open === 0) return
    await pause(look_every_ms)
  }
}
