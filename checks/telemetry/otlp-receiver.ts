// An OTLP collector for tests: stores what it receives, and checks spans against the standard.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { Closed, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Check, Errors } from 'typebox/value'

const Value = Type.Union([
  Closed({ stringValue: Type.String() }),
  Closed({ intValue: Type.String({ pattern: '^\\d{1,15}$' }) }),
])
const Attributes = ListOf(Closed({ key: Type.String(), value: Value }))
const Nanos = Type.String({ pattern: '^[1-9]\\d{18}$' })
const SpanId = Type.String({ pattern: '^(?!0{16})[0-9a-f]{16}$' })
const Span = Closed({
  traceId: Type.String({ pattern: '^(?!0{32})[0-9a-f]{32}$' }),
  spanId: SpanId,
  parentSpanId: Type.Optional(SpanId),
  traceState: Type.Optional(Type.String()),
  name: Type.String(),
  kind: Type.Integer({ minimum: 1, maximum: 5 }),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  status: Type.Optional(Closed({ code: Type.Integer({ minimum: 0, maximum: 2 }) })),
})
const Export = Closed({
  resourceSpans: ListOf(
    Closed({
      resource: Closed({ attributes: Attributes }),
      scopeSpans: ListOf(Closed({ scope: Closed({ name: OneOf('svc') }), spans: ListOf(Span, 0, 10_000) })),
    }),
  ),
})

export interface ReceivedSpan extends Omit<Static<typeof Span>, 'attributes'> {
  readonly attributes: Readonly<Record<string, string>>
  readonly resource: Readonly<Record<string, string>>
}

export interface OtlpReceiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** Every body as received. */
  readonly bodies: string[]
  /** The status of later answers. */
  status: number
  close(): Promise<void>
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const received = { spans: [] as ReceivedSpan[], bodies: [] as string[], status: 200 }
  const server = createServer(async (req, res) => {
    const body = await textOf(req)
    received.bodies.push(body)
    if (req.url === '/v1/traces' && received.status === 200) received.spans.push(...readSpans(body))
    res.writeHead(received.status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return Object.assign(received, { url: `http://127.0.0.1:${port}`, close })
}

function readSpans(body: string): ReceivedSpan[] {
  const sent: unknown = JSON.parse(body)
  assert.ok(Check(Export, sent), JSON.stringify(Errors(Export, sent)[0]))
  return sent.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: byKey(span.attributes),
        resource: byKey(resource.attributes),
      })),
    ),
  )
}

function byKey(attributes: Static<typeof Attributes>): Record<string, string> {
  assert.equal(new Set(attributes.map(({ key }) => key)).size, attributes.length, 'a key stands once')
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]))
}
