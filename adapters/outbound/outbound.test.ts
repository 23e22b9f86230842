import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { after, test } from 'node:test'
import { addressGuard, type Names } from './address-guard.ts'
import { type Outbound, type OutboundError, type Outgoing, openOutbound } from './outbound.ts'

const local = addressGuard(['127.0.0.0/8'])
const open: { server: TcpServer; ways: Outbound[] }[] = []
after(() => {
  for (const { server, ways } of open) {
    for (const way of ways) way.close()
    server.close()
    if ('closeAllConnections' in server) (server as Server).closeAllConnections()
  }
})

async function reach(server: TcpServer, host = '127.0.0.1'): Promise<{ way: Outbound; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const way = openOutbound(`http://${host}:${port}/base/`, { guard: local })
  open.push({ server, ways: [way] })
  return { way, port }
}
const reachHttp = (listener: RequestListener) => reach(createServer(listener))

function send(way: Outbound, more: Partial<Outgoing> = {}) {
  const usual = { method: 'POST', path: '/invoke', headers: {}, body: '{}', timeout_ms: 30_000 } as const
  return way.send({ ...usual, answer_bytes_max: 1_000, ...more })
}
async function faultOf(asking: Promise<unknown>): Promise<string> {
  const error = await asking.then(
    () => assert.fail('it was answered'),
    (thrown) => thrown as OutboundError,
  )
  return error.fault
}

test('a request arrives complete, and one connection serves many calls', async () => {
  const requests: string[] = []
  let connections = 0
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    requests.push(`${req.method} ${req.url} ${body} ${req.headers['content-length']}`)
    res.setHeader('x-svc-signature', 'DID x').end('{"a":1}')
  })
  server.on('connection', () => connections++)
  const { way } = await reach(server)
  for (let i = 0; i < 20; i++) {
    const { status, body, header } = await send(way, { body: '{"é":1}' })
    assert.deepEqual([status, body.toString(), header('x-svc-signature')], [200, '{"a":1}', 'DID x'])
  }
  assert.equal(requests.length, 20)
  assert.equal(requests[0], 'POST /base/invoke {"é":1} 8')
  assert.equal(connections, 1)
})

test('connections are bounded, however many requests come at once', async () => {
  let [now, most] = [0, 0]
  const server = createServer((_req, res) => void setImmediate(() => res.end('{}')))
  server.on('connection', (socket) => {
    most = Math.max(most, ++now)
    socket.on('close', () => now--)
  })
  const { way } = await reach(server)
  await Promise.all(Array.from({ length: 300 }, () => send(way)))
  assert.ok(most > 1 && most <= 64, `${most} connections`)
})

test('an answer above the limit is cut off, with or without a declared length', async () => {
  for (const length of [{ 'content-length': '2000' }, {}]) {
    const { way } = await reachHttp((_req, res) => void res.writeHead(200, length).end('x'.repeat(2_000)))
    assert.equal(await faultOf(send(way)), 'too large')
  }
})

test('silence, slow drops, endless headers and half an answer end in time, each with its own fault', async () => {
  const silent = await reach(createTcpServer(() => {}))
  assert.equal(await faultOf(send(silent.way, { timeout_ms: 50 })), 'too slow')
  const slow = await reachHttp((_req, res) => void res.writeHead(200).write('{'))
  assert.equal(await faultOf(send(slow.way, { timeout_ms: 50 })), 'too slow')
  const wordy = await reach(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)
    }),
  )
  assert.equal(await faultOf(send(wordy.way)), 'HPE_HEADER_OVERFLOW')
  const half = await reachHttp((_req, res) => {
    res.writeHead(200, { 'content-length': '100' }).write('{', () => res.destroy())
  })
  assert.equal(await faultOf(send(half.way)), 'ECONNRESET')
})

test('a caller who leaves cancels the request, and one who has left sends none', async () => {
  const leaving = new AbortController()
  let lookups = 0
  let closed: Promise<unknown> | undefined
  const { way } = await reachHttp((req) => {
    lookups++
    closed = new Promise((resolve) => req.once('close', resolve))
    leaving.abort()
  })
  assert.equal(await faultOf(send(way, { signal: leaving.signal })), 'caller left')
  await closed
  assert.equal(await faultOf(send(way, { signal: leaving.signal })), 'caller left')
  assert.equal(lookups, 1)
})

test('only allowed networks are reached, and others only over https', async () => {
  const guard = addressGuard(['10.1.0.0/16', 'fd00::/8'])
  const verdicts: [address: string, secure: string | undefined, plain: string | undefined][] = [
    ['10.1.2.3', undefined, undefined],
    ['::ffff:10.1.2.3', undefined, undefined],
    ['fd12::1', undefined, undefined],
    ['10.2.0.1', 'address not allowed', 'address not allowed'],
    ['127.0.0.1', 'address not allowed', 'address not allowed'],
    ['fd12::1%eth0', 'address not allowed', 'address not allowed'],
    ['93.184.216.34', undefined, 'only https is asked'],
    ['a.example', 'address not allowed', 'address not allowed'],
  ]
  for (const [address, secure, plain] of verdicts)
    assert.deepEqual([guard.refusal(address, true), guard.refusal(address, false)], [secure, plain], address)
})

test('a name that resolves differently after the check is checked again for each new connection', async () => {
  let connections = 0
  const sink = createTcpServer((socket) => {
    connections++
    socket.destroy()
  })
  const { port } = await reach(sink, '127.0.0.2')
  const answers = ['127.0.0.2', '127.0.0.3', '127.0.0.2']
  const lookup = ((_name: string, _options: object, done: (error: null, addresses: object[]) => void) =>
    done(null, [{ address: answers.shift(), family: 4 }])) as unknown as Names
  const way = openOutbound(`http://a.example:${port}`, { guard: addressGuard(['127.0.0.2/32']), lookup })
  assert.equal(await faultOf(send(way)), 'ECONNRESET')
  assert.equal(await faultOf(send(way)), 'address not allowed')
  assert.equal(await faultOf(send(way)), 'ECONNRESET')
  assert.equal(connections, 2)
})

test('an address with a user, or no web address at all, is refused without a request', async () => {
  for (const url of ['http://a@127.0.0.1', 'https://a:b@1.1.1.1', 'ftp://127.0.0.1', 'unix:/tmp/s', 'x'])
    assert.match(await faultOf(send(openOutbound(url, { guard: local }))), /user|https|url/, url)
})
