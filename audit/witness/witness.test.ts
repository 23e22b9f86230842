import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { verifyExport } from '@svc/sdk/verify/export'
import { readWitnessKey } from '@svc/sdk/verify/witnesses'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import type { AuditLog } from '../audit-log.ts'
import { currentKeys } from '../chain/keys.ts'
import type { Query } from '../query/client-query.ts'
import { queryOf } from '../query/query.ts'
import { testRootKeys } from '../sealing/test-root-keys.ts'
import {
  asOwner,
  entryOf,
  exportLines,
  newFolder,
  openTestAuditLog,
  test_root_keys,
} from '../test-audit-log.ts'
import { keyId, type SigningKey, signCheckpoint } from '../tree/checkpoint.ts'
import { appendLeaf, consistencyPath, type Frontier, leafHash, rootOf } from '../tree/merkle.ts'
import { type CosigningKey, verifierKeyOf } from './cosign.ts'
import { cosignNext, heldNote, type Witnessed, witnessSubmission } from './witness.ts'
import { dueChains, feedCheckpoint, type SendToWitness } from './witness-feed.ts'
import { witnessKey } from './witness-key.ts'
import { cosignForPartners, type PartnerAlarm } from './witness-partners.ts'
import { type AskedWitness, askWitness, listAsked, takeTurn, trustLog } from './witness-store.ts'
import { readSubmission, writeSubmission } from './witness-submission.ts'

const now = new Date(1_790_000_000_000)
const leaves = Array.from({ length: 12 }, (_, i) => leafHash(createHash('sha256').update(`${i}`).digest()))
const other_leaves = leaves.with(4, leafHash(Buffer.alloc(32, 9)))

let database: TestDatabase
let store: PostgresStore
let audit_log: AuditLog

before(async () => {
  database = await testDatabase()
  audit_log = await openTestAuditLog(database.url, await newFolder())
  store = await storeAt(database.url)
})
after(async () => {
  await audit_log?.close()
  await store?.close()
  await database?.close()
})

function newKey() {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(private_key.export({ format: 'jwk' }).x!, 'base64url')
  return { private_key, public_key }
}

function rootAt(size: number, of = leaves): Buffer {
  const frontier: Frontier = []
  for (const [i, leaf] of of.slice(0, size).entries()) appendLeaf(frontier, i, leaf, () => {})
  return rootOf(frontier)
}

/** A log with its own name, and a witness that trusts it. */
async function newScene() {
  const tenant_id = `t-${randomUUID().slice(0, 8)}`
  const pair = newKey()
  const signer: SigningKey = { ...pair, key_id: keyId(`svc/${tenant_id}`, pair.public_key) }
  const key: CosigningKey = { ...newKey(), name: `w.example/${tenant_id}` }
  await trustLog(queryOf(store.engine), `svc/${tenant_id}`, pair.public_key.toString('base64url'))
  const noteOf = (size: number, of = leaves, by = signer) =>
    signCheckpoint(tenant_id, size, rootAt(size, of), by)
  const proof = (from: number, to: number, of = leaves) =>
    from === 0 ? [] : consistencyPath(from, to, (_, i) => of[i]!).map((node) => node.toString('hex'))
  const hear = (body: string) => witnessSubmission(store.engine, key, body, now)
  const send = (from: number, to: number, of = leaves) =>
    hear(writeSubmission(from, proof(from, to, of), noteOf(to, of)))
  return { tenant_id, signer, key, noteOf, proof, hear, send }
}

function kindsOf(all: readonly Witnessed[]): string[] {
  return all.map(({ kind }) => kind)
}

test('a witness advances with a proof, names what it holds, and cosigns no second root of a size', async () => {
  const { tenant_id, noteOf, proof, hear, send, key } = await newScene()
  assert.equal((await hear(writeSubmission(0, proof(2, 5), noteOf(5)))).kind, 'unproved')
  assert.equal((await send(0, 5)).kind, 'cosigned')
  assert.deepEqual(await send(0, 7), { kind: 'stale', held_size: 5, origin: `svc/${tenant_id}` })
  assert.equal((await send(5, 9, other_leaves)).kind, 'unproved')
  assert.equal((await hear(writeSubmission(5, [], noteOf(9)))).kind, 'unproved')
  assert.equal((await hear(writeSubmission(5, proof(5, 9).toReversed(), noteOf(9)))).kind, 'unproved')
  const twice = await hear(writeSubmission(5, [], noteOf(5, other_leaves)))
  assert.deepEqual([twice.kind, 'held_size' in twice && twice.held_size], ['contradiction', 5])
  assert.equal((await hear(writeSubmission(5, proof(3, 5), noteOf(5)))).kind, 'unproved')
  assert.equal((await send(5, 5)).kind, 'cosigned')
  assert.equal((await send(5, 12)).kind, 'cosigned')
  assert.equal((await hear(writeSubmission(12, [], noteOf(9)))).kind, 'malformed')
  assert.equal((await send(9, 9)).kind, 'stale')
  const note = await heldNote(queryOf(store.engine), key.name, `svc/${tenant_id}`)
  assert.ok(note?.startsWith(noteOf(12)) && note.split('\n').length === 7, `${note}`)
  const padding = '— svc/x AAAAAAAA\n— w.example/other BBBBBBBB\n'.repeat(15)
  const own = noteOf(12)
  assert.equal(
    (await hear(writeSubmission(12, [], own + `${own.split('\n')[4]}\n` + padding))).kind,
    'cosigned',
  )
  const again = await heldNote(queryOf(store.engine), key.name, `svc/${tenant_id}`)
  assert.equal(again?.split('\n').length, 7, 'what others add below a note is not kept')
  assert.equal((await hear(writeSubmission(12, [], own + padding.repeat(3)))).kind, 'malformed')
  const rows = await queryOf(store.engine)<{ contradiction: string }>(
    'SELECT contradiction FROM witness_logs WHERE witness_name = $1',
    [key.name],
  )
  assert.equal(rows[0]?.contradiction, noteOf(5, other_leaves))
})

test('an unknown, untrusted or contradicting log is not cosigned, and leaves no trace', async () => {
  const { tenant_id, signer, noteOf, hear, key } = await newScene()
  const stranger: SigningKey = { ...newKey(), key_id: signer.key_id }
  const unknown = signCheckpoint('never-heard-of', 5, rootAt(5), signer)
  const note = noteOf(5)
  const bodies: [kind: string, body: string][] = [
    ['unknown log', writeSubmission(0, [], unknown)],
    ['not signed', writeSubmission(0, [], noteOf(5, leaves, stranger))],
    ['not signed', writeSubmission(0, [], note.replace('\n5\n', '\n6\n'))],
    ['malformed', writeSubmission(6, [], note)],
    ...[
      '',
      'old 0',
      `old 0\n${note}`,
      `old -1\n\n${note}`,
      `old 00\n\n${note}`,
      `old 0\n\n${note.trimEnd()}`,
    ].map((body): [string, string] => ['malformed', body]),
    ['malformed', `old 0 \n\n${note}`],
    ['malformed', `old 0\nAAAA\n\n${note}`],
    ['malformed', writeSubmission(0, Array<string>(64).fill('00'.repeat(32)), note)],
    ['malformed', writeSubmission(0, [], noteOf(0))],
    ['malformed', writeSubmission(0, [], note.replace(/^svc\/[^\n]*/, 'svc/\u0000'))],
    ['malformed', `old 0\r\n\r\n${note}`],
  ]
  for (const [kind, body] of bodies) assert.equal((await hear(body)).kind, kind, JSON.stringify(body))
  assert.equal(await heldNote(queryOf(store.engine), key.name, `svc/${tenant_id}`), undefined)
  const huge = { origin: 'x', size: Number.MAX_SAFE_INTEGER + 1, root: '00', text: '', signatures: [] }
  const reply = await cosignNext(store.engine, key, { old_size: 0, proof: [], note: huge }, now)
  assert.equal(reply.kind, 'malformed')
})

test('of two concurrent checkpoints of one size exactly one is cosigned, and that one is stored', async () => {
  for (const first of [0, 3]) {
    const { tenant_id, send, noteOf, key } = await newScene()
    if (first > 0) await send(0, first)
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => send(first, 10, i % 2 ? other_leaves : leaves)),
    )
    const cosigned = replies.flatMap((one, i) => (one.kind === 'cosigned' ? [i] : []))
    assert.equal(cosigned.length, 1, kindsOf(replies).join())
    const note = await heldNote(queryOf(store.engine), key.name, `svc/${tenant_id}`)
    assert.ok(note?.startsWith(noteOf(10, cosigned[0]! % 2 ? other_leaves : leaves)))
  }
})

test('the database itself prevents any rollback of cosigned state', async () => {
  const { send, key } = await newScene()
  await send(0, 8)
  const changes = ['size = 7', "root = decode(repeat('00', 32), 'hex')", "origin = 'x'"]
  for (const change of changes) {
    const work = asOwner(database.url, (client) =>
      client.query(`UPDATE witness_logs SET ${change} WHERE witness_name = $1`, [key.name]),
    )
    await assert.rejects(work, /never taken back/, change)
  }
  await assert.rejects(
    asOwner(database.url, (client) => client.query('DELETE FROM witness_logs')),
    /never changed/,
  )
})

test('an answer that cannot be stored is not given', async () => {
  const { send, tenant_id, key } = await newScene()
  await asOwner(database.url, (client) =>
    client.query(`ALTER TABLE witness_logs ADD CONSTRAINT full_disk CHECK (size <> 11)`),
  )
  await assert.rejects(send(0, 11), /full_disk/)
  await asOwner(database.url, (client) => client.query('ALTER TABLE witness_logs DROP CONSTRAINT full_disk'))
  assert.equal(await heldNote(queryOf(store.engine), key.name, `svc/${tenant_id}`), undefined)
})

test("an engine's own key is made once, however many request it, and opens only under its master key", async () => {
  const query = queryOf(store.engine)
  const keys = await Promise.all(Array.from({ length: 4 }, () => witnessKey(query, test_root_keys)))
  assert.equal(new Set(keys.map(verifierKeyOf)).size, 1)
  assert.equal((await readWitnessKey(verifierKeyOf(keys[0]!))).name, keys[0]!.name)
  await assert.rejects(witnessKey(query, testRootKeys(Buffer.alloc(32, 8))), /does not open/)
})

async function write(tenant_id: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) audit_log.record(entryOf(tenant_id))
  await audit_log.flush()
}

function askedOf(key: CosigningKey): AskedWitness {
  const verifier_key = verifierKeyOf(key)
  return {
    witness_name: key.name,
    key_id: verifier_key.split('+')[1]!,
    verifier_key,
    url: 'x',
    tenants: null,
  }
}

/** The witness as its engine would answer, without HTTP. */
function sendTo(key: CosigningKey): SendToWitness & { readonly sent: string[] } {
  const sent: string[] = []
  const send: SendToWitness = async (body) => {
    sent.push(body)
    const reply = await witnessSubmission(store.engine, key, body, now)
    if (reply.kind === 'cosigned') return { status: 200, type: 'text/plain', body: reply.line }
    if ('held_size' in reply && reply.kind !== 'unproved')
      return { status: 409, type: 'text/x.tlog.size', body: `${reply.held_size}\n` }
    const status = { unproved: 422, 'unknown log': 404, 'not signed': 403, malformed: 400 }[
      reply.kind as 'malformed'
    ]
    return { status, type: 'text/plain', body: '' }
  }
  return Object.assign(send, { sent })
}

async function currentPublicKey(tenant_id: string): Promise<string> {
  const keys = await currentKeys(queryOf(store.engine), test_root_keys, [tenant_id])
  return keys.get(tenant_id)!.public_key.toString('base64url')
}

test('a log learns how far it was seen, proves the rest, stores the cosignature, and asks nothing twice', async () => {
  const query = queryOf(store.engine)
  const [key, tenant_id] = [{ ...newKey(), name: 'fed.example/w' }, 'fed']
  const witness = askedOf(key)
  await write(tenant_id, 4)
  const fresh = { tenant_id, cosigned_size: 0 }
  const send = sendTo(key)
  assert.equal((await feedCheckpoint(query, witness, fresh, send)).kind, 'unknown')
  await trustLog(query, 'svc/fed', newKey().public_key.toString('base64url'))
  assert.equal((await feedCheckpoint(query, witness, fresh, send)).kind, 'untrusted')
  await trustLog(query, 'svc/fed', await currentPublicKey(tenant_id))
  assert.deepEqual(await feedCheckpoint(query, witness, fresh, send), { kind: 'cosigned', size: 4 })
  await write(tenant_id, 3)
  send.sent.length = 0
  assert.deepEqual(await feedCheckpoint(query, witness, fresh, send), { kind: 'cosigned', size: 7 })
  assert.deepEqual(
    send.sent.map((body) => readSubmission(body)?.old_size),
    [0, 4],
  )
  const due = await dueChains(query, { ...witness, tenants: [tenant_id] }, '', 10)
  assert.deepEqual(due, [])
  assert.deepEqual(await dueChains(query, { ...witness, tenants: ['nobody'] }, '', 10), [])
  const verdict = await verifyExport(await exportLines(database.url, tenant_id), {
    witnessKeys: [witness.verifier_key],
    witnessesNeeded: 1,
  })
  assert.deepEqual([verdict.ok, verdict.witnessed?.size], [true, 7])
})

test('a wrong answer of a witness is a failure, and a contradiction an alarm', async () => {
  const query = queryOf(store.engine)
  const key = { ...newKey(), name: 'odd.example/w' }
  const fresh = { tenant_id: 'fed', cosigned_size: 0 }
  const answering = (status: number, body = '', type = 'text/x.tlog.size') =>
    feedCheckpoint(query, askedOf(key), fresh, async () => ({ status, body, type }))
  for (const [status, body, type] of [
    [200, ''],
    [200, '— odd.example/w AAAA\n'],
    [409, 'x\n'],
    [409, '3'],
    [409, '3\n', 'text/plain'],
    [500, ''],
    [400, ''],
  ] as const)
    assert.equal((await answering(status, body, type)).kind, 'failed', `${status} ${body}`)
  const away = feedCheckpoint(query, askedOf(key), fresh, () => Promise.reject(new Error('too slow')))
  assert.deepEqual(await away, { kind: 'failed', why: 'too slow' })
  let size = 0
  const fickle = await feedCheckpoint(query, askedOf(key), fresh, async () => {
    return { status: 409, body: `${++size}\n`, type: 'text/x.tlog.size; x=y' }
  })
  assert.match((fickle as { why: string }).why, /named another size/)
  const longer = { kind: 'alarm', why: 'its tail is missing', held_size: 99, own_size: 7 }
  assert.deepEqual(await answering(409, '99\n'), longer)
  assert.equal((await answering(409, '0\n')).kind, 'alarm')
  assert.equal((await answering(422)).kind, 'alarm')
})

test('a lost connection is not taken for a broken tree', async () => {
  const query = queryOf(store.engine)
  const breaking: Query = async (text, values) => {
    if (text.includes('audit_tail')) throw new Error('Connection terminated unexpectedly')
    return query(text, values)
  }
  const fed = feedCheckpoint(
    breaking,
    askedOf({ ...newKey(), name: 'cut.example/w' }),
    { tenant_id: 'fed', cosigned_size: 2 },
    () => Promise.reject(new Error('not reached')),
  )
  await assert.rejects(fed, /Connection terminated/)
})

test('one engine at a time feeds a witness, and another takes over', async () => {
  const query = queryOf(store.engine)
  const key = { ...newKey(), name: 'turn.example/w' }
  await askWitness(query, verifierKeyOf(key), 'https://turn.example', ['fed'])
  const witness = (await listAsked(query)).find(({ witness_name }) => witness_name === key.name)!
  const [one, two] = [randomUUID(), randomUUID()]
  assert.equal(await takeTurn(query, witness, one, 60), true)
  assert.equal(await takeTurn(query, witness, two, 60), false)
  assert.equal(await takeTurn(query, witness, one, -1), true)
  assert.equal(await takeTurn(query, witness, two, 60), true)
})

test('partners on one engine cosign each other, and report a lost tail or a changed past', async () => {
  await write('left', 5)
  await write('right', 2)
  const pairs = [
    { tenant_id: 'left', partner: 'right' },
    { tenant_id: 'right', partner: 'left' },
    { tenant_id: 'left', partner: 'elsewhere' },
  ]
  const alarms: PartnerAlarm[] = []
  const round = () =>
    cosignForPartners(store.engine, {
      root_keys: test_root_keys,
      now,
      partnersOf: async () => pairs,
      onAlarm: async (alarm) => void alarms.push(alarm),
    })
  assert.deepEqual([await round(), await round()], [2, 0])
  await write('left', 3)
  assert.deepEqual((await Promise.all([round(), round()])).toSorted(), [0, 1])
  const [right] = (await currentKeys(queryOf(store.engine), test_root_keys, ['right'])).values()
  const witnessKeys = [verifierKeyOf({ name: 'svc/right', public_key: right!.public_key })]
  const verdict = await verifyExport(await exportLines(database.url, 'left'), {
    witnessKeys,
    witnessesNeeded: 1,
  })
  assert.deepEqual([verdict.ok, verdict.witnessed?.size, alarms], [true, 8, []])
  await asOwner(database.url, async (client) => {
    await client.query('ALTER TABLE audit_checkpoints DISABLE TRIGGER USER')
    await client.query("DELETE FROM audit_checkpoints WHERE tenant_id = 'left' AND size > 5")
    await client.query('ALTER TABLE audit_checkpoints ENABLE TRIGGER USER')
  })
  assert.equal(await round(), 0)
  assert.deepEqual(
    alarms.map(({ tenant_id, partner, held_size, own_size }) => [tenant_id, partner, held_size, own_size]),
    [['left', 'right', 8, 5]],
  )
})
