// A service of the demo outside the engine: it answers most calls, and fails some, as services do.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { commandsOf, type Stage } from './cast.ts'

const failing_share = 0.2
const version = ['WEATHER', 'v1.0.0'] as const

export interface Weather {
  /** Its protocol stays listed, disabled. */
  close(): Promise<void>
}

export async function openWeather(stage: Stage, engine_did: string, chance: () => number): Promise<Weather> {
  const run = commandsOf(stage)
  const server = createServer((request, response) => {
    request.resume()
    const fails = request.method === 'POST' && chance() < failing_share
    const error = { code: 'down', message: 'The station does not answer.' }
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(fails ? { error } : { data: { celsius: Math.round(chance() * 25) } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const trust = ['--did', engine_did, '--answers', 'unsigned', '--operation', 'forecast']
  await run(['protocol', 'add', ...version, `http://127.0.0.1:${port}`, ...trust])
  return {
    async close() {
      await run(['protocol', 'disable', ...version])
      server.closeAllConnections()
      server.close()
    },
  }
}
