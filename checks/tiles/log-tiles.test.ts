// A tenant's log in tiles over HTTP: verified from its tiles alone, and who may read it.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { entryOf } from '@svc/audit/test-audit-log'
import { rootOfPath } from '@svc/sdk/verify/tree'
import { admin } from '@svc/service/admin'
import { public_cached_ms } from '@svc/service/assembly/log-tiles'
import { type GatewayScene, newSigner, openGateway, send } from '../conformance/gateway/gateway-scene.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { auditPath, leafOf, type ReadLog, readCheckpoint, readLevel, requireTree } from './tile-reader.ts'

const master_key = randomBytes(32)
const signer = newSigner()
const tenant_id = 'dev'
/** The system's clock, which a test may put forward. */
let ahead_ms = 0
const clock = { ...system_clock, monotonic_ms: () => system_clock.monotonic_ms() + ahead_ms }
let engine: InProcessService
let gateway: GatewayScene
let rival: Addresses

before(async () => {
  engine = await startInProcess({ config: { master_key, trusted_gateways: [signer.did] }, clock })
  gateway = await openGateway(
    { db_url: engine.db_url, api_url: engine.api_url, engine_did: engine.operator.did },
    { signer, plain: true },
  )
  rival = await engine.newCaller({ tenant_id: 'rival' })
  for (let n = 0; n < 600; n++) engine.service.audit_log.record(entryOf(tenant_id))
  engine.service.audit_log.record(entryOf('rival'))
  await engine.service.audit_log.flush()
})
after(async () => {
  await gateway?.stop()
  await engine?.stop()
})

type Sent = Record<string, string>

const keyOf = ({ api_key, agent_did }: Addresses): Sent => ({
  authorization: `Bearer ${api_key}`,
  'x-agent-did': agent_did,
})

function get(path: string, headers: Sent = {}, method = 'GET', tenant = tenant_id): Promise<Response> {
  return fetch(`${engine.api_url}/v1/log/${tenant}/${path}`, { headers, method })
}

const read: ReadLog = async (path) => {
  const answer = await get(path, keyOf(engine))
  assert.equal(answer.status, 200, path)
  return Buffer.from(await answer.arrayBuffer())
}

// biome-ignore lint/suspicious/noExplicitAny: each command answers in its own shape
async function operate(...args: string[]): Promise<any> {
  let out = ''
  const write = async (text: string) => {
    out += text
  }
  const env = { SVC_DB_URL: engine.db_url, SVC_MASTER_KEY: master_key.toString('hex') }
  assert.equal(await admin([...args, '--json'], env, { input: Readable.from(['']), write }), 0)
  return JSON.parse(out)
}

/** After the time in which engines learn of it. */
async function change(verb: 'publish' | 'unpublish', tenant = tenant_id) {
  const row = await operate('log', verb, '--tenant', tenant)
  ahead_ms += public_cached_ms
  return row
}

/** Without what differs in every answer. */
async function answerOf(answer: Response): Promise<unknown> {
  const { error } = (await answer.json()) as { error: Record<string, unknown> }
  const { correlation_id: _, ...same } = error
  const headers = [...answer.headers].filter(([name]) => !['date', 'x-correlation-id'].includes(name))
  return { status: answer.status, headers, same }
}

test('the signed root follows from the tiles, and a record is proved by them', async () => {
  const { verifier_key } = await change('publish')
  const others = await change('publish', 'rival')
  await change('unpublish')
  const input = { event_type: 'custom.noted', meta: {} }
  const { body } = await dispatch(engine, { protocol: 'MAX', operation: 'audit_log_entry', input })
  await engine.service.audit_log.flush()
  const head = await readCheckpoint(read, verifier_key)
  assert.ok(head.size > 600)
  const entries = await requireTree(read, head)
  const { seq, record_hash } = (body as { output: { seq: number; record_hash: string } }).output
  assert.equal(entries[seq - 1]?.toString('hex'), record_hash)
  const path = auditPath(seq - 1, entries.map(leafOf)).map((node) => node.toString('hex'))
  const place = { index: seq - 1, size: head.size }
  assert.equal(await rootOfPath(record_hash, place, path), head.root.toString('hex'))
  await assert.rejects(readCheckpoint(read, others.verifier_key), /svc\/rival/)
})

test('a partial tile is answered also after the log has grown', async () => {
  const [first] = await readLevel(read, 0, 1)
  const at_seven = await read('tile/0/000.p/7')
  assert.deepEqual(at_seven.subarray(0, 32), first)
  assert.deepEqual(at_seven, (await read('tile/0/000')).subarray(0, 7 * 32))
  assert.deepEqual(await read('tile/entries/001.p/3'), (await read('tile/entries/001')).subarray(0, 3 * 34))
  assert.deepEqual(await read('tile/1/000.p/1'), (await read('tile/1/000.p/2')).subarray(0, 32))
})

test('types and caching are as specified, and HEAD answers the same', async () => {
  const cases = [
    ['checkpoint', 'text/plain; charset=utf-8', 'no-store'],
    ['tile/0/000', 'application/octet-stream', 'private, max-age=31536000, immutable'],
    ['tile/entries/001.p/3', 'application/octet-stream', 'private, max-age=31536000, immutable'],
  ] as const
  for (const [path, type, caching] of cases) {
    const answers = [await get(path, keyOf(engine)), await get(path, keyOf(engine), 'HEAD')]
    const [whole, bare] = await Promise.all(answers.map((answer) => answer.arrayBuffer()))
    assert.deepEqual([bare?.byteLength, answers[1]?.status], [0, 200])
    for (const { headers } of answers) {
      const shown = ['content-type', 'cache-control', 'x-svc-log'].map((name) => headers.get(name))
      assert.deepEqual(shown, [type, caching, 'private'])
      assert.equal(headers.get('content-length'), String(whole?.byteLength))
    }
  }
})

test('paths that name no tile are not found', async () => {
  const paths = [
    'tile/0/999',
    'tile/0/000.p/256',
    'tile/0/000.p/0',
    'tile/0/0',
    'tile/9/000',
    'tile/entries/x000/001',
    `tile/0/${'x001/'.repeat(30)}000`,
    'tile/0/%00',
    'tile/',
    'checkpoint/',
    'key',
  ]
  for (const path of paths) assert.equal((await get(path, keyOf(engine))).status, 404, path)
  assert.equal((await get('checkpoint', keyOf(engine), 'POST')).status, 404)
})

test('strangers get one answer, whether the log exists or not; invalid keys are refused and recorded', async () => {
  for (const headers of [{}, keyOf(rival)])
    for (const path of ['checkpoint', 'tile/0/000']) {
      const [there, nowhere] = [await get(path, headers), await get(path, headers, 'GET', 'nobody')]
      assert.equal(there.status, 404)
      assert.deepEqual(await answerOf(there), await answerOf(nowhere))
    }
  const answer = await get('checkpoint', { ...keyOf(rival), 'x-agent-did': engine.agent_did })
  assert.equal(answer.status, 401)
  const correlation_ids = [answer.headers.get('x-correlation-id')!]
  const [record] = await engine.records('rival', { correlation_ids })
  assert.equal(record?.event_type, 'SecurityViolation')
})

test('a public log is read by anybody; unpublished, only by its tenant again; both are recorded', async () => {
  await change('publish')
  const opened = await get('tile/0/000')
  assert.equal(opened.status, 200)
  assert.equal(opened.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal((await get('checkpoint', keyOf(rival))).headers.get('x-svc-log'), 'public')
  assert.equal((await get('checkpoint', { authorization: 'Bearer svc_test_x' })).status, 401)
  assert.equal((await operate('tenant', 'show', tenant_id)).audit_log_public, true)
  await change('unpublish')
  assert.equal((await get('tile/0/000')).status, 404)
  assert.equal((await get('checkpoint', keyOf(engine))).headers.get('x-svc-log'), 'private')
  const records = await engine.records(tenant_id, {
    event_types: ['AuditLogPublished', 'AuditLogUnpublished'],
  })
  assert.deepEqual(
    records.slice(-2).map(({ event_type, meta }) => [event_type, meta.command]),
    [
      ['AuditLogPublished', 'log publish'],
      ['AuditLogUnpublished', 'log unpublish'],
    ],
  )
})

test('through a gateway the same answers, with a key and without', async () => {
  const path = `/v1/log/${tenant_id}/checkpoint`
  const own = await send(gateway, 'GET', path, keyOf(engine))
  const body = (await read('checkpoint')).toString('utf8')
  assert.deepEqual([own.status, own.body, own.headers.get('x-svc-log')], [200, body, 'private'])
  const head = await send(gateway, 'HEAD', `/v1/log/${tenant_id}/tile/0/000`, keyOf(engine))
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '8192'])
  assert.equal((await send(gateway, 'GET', path)).status, 404)
  assert.equal((await send(gateway, 'GET', path, keyOf(rival))).status, 404)
  assert.equal((await send(gateway, 'GET', path, { authorization: 'Bearer svc_test_x' })).status, 401)
  const others = await send(gateway, 'GET', '/v1/log/rival/checkpoint')
  assert.equal(others.status, 200)
  assert.match(String(others.body), /^svc\/rival\n/)
})
