// The console's server before a fake engine: what it serves itself, what it passes on, and which connections it ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import { eventually } from '../../checks/suite/eventually.ts'
import { openAdmission } from '../dispatch/admission-control.ts'
import { no_audit_log } from '../relay/relay.ts'
import type { FromEngine, ToEngine } from '../relay/relay-upstream.ts'
import { type ConsoleFile, type ConsoleFiles, page_headers, waitingFiles } from './console-files.ts'
import { createConsoleServer } from './console-server.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const page: ConsoleFile = {
  status: 200,
  bytes: Buffer.from('<!doctype html>'),
  gzipped: Buffer.from('smaller'),
  headers: { ...page_headers, 'content-type': 'text/html', etag: '"e"', vary: 'accept-encoding' },
}

async function open(
  t: TestContext,
  answer: () => Readable = () => Readable.from(['{}']),
  idle_ms_max = 60_000,
  files: () => ConsoleFiles | Promise<ConsoleFiles> = () => new Map([['', page]]),
) {
  const to_engines: ToEngine[] = []
  const admission = openAdmission({ calls_max: 1, body_bytes_max: 1024 }, system_clock, 'gateway')
  const server = createConsoleServer({
    files,
    upstream: {
      async ask(request) {
        to_engines.push(request)
        const body = answer()
        request.signal.addEventListener('abort', () => body.destroy())
        return Object.assign(body, { headers: {}, rawHeaders: [], statusCode: 200 }) as FromEngine
      },
      letGo() {},
      close() {},
    },
    admission,
    path_prefix: '/kept/here',
    idle_ms_max,
    engine: { draining: false },
    audit_log: no_audit_log,
    sums: refusalSums({ record() {}, clock: system_clock }),
    clock: system_clock,
    log: quiet,
    own: { tenant_id: 'console', did: 'console' },
  })
  const port = await server.listen('127.0.0.1', 0)
  t.after(() => server.close())
  return { asked: to_engines, admission, port, url: `http://127.0.0.1:${port}` }
}

test('the page by its length and ETag, with and without its prefix, and with its slash', async (t) => {
  const { url } = await open(t)
  for (const path of ['/', '/kept/here/', '/kept/here'])
    assert.equal(await (await fetch(url + path, identity)).text(), '<!doctype html>', path)
  const head = await fetch(url, { method: 'HEAD', ...identity })
  assert.deepEqual([head.headers.get('content-length'), await head.text()], ['15', ''])
  const unchanged = await fetch(url, { headers: { 'if-none-match': '"e"' } })
  assert.deepEqual([unchanged.status, await unchanged.text()], [304, ''])
  const bare = await fetch(`${url}/kept/here`, { redirect: 'manual' })
  assert.deepEqual([bare.status, bare.headers.get('location')], [308, 'here/'])
})

const identity = { headers: { 'accept-encoding': 'identity' } }

test('a console that is being built says so, is asked for again, and passes calls on meanwhile', async (t) => {
  let files = waitingFiles('It takes a <minute>.', 2)
  let reads = 0
  const { url } = await open(t, undefined, undefined, async () => {
    reads += 1
    return files
  })
  const waiting = await fetch(url, { headers: { 'if-none-match': '"e"' } })
  const { headers } = waiting
  assert.deepEqual(
    [waiting.status, headers.get('retry-after'), headers.get('cache-control'), headers.get('etag')],
    [503, '2', 'no-store', null],
  )
  const text = await waiting.text()
  assert.match(text, /<meta http-equiv="refresh" content="2">/)
  assert.match(text, /It takes a &#60;minute&#62;\./)
  assert.equal((await fetch(`${url}/v1/protocols`)).status, 200)
  assert.equal(reads, 1, 'a call does not ask for files')
  assert.equal((await fetch(`${url}/assets/none.js`)).status, 404)
  files = new Map([['', page]])
  assert.equal(await (await fetch(url, identity)).text(), '<!doctype html>')
})

test('a change from another site never reaches the engine', async (t) => {
  const { asked, url } = await open(t)
  const send = (site: string) =>
    fetch(`${url}/v1/dispatch`, { method: 'POST', headers: { 'sec-fetch-site': site }, body: '{}' })
  const refused = await send('cross-site')
  const { error } = (await refused.json()) as { error: { message: string } }
  assert.deepEqual([refused.status, asked.length], [401, 0])
  assert.match(error.message, /own pages/)
  assert.equal((await send('same-origin')).status, 200)
  assert.equal(asked.length, 1)
})

test('a client that requests much and reads nothing is disconnected', { timeout: 180_000 }, async (t) => {
  const block = Buffer.alloc(64 * 1024)
  const endless = new Readable({ read: () => void endless.push(block) })
  const { admission, port } = await open(t, () => endless, 50)
  const caller = connect(port, '127.0.0.1')
  t.after(() => caller.destroy())
  caller.write('GET /v1/protocols HTTP/1.1\r\nhost: x\r\n\r\n')
  caller.pause()
  await once(endless, 'close')
  await eventually(() => assert.equal(admission.calls, 0))
})
