import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { queryOf } from '@svc/audit/query/query'
import { keyId, signCheckpoint } from '@svc/audit/tree/checkpoint'
import { appendLeaf, type Frontier, leafHash, rootOf } from '@svc/audit/tree/merkle'
import { writeRotationSubmission } from '@svc/audit/witness/rotation-submission'
import { trustLog } from '@svc/audit/witness/witness-store'
import { writeSubmission } from '@svc/audit/witness/witness-submission'
import { privateKeyOf } from '@svc/contract/signing/signature'
import { addWitnessRoutes } from '@svc/gateway/witness/witness-routes'
import { type OpenEndpoint, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { openWitness } from './witness-handler.ts'

const origin = 'svc/dev'
const own = { tenant_id: 'operator', did: newIdentity('operator', 'service').did }
let opened: TestStore
let endpoint: OpenEndpoint

before(async () => {
  opened = await openTestStore()
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const key = { ...newKey(), name: 'w.example' }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const witness = openWitness({ db: opened.store.engine, clock, log, own, key: async () => key })
  endpoint = await openTestEndpoint([], {}, [], (app, dispatch_endpoint) =>
    addWitnessRoutes(app, { ...dispatch_endpoint, witness }),
  )
})
after(async () => {
  await endpoint?.close()
  await opened?.close()
})

function newKey() {
  const { public_key, private_key } = newIdentity('dev', 'service')
  return {
    public_key: Buffer.from(public_key, 'base64url'),
    private_key: privateKeyOf(Buffer.from(private_key, 'base64url')),
  }
}

/** The checkpoint of a log with this many equal records. */
function noteOf(size: number, pair: ReturnType<typeof newKey>): string {
  const frontier: Frontier = []
  const leaf = leafHash(createHash('sha256').update('x').digest())
  for (let i = 0; i < size; i++) appendLeaf(frontier, i, leaf, () => {})
  return signCheckpoint('dev', size, rootOf(frontier), { ...pair, key_id: keyId(origin, pair.public_key) })
}

const post = (body: string, type = 'text/plain', route = 'add-checkpoint') =>
  fetch(`${endpoint.url}/v1/witness/${route}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })

test('the endpoint answers as the specification says', async () => {
  const pair = newKey()
  await trustLog(queryOf(opened.store.engine), origin, pair.public_key.toString('base64url'))
  const note = noteOf(3, pair)
  const table: [status: number, body: string][] = [
    [200, writeSubmission(0, [], note)],
    [200, writeSubmission(3, [], note)],
    [409, writeSubmission(0, [], note)],
    [409, writeSubmission(1, [], note)],
    [422, writeSubmission(3, ['00'.repeat(32)], note)],
    [404, writeSubmission(0, [], note.replaceAll(origin, 'svc/nobody'))],
    [403, writeSubmission(0, [], noteOf(4, newKey()))],
    [400, writeSubmission(4, [], note)],
    [400, note],
    [400, ''],
    [413, `old 0\n\n${'x'.repeat(20 * 1024)}`],
  ]
  for (const type of ['text/plain', 'application/json'])
    for (const [status, body] of type === 'text/plain' ? table : table.slice(1)) {
      const answer = await post(body, type)
      const text = await answer.text()
      assert.equal(answer.status, status, `${type}: ${JSON.stringify(body.slice(0, 200))}: ${text}`)
      if (status === 200) assert.match(text, /^\u2014 \S+ [A-Za-z0-9+/=]+\n$/u)
      if (status === 403) assert.equal(answer.headers.get('content-type'), 'text/x.svc.rotation')
      if (status === 409)
        assert.deepEqual([answer.headers.get('content-type'), text], ['text/x.tlog.size', '3\n'])
    }
  const checkpointAt = (query: string) => fetch(`${endpoint.url}/v1/witness/checkpoint${query}`)
  assert.ok((await (await checkpointAt(`?origin=${origin}`)).text()).startsWith(note.split('\n\n')[0]!))
  assert.equal((await checkpointAt('?origin=svc/nobody')).status, 404)
  for (const query of ['', '?origin=%00']) assert.equal((await checkpointAt(query)).status, 400)
  const alarms = await opened.store.engine_pool.query(
    `SELECT entry::jsonb #>> '{meta,kind}' AS kind FROM audit_outbox`,
  )
  assert.deepEqual(alarms.rows, [{ kind: 'unproved' }], 'its operator is notified once')
})

test('add-rotation says in a sentence what it does not take', async () => {
  const pair = newKey()
  await trustLog(queryOf(opened.store.engine), 'svc/dev', pair.public_key.toString('base64url'))
  const key_id = keyId(origin, pair.public_key)
  const rotation = (meta: object, note = noteOf(4, pair), more = '') =>
    writeRotationSubmission({ record: { meta, more }, inclusion_path: [] }, 3, [], note)
  const table: [status: number, body: string, sentence: RegExp][] = [
    [403, rotation({ old_key_id: key_id }), /^The change of keys is not proved: the record does not have/],
    [403, rotation({ old_key_id: key_id }, noteOf(4, newKey())), /^It is not signed by a key trusted/],
    [403, rotation({}), /^It is not signed by a key trusted for this log\.\n$/],
    [404, rotation({}, noteOf(4, pair).replaceAll(origin, 'svc/nobody')), /^This log is not witnessed here/],
    [400, writeSubmission(0, [], noteOf(4, pair)), /^Send: the record of the change/],
    [400, '', /^Send: the record of the change/],
    [403, rotation({ old_key_id: key_id }, noteOf(4, pair), 'x'.repeat(30 * 1024)), /not proved/],
    [413, rotation({ old_key_id: key_id }, noteOf(4, pair), 'x'.repeat(32 * 1024)), /too large/],
  ]
  for (const [status, body, sentence] of table) {
    const answer = await post(body, 'text/plain', 'add-rotation')
    const text = await answer.text()
    assert.equal(answer.status, status, text)
    assert.match(text, sentence)
    if (status !== 413) assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  }
})

test('while sixteen are sending, others are told to retry', async (t) => {
  const head = 'POST /v1/witness/add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'
  const senders = Array.from({ length: 16 }, () => connect(endpoint.port, '127.0.0.1'))
  t.after(() => {
    for (const sender of senders) sender.destroy()
  })
  for (const sender of senders) sender.write(head)
  const status = async () => (await post('')).status
  await eventually(async () => assert.equal(await status(), 503))
  senders[0]!.destroy()
  await eventually(async () => assert.equal(await status(), 400))
})
