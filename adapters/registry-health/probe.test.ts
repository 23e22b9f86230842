import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { after, test } from 'node:test'
import { makeCertificate } from '../../checks/neighbours/test-certificate.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type ProbeOptions, probeHealth } from './probe.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const strict: ProbeOptions = { clock, loopback: false, timeout_ms: 120_000 }
const local: ProbeOptions = { ...strict, loopback: true }
const open: TcpServer[] = []
after(() => {
  for (const server of open) server.close()
})

async function listen<S extends TcpServer>(server: S, host = '127.0.0.1'): Promise<number> {
  open.push(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  return (server.address() as AddressInfo).port
}

function httpServer(handle: RequestListener): Server {
  return createServer(handle)
}

function countingSink() {
  let connections = 0
  const server = () =>
    createTcpServer((socket) => {
      connections++
      socket.destroy()
    })
  return { server, connections: () => connections }
}

/** A resolver that gives these answers in turn, the last of them repeatedly. */
function names(...answers: { address: string; family: number }[][]): typeof lookup {
  let lookups = 0
  return ((_name: string, _options: object, done: (error: null, addresses: object[]) => void) =>
    done(null, answers[Math.min(lookups++, answers.length - 1)]!)) as unknown as typeof lookup
}
const public_v4 = { address: '93.184.216.34', family: 4 }
const loopback_v4 = { address: '127.0.0.1', family: 4 }

test('a 2xx at /health is healthy, whatever path the endpoint has', async () => {
  const names_asked: string[] = []
  const port = await listen(
    httpServer((request, response) => {
      names_asked.push(`${request.method} ${request.url}`)
      response.writeHead(204).end()
    }),
  )
  assert.equal((await probeHealth(`http://127.0.0.1:${port}`, local)).healthy, true)
  assert.equal((await probeHealth(`http://127.0.0.1:${port}/a2a/?x=1`, local)).healthy, true)
  assert.deepEqual(names_asked, ['GET /health', 'GET /a2a/health'])
})

test('any other status is not, and a redirect is not followed', async () => {
  let followed = 0
  const target = await listen(
    httpServer((_request, response) => {
      followed++
      response.end()
    }),
  )
  for (const status of [301, 302, 307, 308, 404, 500, 503]) {
    const port = await listen(
      httpServer((_request, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${target}/health` }).end(),
      ),
    )
    const probed = await probeHealth(`http://127.0.0.1:${port}`, local)
    assert.deepEqual([probed.healthy, probed.fault], [false, `status ${status}`])
  }
  assert.equal(followed, 0)
})

test('internal addresses are never connected to, in any notation', async () => {
  const sink = countingSink()
  const port = await listen(sink.server(), '0.0.0.0')
  // A machine without IPv6 has nothing to connect to there.
  const port_v6 = await listen(sink.server(), '::1').catch(() => port)
  const urls = [
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}`,
    `https://[::1]:${port_v6}`,
    `https://[::ffff:127.0.0.1]:${port}`,
    `https://[::ffff:7f00:1]:${port}`,
    `https://0.0.0.0:${port}`,
    `https://0:${port}`,
    `https://2130706433:${port}`,
    `https://0x7f.1:${port}`,
    `https://0177.0.0.1:${port}`,
    `https://127.1:${port}`,
    `http://a@127.0.0.1:${port}`,
    `https://169.254.169.254/latest/meta-data`,
    `https://localhost:${port}`,
    `https://localhost.:${port}`,
    `unix:///tmp/socket`,
    `file:///etc/passwd`,
    'not a url',
  ]
  for (const url of urls) assert.equal((await probeHealth(url, strict)).healthy, false, url)
  assert.equal(sink.connections(), 0)
})

test('a name is judged by the very address that is connected to', async () => {
  const sink = countingSink()
  const port = await listen(sink.server())
  const rebinding = { ...strict, lookup: names([public_v4], [loopback_v4]) }
  rebinding.lookup('a.example', { all: true }, () => {})
  for (const lookup of [
    rebinding.lookup,
    names([loopback_v4]),
    names([public_v4, loopback_v4]),
    names([{ address: '::ffff:127.0.0.1', family: 6 }]),
    names([{ address: 'fd00:ec2::254', family: 6 }]),
    names([]),
  ]) {
    const probed = await probeHealth(`https://a.example:${port}`, { ...strict, lookup })
    assert.deepEqual([probed.healthy, probed.fault], [false, 'address not allowed'])
  }
  assert.equal(sink.connections(), 0)
})

test('in development loopback is probed, over http too, but nothing else inside and nobody else without https', async () => {
  const port = await listen(httpServer((_request, response) => response.end()))
  assert.equal((await probeHealth(`http://127.0.0.1:${port}`, local)).healthy, true)
  const named = (address: typeof public_v4) =>
    probeHealth(`http://a.example:${port}`, { ...local, lookup: names([address]) })
  assert.equal((await named(loopback_v4)).healthy, true)
  assert.equal((await named(public_v4)).fault, 'only https is asked')
  assert.equal((await probeHealth('https://10.0.0.1', local)).fault, 'address not allowed')
})

test('silence, endless headers and an endless body cost no more than the time limit', {
  timeout: 180_000,
}, async () => {
  const silent = await listen(createTcpServer(() => {}))
  const hasty = { ...local, timeout_ms: 300 }
  assert.equal((await probeHealth(`http://127.0.0.1:${silent}`, hasty)).fault, 'too slow')
  const wordy = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)
    }),
  )
  assert.equal((await probeHealth(`http://127.0.0.1:${wordy}`, local)).fault, 'HPE_HEADER_OVERFLOW')
  let written = 0
  const endless = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536))) written += 65_536
      }
      socket.on('drain', more)
      more()
    }),
  )
  assert.equal((await probeHealth(`http://127.0.0.1:${endless}`, local)).healthy, true)
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes were taken`)
  const dead = await listen(createTcpServer((socket) => socket.destroy()))
  assert.equal((await probeHealth(`http://127.0.0.1:${dead}`, local)).healthy, false)
})

test('https is probed only with a valid certificate', async () => {
  const authority = makeCertificate({ name: 'authority' })
  const { cert, key } = makeCertificate({ name: 'a.example', issuer: authority, hosts: ['a.example'] })
  const port = await listen(createTlsServer({ cert, key }, (_request, response) => response.end('{}')))
  const trusting = { ...local, lookup: names([loopback_v4]), ca: authority.cert }
  const well = await probeHealth(`https://a.example:${port}`, trusting)
  assert.deepEqual([well.healthy, well.fault], [true, undefined])
  const other = await probeHealth(`https://b.example:${port}`, trusting)
  assert.equal(other.fault, 'ERR_TLS_CERT_ALTNAME_INVALID')
  const unknown = await probeHealth(`https://a.example:${port}`, { ...trusting, ca: undefined })
  assert.equal(unknown.healthy, false)
})
