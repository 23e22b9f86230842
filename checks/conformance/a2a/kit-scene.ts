// An agent of an engine for kits that send no credential: a proxy before it adds the caller's key.
import { execFile } from 'node:child_process'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Addresses } from '../../engines/running-engine.ts'
import { answering, type Respond, register, startA2a } from './a2a-scene.ts'

const run_ms_max = 600_000

export interface KitScene {
  /** The agent, as the kit reaches it. */
  readonly url: string
  stop(): Promise<void>
}

export async function startKitScene(respond: Respond): Promise<KitScene> {
  let target: Addresses | undefined
  const proxy = keyAdder(() => target!)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const public_url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const scene = await startA2a({ config: { login: { public_url, proxy_hops: 0, upstream: undefined } } })
  target = await scene.newParty()
  const agent = await scene.newParty()
  await register(agent)
  const stopAnswering = answering(agent, respond)
  return {
    url: `${public_url}/a2a/${agent.agent_did}`,
    async stop() {
      await stopAnswering()
      await scene.stop()
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

function keyAdder(targetNow: () => Addresses): Server {
  return createServer((req, res) => {
    const { api_url, api_key } = targetNow()
    const { hostname, port } = new URL(api_url)
    const headers = { ...req.headers, authorization: `Bearer ${api_key}` }
    const sent = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(res)
    })
    sent.on('error', () => res.destroy())
    res.on('close', () => sent.destroy())
    req.pipe(sent)
  })
}

/** What a kit prints, whatever its verdict. */
export function runKit(python: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: run_ms_max, maxBuffer: 64 * 1024 * 1024 }
    execFile(python, args, options, (_error, out, err) => resolve(`${out}\n${err}`))
  })
}
