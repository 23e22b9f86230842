// A healthy remote service that does nothing and records all it is sent, which must not contain callers'
// secrets.
import { createServer } from 'node:http'

const nothing_held = JSON.stringify({ data: { tokens: [], links: [], policies: [] }, metadata: {} })

export interface OutsideService {
  readonly url: string
  /** Every POST so far: its authorization, and all of its bytes. */
  readonly seen: { authorization: string; bytes: string }[]
  close(): Promise<void>
}

export async function openOutsideService(): Promise<OutsideService> {
  const requests: OutsideService['seen'] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const bytes = `${req.rawHeaders.join('\n')}\n${req.url}\n${Buffer.concat(chunks).toString()}`
    // An unhealthy service is no longer called after three probes, which a slow machine can reach.
    if (req.method === 'GET') return void res.writeHead(200).end()
    requests.push({ authorization: req.headers.authorization ?? '', bytes })
    // An empty list of delegations is an answer; without it no call could be denied.
    if (bytes.includes('"operation":"held"')) return void res.writeHead(200).end(nothing_held)
    res.writeHead(500).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    seen: requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
