// What comes with a request: the whole dispatch endpoint, its headers, and calls of other engines.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Target } from '../target.ts'
import { valueIn } from './input.ts'

const did = `did:oas:acme:agent:${'a'.repeat(64)}`
const uuid = '3f2b8c1e-0a4d-4b7e-9c55-2f1d6e7a8b90'
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const caller = `host: x\nauthorization: Bearer svc_test_abcdefgh_${'s'.repeat(43)}\nx-agent-did: ${did}\n`
const json = `${caller}content-type: application/json\n`
const request =
  '{"protocol":"TRY","version":"v1.0.0","operation":"run","input":{"a":[1,"é"]},"tenant_id":"acme"}'
const context = `"invoke_context":{"correlation_id":"${uuid}","trace_context":{"traceparent":"${traceparent}"}}`

/** Header lines as node:http lets them through; what it refuses itself never gets here. */
function rawHeaders(text: string): string[] {
  const lines = [...text.matchAll(/^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/gm)]
  return lines.flatMap(([, name, value]) => [name!, value!.trimEnd()])
}

/** A request of header lines, an empty line and a body. */
function requestOf(text: string): IncomingMessage {
  const end = text.indexOf('\n\n')
  const [head, body] = end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 2)]
  const raw = rawHeaders(head)
  const headers: Record<string, string> = {}
  for (let at = 0; at < raw.length; at += 2) headers[raw[at]!.toLowerCase()] ??= raw[at + 1]!
  const stream = Readable.from(body === '' ? [] : [Buffer.from(body, 'utf8')])
  const facts = { rawHeaders: raw, headers, method: 'POST', url: '/v1/dispatch', httpVersionMinor: 1 }
  return Object.assign(stream, { ...facts, socket: { remoteAddress: '192.0.2.1' } }) as never
}

/** Collects an answer without a connection. */
class Collected extends EventEmitter {
  status = 0
  text = ''
  headersSent = false
  writableEnded = false
  readonly req: IncomingMessage
  constructor(req: IncomingMessage) {
    super()
    this.req = req
  }
  setHeader(): void {}
  writeHead(status: number, headers: readonly string[]): void {
    for (const value of headers) assert.match(value, /^[\t\x20-\x7e\x80-\xff]*$/, 'no header may be split')
    this.status = status
    this.headersSent = true
  }
  write(text: string): void {
    this.text += text
  }
  end(text = ''): void {
    this.text += text
    this.writableEnded = true
  }
}

/** The result of an answer; of a stream, its last event. */
function bodyOf({ text }: Collected): { output?: unknown; error?: { code: string } } {
  return JSON.parse(text.startsWith('event:') ? text.slice(text.lastIndexOf('\ndata: ') + 7) : text) as object
}

const endpoints_reopened_every = 500

export const gateway_targets: Readonly<Record<string, Target>> = {
  envelope: {
    files: [
      'gateway/dispatch/',
      'gateway/oauth/address.ts',
      'contract/identity/api-key.ts',
      'engine/routing/semver.ts',
    ],
    seeds: [
      `${json}\n${request}`,
      `${json}accept: text/event-stream\ntraceparent: ${traceparent}\ntracestate: a=b\n\n${request}`,
      `${json}prefer: wait=audit\nidempotency-key: k1\nx-correlation-id: ${uuid}\n\n${request}`,
      `${json}x-svc-dry-run: true\nx-svc-origin: mcp\n\n${request.replace('"v1.0.0"', '"v1"').replace('}', `},${context}`)}`,
      `${json}x-forwarded-for: ::1, 10.0.0.1\ncookie: svc_session=a; b=c\nx-svc-context: e30.e30.e30\n\n{}`,
    ],
    words: [
      'x-forwarded-for',
      '"idempotency_key":',
      '"metadata":',
      'wait=audit',
      '\n\n',
      '\\ud800',
      '"__proto__":',
    ],
    async load() {
      const { openEndpoint } = await import('@svc/gateway/dispatch/dispatch-endpoint')
      const { canonicalJson } = await import('@svc/contract/signing/canonical-json')
      const { testEndpoint } = await import('../../engines/test-endpoint.ts')
      const { tryProtocol } = await import('../../rehearsal/test-ports.ts')
      const open = () => testEndpoint([tryProtocol((input) => ({ ...input }), { effect: 'read' })])
      let [opened, inputs] = [open(), 0]
      return async (input) => {
        // Its records stay in memory.
        if (++inputs % endpoints_reopened_every === 0) opened = open()
        opened.ports.clock.advance(1_000)
        const req = requestOf(input)
        const res = new Collected(req)
        await openEndpoint(opened.dispatch_endpoint, req, res as never as ServerResponse)
        const { output, error } = bodyOf(res)
        assert.notEqual(error?.code, 'internal', String(opened.ports.logged.at(-1)?.fields.err))
        assert.ok(res.writableEnded && res.status >= 200 && res.status < 500)
        if (output === undefined) return
        // UTF-8 cannot hold a lone surrogate: the bytes of the request have U+FFFD in its place.
        const body = input.slice(input.indexOf('\n\n') + 2).toWellFormed()
        const sent = JSON.parse(body) as { input: unknown }
        // As canonical texts, because an answer is one and RFC 8785 writes minus zero as 0.
        assert.equal(canonicalJson(output), canonicalJson(sent.input))
      }
    },
  },

  json: {
    files: ['gateway/dispatch/read-json.ts', 'gateway/dispatch/count-shapes.ts'],
    seeds: [request, '[[],{"a":{}},-0,1e3,"\\u00e9\\n",null,true]', `["${'x'.repeat(300)}\\"",1]`],
    words: ['\\ud83d\\ude00', '\\u0000', '9007199254740993', '1e999', '"__proto__":1'],
    async load() {
      const { readJson } = await import('@svc/gateway/dispatch/read-json')
      const { countShapes } = await import('@svc/gateway/dispatch/count-shapes')
      const { canonicalJson } = await import('@svc/contract/signing/canonical-json')
      return (input) => {
        const bytes = Buffer.from(input, 'utf8')
        countShapes(bytes, 100)
        const value = readJson(bytes)
        const text = canonicalJson(value)
        assert.equal(canonicalJson(readJson(Buffer.from(text))), text)
      }
    },
  },

  headers: {
    files: ['gateway/dispatch/headers.ts', 'gateway/oauth/', 'adapters/telemetry/sampling.ts'],
    seeds: [
      `traceparent: ${traceparent}\ntracestate: a=b,c=d\nx-correlation-id: ${uuid.toUpperCase()}`,
      'accept: text/html;q=0.5, text/event-stream;q=0.0\nprefer: respond-async, wait=audit\nx-svc-dry-run: TRUE',
      'content-type: application/json; charset=utf-8\ncontent-encoding: identity\ncookie: a=b; svc_session=x; c',
      'x-forwarded-for: 2001:db8::1%eth0, ::ffff:10.0.0.1, 1::2',
    ],
    async load() {
      const {
        readHeaders,
        traceContextOf,
        suppliedCorrelationId,
        requireJson,
        wantsStream,
        wantsReceipt,
        isDryRun,
        originOf,
      } = await import('@svc/gateway/dispatch/headers')
      const { readCookie } = await import('@svc/gateway/oauth/cookies')
      const { addressOf } = await import('@svc/gateway/oauth/address')
      const { readIncoming } = await import('@svc/adapters/telemetry/sampling')
      return (input) => {
        const req = requestOf(`${input}\n\n`)
        const headers = readHeaders(req.rawHeaders)
        const trace = traceContextOf(headers)
        if (trace) {
          const { trace_id, parent_span_id } = readIncoming(trace)
          assert.match(`${trace_id}-${parent_span_id}`, /^[0-9a-f]{32}-[0-9a-f]{16}$/)
        }
        suppliedCorrelationId(headers['x-correlation-id'])
        readCookie(headers.cookie, 'svc_session')
        assert.ok(addressOf(req, 1).length <= 64)
        wantsStream(headers)
        wantsReceipt(headers)
        originOf(headers)
        isDryRun(headers)
        requireJson(headers)
      }
    },
  },

  invocation: {
    files: ['gateway/dispatch/read-invocation.ts', 'contract/invoke-context.ts'],
    is_json: true,
    seeds: [
      JSON.stringify({
        operation: 'run',
        payload: { a: 1 },
        ctx: {
          correlation_id: uuid,
          tenant_id: 'acme',
          agent_did: did,
          timestamp: '2026-11-15T10:00:00.000Z',
          trace_context: { traceparent },
          metadata: {
            held: [{ name: 'svc.try.*', caveats: [], source: 'key' }],
            depth: 1,
            ceilings: [['svc.try.*']],
          },
        },
      }),
    ],
    async load() {
      const { readInvocation, readInvokeHeaders } = await import('@svc/gateway/dispatch/read-invocation')
      const names = ['X-SVC-Protocol', 'TRY', 'X-SVC-Operation', 'run', 'X-SVC-Correlation-Id', uuid]
      return (input) => readInvocation(valueIn(input), readInvokeHeaders(names, {}), input.length)
    },
  },
}
