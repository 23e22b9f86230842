import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { readBody } from './read-body.ts'

const bytes_max = 8 * 1024 * 1024
const codeOf = (code: string) => (thrown: unknown) => thrown instanceof Refusal && thrown.code === code

function bodyOf(...chunks: Buffer[]): IncomingMessage {
  const stream = new PassThrough({ highWaterMark: 2 * bytes_max })
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
  return stream as unknown as IncomingMessage
}

test('a body is what was sent, in one chunk or many, or nothing', async () => {
  assert.equal((await readBody(bodyOf(Buffer.from('{"a":1}')), '7')).toString(), '{"a":1}')
  const pieces = ['{"a"', ':', '"é"}'].map((text) => Buffer.from(text))
  assert.equal((await readBody(bodyOf(...pieces), undefined)).toString(), '{"a":"é"}')
  assert.equal((await readBody(bodyOf(), '0')).length, 0)
})

test('a character split across chunks is decoded whole', async () => {
  const whole = Buffer.from('"😀"')
  const read = await readBody(bodyOf(whole.subarray(0, 3), whole.subarray(3)), undefined)
  assert.equal(read.toString(), '"😀"')
})

test('a length announced above the limit is refused before a byte is read', async () => {
  const untouched = bodyOf(Buffer.from('x'))
  await assert.rejects(readBody(untouched, String(bytes_max + 1)), codeOf('payload_too_large'))
  assert.equal(untouched.readableFlowing, null)
})

test('without an announced length the limit is enforced while reading', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x')
  const full = Array<Buffer>(8).fill(mebibyte)
  assert.equal((await readBody(bodyOf(...full), undefined)).length, bytes_max)
  await assert.rejects(readBody(bodyOf(...full, Buffer.from('x')), undefined), codeOf('payload_too_large'))
})

test('an oversized body is read to the end, so the sender can read the answer', async (t) => {
  const server = createServer((req, res) => {
    readBody(req, undefined).catch((thrown: Refusal) => res.writeHead(thrown.row.status).end())
  })
  t.after(() => server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const body = new Blob(Array<Buffer<ArrayBuffer>>(12).fill(Buffer.alloc(1024 * 1024, 'x'))).stream()
  const answer = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)
  assert.equal(answer.status, 413)
})

test('a length announced too small does not lift the limit', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x')
  await assert.rejects(
    readBody(bodyOf(...Array<Buffer>(9).fill(mebibyte)), '10'),
    codeOf('payload_too_large'),
  )
})

test('a caller that leaves midway is not a failure of ours', async (t) => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const server = createServer((req) => {
    readBody(req, req.headers['content-length']).then(resolve, resolve)
  })
  t.after(() => server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a":')
  server.once('request', () => socket.destroy())
  const thrown = await promise
  assert.ok(codeOf('invalid_request')(thrown), String(thrown))
  assert.equal((thrown as Refusal).details.reason, 'aborted')
})
