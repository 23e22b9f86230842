// A receiver of webhooks, as an organization would have one: it takes whatever is posted to it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** At a port, or at any free one. Returns where it listens. */
export async function openReceiver(port = 0): Promise<number> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(204).end()
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
