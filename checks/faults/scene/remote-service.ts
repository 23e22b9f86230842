// A remote service, registered and signed like any other, that can be made to fail, as can its network. It
// counts what reaches it.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { answer_signature_header } from '@svc/contract/foreign/external-protocol'
import { authorizeRequest, openSignature } from '@svc/contract/identity/did-auth'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Clock } from '@svc/engine/ports'
import { type FaultProxy, startFaultProxy } from '../../neighbours/fault-proxy.ts'
import { pace } from '../../suite/real-time.ts'

export type Behaviour = 'well' | 'answers 5xx' | 'resets' | 'answers too much'

const chunk = Buffer.alloc(1024 * 1024, 120)
/** Ten times what the engine reads of a response. */
const chunks_max = 60
const keep_alive_ms = 300_000

export interface RemoteService {
  readonly url: string
  readonly proxy: FaultProxy
  behaviour: Behaviour
  /** How long a call takes. */
  busy_ms: number
  readonly invoked: number
  readonly asked_after: number
  /** From now on concurrent calls are watched: never more than `first` plus one per completed call. */
  watchLoad(first: number): Load
  close(): Promise<void>
}

export interface Load {
  done: number
  at_once: number
  most_at_once: number
  /** The most it was above the bound; 0 or less if the bound was kept. */
  over: number
}

export async function startRemoteService(key: SigningKey, clock: Clock): Promise<RemoteService> {
  let [invoked, asked_after] = [0, 0]
  let load: (Load & { first: number }) | undefined
  const server = createServer(async (req, res) => {
    if (req.url === '/health') asked_after++
    else invoked++
    if (remote.behaviour === 'resets') return void req.socket.resetAndDestroy()
    if (remote.behaviour === 'answers 5xx') return void res.writeHead(503).end('{"error":{}}')
    if (req.url === '/health') return void res.end('{}')
    if (remote.behaviour === 'answers too much') return floodWith(res)
    if (load) begin(load)
    const body = await readBody(req)
    if (remote.busy_ms > 0) await pace(remote.busy_ms)
    assert.equal(JSON.parse(body).operation, 'run')
    if (load) end(load)
    answer(req, res, key, clock)
  })
  // On a busy machine it must not close a connection just as it is reused: that would be another test.
  server.keepAliveTimeout = keep_alive_ms
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy = await startFaultProxy((server.address() as { port: number }).port)
  const remote: RemoteService = {
    url: `http://127.0.0.1:${proxy.port}`,
    proxy,
    behaviour: 'well',
    busy_ms: 0,
    get invoked() {
      return invoked
    },
    get asked_after() {
      return asked_after
    },
    watchLoad(first) {
      load = { first, done: 0, at_once: 0, most_at_once: 0, over: Number.NEGATIVE_INFINITY }
      return load
    },
    async close() {
      await proxy.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return remote
}

function begin(load: Load & { first: number }): void {
  load.at_once++
  load.most_at_once = Math.max(load.most_at_once, load.at_once)
  load.over = Math.max(load.over, load.at_once - load.first - load.done)
}

/** Ended before the engine knows: what the engine admits then is never more than what was completed here. */
function end(load: Load): void {
  load.at_once--
  load.done++
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const part of req) chunks.push(part)
  return Buffer.concat(chunks).toString('utf8')
}

async function floodWith(res: ServerResponse): Promise<void> {
  let wake = () => {}
  res.on('error', () => undefined)
  for (const event of ['drain', 'close']) res.on(event, () => wake())
  for (let sent = 0; sent < chunks_max && !res.destroyed; sent++) {
    const ready = new Promise<void>((resolve) => {
      wake = resolve
    })
    if (!res.write(chunk)) await ready
  }
  res.end()
}

function answer(req: IncomingMessage, res: ServerResponse, key: SigningKey, clock: Clock): void {
  const signed = openSignature(req.headers.authorization)
  assert.ok(typeof signed !== 'string', String(signed))
  const body = '{"data":{"done":true},"metadata":{}}'
  const request = { audience: signed.did, body, now_ms: clock.now_ms() }
  res.setHeader(answer_signature_header, authorizeRequest(key, request, signed.id))
  res.end(body)
}
