// Closes a listener without resets: each connection gets one more answer, with Connection: close.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const look_every_ms = 20

/** From now on every answer is the last on its connection. */
export function closeAfterAnswers(server: Server): void {
  const last = (_req: IncomingMessage, res: ServerResponse) => {
    res.shouldKeepAlive = false
  }
  server.prependListener('request', last)
  server.prependListener('checkExpectation', last)
}

/** No new connections; existing ones stay. Node's own close would also end idle ones while a request is on its way. */
export function stopListening(server: Server): void {
  if (server.listening) NetServer.prototype.close.call(server)
}

/** Resolves when the last connection is closed, or after the limit. */
export async function awaitDepartures(server: Server, wait_ms_max: number): Promise<void> {
  for (let waited_ms = 0; waited_ms < wait_ms_max; waited_ms += look_every_ms) {
    const open = await new Promise<number>((resolve) =>
      server.getConnections((_error, count) => resolve(count ?? 0)),
    )
    if (open === 0) return
    await pause(look_every_ms)
  }
}
