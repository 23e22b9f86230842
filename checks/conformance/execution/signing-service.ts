// An external service that speaks the contract both ways: it checks the calling engine and signs its answers.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { system_clock } from '@svc/adapters/clock/system'
import { didOfKey } from '@svc/contract/identity/did'
import { authorizeRequest, readAuthorization } from '@svc/contract/identity/did-auth'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'

export interface Invocation {
  readonly headers: IncomingHttpHeaders
  readonly operation: string
  readonly payload: Record<string, unknown>
  readonly ctx: InvokeContext
  readonly bytes: string
}

export interface Reply {
  readonly status?: number
  readonly body: unknown
  /** A key other than the service's own, or none. */
  readonly signer?: SigningKey | null
  /** Signed for a different request. */
  readonly jti?: string
  /** Signed for a different engine. */
  readonly audience?: string
  /** Sent instead of the signed content. */
  readonly sent?: string
}

export interface SigningService {
  readonly url: string
  readonly did: string
  readonly seen: Invocation[]
  /** The number of requests, including health checks. */
  asked(): number
  /** Its behaviour from now on; a promise that never settles is a hanging service. */
  answer: (call: Invocation) => Reply | Promise<Reply>
  healthy: boolean
  close(): Promise<void>
}

export function newKey(kind = 'service'): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const public_key = publicKeyOf(privateKey)
  return {
    did: didOfKey('outside', kind, Buffer.from(public_key, 'base64url')),
    public_key,
    private_key: privateKey,
  }
}

export async function openSigningService(host = '127.0.0.1', key = newKey()): Promise<SigningService> {
  let requests = 0
  const server = createServer(async (req, res) => {
    requests++
    if (req.url === '/health') {
      const health = { status: 'ok', version: '1', uptime_seconds: 1 }
      return void res.writeHead(service.healthy ? 200 : 503).end(JSON.stringify(health))
    }
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const asking = { audience: key.did, body, now_ms: system_clock.now_ms() }
    const caller = readAuthorization(req.headers.authorization, asking)
    if (typeof caller === 'string') return void res.writeHead(401).end('{}')
    const { operation, payload, ctx } = JSON.parse(body.toString())
    const call = {
      headers: req.headers,
      operation,
      payload,
      ctx,
      bytes: `${req.rawHeaders.join('\n')}\n${body}`,
    }
    service.seen.push(call)
    const reply = await service.answer(call)
    const text = JSON.stringify(reply.body)
    const { signer = key, jti = caller.id, audience = caller.did } = reply
    const signed = { audience, body: text, now_ms: system_clock.now_ms() }
    if (signer) res.setHeader('x-svc-signature', authorizeRequest(signer, signed, jti))
    res.writeHead(reply.status ?? 200, { 'content-type': 'application/json' }).end(reply.sent ?? text)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const service: SigningService = {
    url: `http://${host}:${(server.address() as { port: number }).port}`,
    did: key.did,
    seen: [],
    asked: () => requests,
    answer: ({ payload }) => ({ body: { data: { said: payload }, metadata: {} } }),
    healthy: true,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return service
}
