// A service outside, as the specification prints it: it signs nothing, and answers everything with a success.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestService {
  readonly url: string
  close(): Promise<void>
}

export async function startTestService(data: unknown): Promise<TestService> {
  const server = createServer((req, res) => {
    req.resume()
    const body = req.url === '/health' ? { status: 'ok' } : { data, metadata: {} }
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
