import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { Refusal } from '@svc/contract/refusal'
import { type EmbeddingsAddress, remoteEmbedder } from './remote.ts'

interface Asked {
  readonly model: string
  readonly input: readonly string[]
}
type Answer = (question: Asked, response: ServerResponse, request: IncomingMessage) => void

const servers: Server[] = []
after(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
})

async function embedderFor(answer: Answer, more: Partial<EmbeddingsAddress> = {}) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    answer(JSON.parse(body), response, request)
  })
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return remoteEmbedder({ url, name: 'tiny', key: 'sk-secret', retry_ms: 1, ...more })
}

/** A vector that identifies its text: its length, and one. */
const rowsFor = ({ input }: Asked) =>
  input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 1, 0] }))
const say = (response: ServerResponse, data: unknown) =>
  void response.end(JSON.stringify({ object: 'list', data, model: 'tiny', usage: { prompt_tokens: 1 } }))

async function refusalOf(asking: unknown): Promise<Refusal> {
  const error = await Promise.resolve(asking).then(
    () => assert.fail('it was answered'),
    (thrown) => thrown as Refusal,
  )
  assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)} ${error.cause}`, /sk-secret/)
  return error
}

test('each text gets its own vector, in batches, whatever the order of the answer', async () => {
  const batches: number[] = []
  const requests: (string | undefined)[] = []
  const embedder = await embedderFor((question, response, request) => {
    batches.push(question.input.length)
    requests.push(`${question.model} ${request.url} ${request.headers.authorization}`)
    say(response, rowsFor(question).reverse())
  })
  assert.equal(embedder.id, 'remote/tiny')
  assert.equal(embedder.dimensions, 0)
  const texts = Array.from({ length: 70 }, (_, i) => 'x'.repeat(i))
  const vectors = await embedder.embed(texts)
  assert.deepEqual(batches, [32, 32, 6])
  assert.deepEqual([...new Set(requests)], ['tiny /v1/embeddings Bearer sk-secret'])
  assert.equal(embedder.dimensions, 3)
  for (const [i, vector] of vectors.entries()) {
    // The empty text is sent as a space.
    const length = Math.hypot(i || 1, 1)
    assert.deepEqual([...vector], [Math.round(((i || 1) / length) * 127), Math.round(127 / length), 0])
  }
  assert.deepEqual(await embedder.embed([]), [])
})

test('long texts are cut, lone surrogates replaced, and the full address is accepted as well', async () => {
  const inputs: string[] = []
  const answer: Answer = (question, response) => {
    inputs.push(...question.input)
    say(response, rowsFor(question))
  }
  const embedder = await embedderFor(answer, { key: undefined })
  await embedder.embed(['y'.repeat(100_000), 'a\ud800', ' \n'])
  assert.deepEqual(
    inputs.map((text) => (text.length > 99 ? text.length : text)),
    [8_192, 'a\ufffd', '.'],
  )
  const { port } = servers.at(-1)!.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1/embeddings`
  const full = remoteEmbedder({ url, name: 'tiny', key: undefined })
  assert.equal((await full.embed(['a'])).length, 1)
})

test('temporary failures are retried, a limited number of times', async () => {
  let asked_times = 0
  const passing = await embedderFor((question, response) => {
    asked_times += 1
    if (asked_times === 1) return void response.writeHead(500).end('sk-secret')
    if (asked_times === 2) return void response.destroy()
    say(response, rowsFor(question))
  })
  assert.equal((await passing.embed(['a'])).length, 1)
  assert.equal(asked_times, 3)

  asked_times = 0
  const down = await embedderFor((_asked, response) => {
    asked_times += 1
    response.writeHead(429).end('{}')
  })
  const refusal = await refusalOf(down.embed(['a', 'b']))
  assert.equal(refusal.code, 'adapter_error')
  assert.match(refusal.message, /tiny gave no usable answer \(status 429\)/)
  assert.equal(asked_times, 3)
})

test('permanent failures are not retried', async () => {
  let asked_times = 0
  const embedder = await embedderFor((_asked, response) => {
    asked_times += 1
    response.writeHead(401).end('wrong key sk-secret')
  })
  const refusal = await refusalOf(embedder.embed(['a']))
  assert.deepEqual([refusal.code, refusal.details.status, asked_times], ['adapter_error', 401, 1])
})

test('a slow endpoint is a timeout, and a caller who leaves gets its own reason', async () => {
  const slow = await embedderFor(() => {}, { timeout_ms: 30 })
  assert.equal((await refusalOf(slow.embed(['a']))).code, 'timeout')

  const leaving = new AbortController()
  const waiting = await embedderFor(() => leaving.abort(new Error('gone')))
  assert.equal((await refusalOf(waiting.embed(['a'], leaving.signal))).message, 'gone')
  const pausing = new AbortController()
  const failing = await embedderFor(
    (_asked, response) => {
      response.writeHead(503).end(() => setImmediate(() => pausing.abort(new Error('gone too'))))
    },
    { retry_ms: 600_000 },
  )
  assert.equal((await refusalOf(failing.embed(['a'], pausing.signal))).message, 'gone too')
})

test('an address without a listener, and a key that no header can hold, are one clear refusal', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const url = `http://127.0.0.1:${port}/v1`
  const nobody = remoteEmbedder({ url, name: 'tiny', key: 'sk-secret', retry_ms: 1 })
  assert.match((await refusalOf(nobody.embed(['a']))).message, /ECONNREFUSED/)
  const odd = remoteEmbedder({ url, name: 'tiny', key: 'sk-secret\nx', retry_ms: 1 })
  assert.equal((await refusalOf(odd.embed(['a']))).code, 'adapter_error')
})

test('an answer that is not one numeric vector per text is refused', async () => {
  const wrong: readonly string[] = [
    'not json',
    '{}',
    '{"data":null}',
    '{"data":[null,null]}',
    '{"data":[{"index":0,"embedding":[1,0]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[NaN,0]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[null,0]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1e999,0]}]}',
    '{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":"AAAA"}]}',
  ]
  let body = ''
  const embedder = await embedderFor((_asked, response) => void response.end(body))
  for (body of wrong) {
    const refusal = await refusalOf(embedder.embed(['a', 'b']))
    assert.equal(refusal.code, 'adapter_error', body)
  }
  body = '{"data":[{"embedding":[1,0]},{"embedding":[0,0]}]}'
  assert.deepEqual(await embedder.embed(['a', 'b']), [Int8Array.of(127, 0), Int8Array.of(0, 0)])
  body = '{"data":[{"embedding":[1,0,0]}]}'
  assert.match((await refusalOf(embedder.embed(['a']))).message, /another length than before/)
})
