import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { changeOf, newKey, origin } from '../../clients/sdk-typescript/verify/test-export.ts'
import { queryOf } from '../query/query.ts'
import type { CosigningKey } from './cosign.ts'
import { writeRotationSubmission } from './rotation-submission.ts'
import { changedAt, testLog } from './test-rotation.ts'
import { heldNote, witnessSubmission } from './witness.ts'
import { type FollowedKey, followRotation } from './witness-rotation.ts'
import { distrustLog, listLogs, trustLog } from './witness-store.ts'

const now = new Date(1_790_000_000_000)
const [first, second, third, stolen] = [newKey(), newKey(), newKey(), newKey()]
let opened: TestStore

before(async () => {
  opened = await openTestStore()
})
after(() => opened?.close())

/** A witness that trusts the first key, and has seen nothing. */
async function newWitness() {
  const db = opened.store.engine
  const query = queryOf(db)
  await query('DELETE FROM witness_log_keys', [])
  await trustLog(query, origin, first.public_key)
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(private_key.export({ format: 'jwk' }).x!, 'base64url')
  const key: CosigningKey = { name: `w.example/${randomUUID()}`, private_key, public_key }
  const recorded: FollowedKey[] = []
  const keep = async (_: unknown, followed: FollowedKey) => void recorded.push(followed)
  return {
    query,
    recorded,
    hear: async (body: string) => (await witnessSubmission(db, key, body, now)).kind,
    follow: (body: string, record = keep) => followRotation(db, key, body, now, record),
    note: () => heldNote(query, key.name, origin),
    async keys() {
      const [{ keys = [] } = {}] = await listLogs(query, key.name)
      const of = (trusted: boolean) => keys.filter(({ until_seq }) => (until_seq === null) === trusted)
      const names = (list: typeof keys) => list.map(({ public_key }) => public_key)
      return { trusted: names(of(true)), earlier: names(of(false)) }
    },
  }
}

const log = testLog(changedAt(9, [6, first, second]), first)
const only_first = { trusted: [first.public_key], earlier: [] }

test('the next key is trusted from the record after the change, and the old one no longer', async () => {
  const { hear, follow, keys, note, recorded } = await newWitness()
  assert.equal(await hear(log.checkpoint(0, 5, first)), 'cosigned')
  assert.equal(await hear(log.checkpoint(5, 8, second)), 'not signed')
  assert.equal((await follow(log.rotation(5, 6, first))).kind, 'cosigned')
  assert.ok((await note())?.startsWith(log.note(6, first)), 'the last checkpoint of the old key is cosigned')
  const replaced = {
    trusted: [second.public_key],
    earlier: [first.public_key],
  }
  assert.deepEqual(await keys(), replaced)
  assert.equal(await hear(log.checkpoint(6, 8, first)), 'not signed')
  assert.equal(await hear(log.checkpoint(6, 6, second)), 'not signed', 'the new key signs only what follows')
  assert.equal((await follow(log.rotation(6, 6, first))).kind, 'cosigned', 'an answer that was lost')
  assert.equal(await hear(log.checkpoint(6, 8, second)), 'cosigned')
  assert.deepEqual(await follow(log.rotation(6, 6, first)), { kind: 'stale', held_size: 8, origin })
  assert.deepEqual(await keys(), replaced)
  const [{ record_hash, ...change }] = recorded as [FollowedKey]
  assert.deepEqual(
    [recorded.length, change, record_hash],
    [
      1,
      { origin, old_public_key: first.public_key, new_public_key: second.public_key, seq: 6 },
      log.placed(6).record.record_hash,
    ],
  )
})

const unrelated = 'the change of keys is not signed by the key before it and the key after it'
const other_path = 'the path does not lead from the record to the signed root'
const meta_of = (meta: object) =>
  testLog(changedAt(9).with(5, { event_type: 'AuditKeyRotated', meta }), first)
const changed = changeOf(6, first, second)

test('a change that is forged, of another log or not in the tree is refused with the reason', async () => {
  const followed = (why: string) => ({ kind: 'not followed', origin, why })
  const placed = log.placed(6)
  const with_record = (record: object) => log.rotation(5, 6, first, { ...placed, record: record as never })
  const with_path = (inclusion_path: unknown) =>
    log.rotation(5, 6, first, { ...placed, inclusion_path: inclusion_path as string[] })
  const other_tenant = testLog(changedAt(6, [6, first, second]).with(5, { ...changedAt(6, [6, first, second])[5], tenant_id: 'other' }), first) // biome-ignore format: one case
  const not_signed = { kind: 'not signed', origin }
  const cases: [what: string, body: string, answer: object][] = [
    ['signed by a stranger', log.rotation(5, 6, stolen), not_signed],
    ['of a stranger, under a checkpoint of the old key', meta_of(changeOf(6, stolen, second)).rotation(5, 6, first), not_signed], // biome-ignore format: one case
    ['in whose name a stranger signs', meta_of({ ...changed, old_signature: changeOf(6, stolen, second).old_signature }).rotation(5, 6, first), followed(unrelated)], // biome-ignore format: one case
    ['another new key', meta_of({ ...changed, new_public_key: stolen.public_key, new_key_id: stolen.key_id }).rotation(5, 6, first), followed(unrelated)], // biome-ignore format: one case
    ['without the new key', meta_of({ ...changed, new_signature: changed.old_signature }).rotation(5, 6, first), followed(unrelated)], // biome-ignore format: one case
    [
      'signed for another place',
      meta_of(changeOf(5, first, second)).rotation(5, 6, first),
      followed(unrelated),
    ],
    ['to the same key', meta_of(changeOf(6, first, first)).rotation(5, 6, first), followed('the change of keys names the same key again')], // biome-ignore format: one case
    ['no key at all', meta_of({ ...changed, new_public_key: 7 }).rotation(5, 6, first), followed('7 is not an Ed25519 public key in base64url')], // biome-ignore format: one case
    ['no record of a change', testLog(changedAt(9).with(5, { meta: changed }), first).rotation(5, 6, first), followed(`the key ${second.key_id} follows ${first.key_id}, but no record tells of the change`)], // biome-ignore format: one case
    [
      'of another tenant',
      other_tenant.rotation(5, 6, first),
      followed('the checkpoint is not of the chain of other'),
    ],
    [
      'of another log',
      log.rotation(5, 6, first).replace(/\n\nsvc\/acme\n/, '\n\nsvc/other\n'),
      { kind: 'unknown log' },
    ],
    ['not in the tree', with_path(placed.inclusion_path.with(0, '00'.repeat(32))), followed(other_path)],
    ['a path of something else', with_path(7), followed(other_path)],
    ['at another place', with_record({ ...placed.record, seq: 5 }), followed('the record does not have the hash it states')], // biome-ignore format: one case
    ['changed afterwards', with_record({ ...placed.record, caller_did: 'x' }), followed('the record does not have the hash it states')], // biome-ignore format: one case
    ['under a later checkpoint', writeRotationSubmission(log.placed(6, 7), 5, log.proof(5, 7), log.note(7, first)), followed('no checkpoint of the old key covers the change of keys')], // biome-ignore format: one case
    ['of an old size', log.rotation(4, 6, first), { kind: 'stale', held_size: 5, origin }],
    ['without a proof', writeRotationSubmission(placed, 5, [], log.note(6, first)), { kind: 'unproved', held_size: 5, origin }], // biome-ignore format: one case
    ['in a fork', testLog(changedAt(9, [6, first, stolen]).with(0, { meta: { x: 1 } }), first).rotation(5, 6, first), { kind: 'unproved', held_size: 5, origin }], // biome-ignore format: one case
    ...['', '\n', '{}', `{}\n${log.checkpoint(5, 6, first)}`, log.checkpoint(5, 6, first), `x${log.rotation(5, 6, first)}`, log.rotation(5, 6, first).replace('{', '{"more":1,')].map((body): [string, string, object] => ['malformed', body, { kind: 'malformed' }]), // biome-ignore format: one case
  ]
  const { hear, follow, keys, note, recorded } = await newWitness()
  await hear(log.checkpoint(0, 5, first))
  const before = await note()
  for (const [what, body, answer] of cases) {
    assert.deepEqual(await follow(body), answer, what)
    assert.deepEqual([await keys(), await note(), recorded], [only_first, before, []], what)
  }
  assert.equal((await follow(log.rotation(5, 6, first))).kind, 'cosigned')
})

test('a change in another tree of the cosigned size is a contradiction, and its note is kept', async () => {
  const { hear, follow, keys, query } = await newWitness()
  await hear(log.checkpoint(0, 6, first))
  const fork = testLog(changedAt(6, [6, first, stolen]), first)
  assert.deepEqual(await follow(fork.rotation(6, 6, first)), { kind: 'contradiction', held_size: 6, origin })
  assert.deepEqual(await keys(), only_first)
  const rows = await query('SELECT FROM witness_logs WHERE contradiction = $1', [fork.note(6, first)])
  assert.equal(rows.length, 1)
})

test('no key comes back, and one that was replaced names no other', async () => {
  const twice = [
    [3, first, second],
    [4, second, third],
  ] as const
  const { hear, follow, keys, query } = await newWitness()
  const honest = testLog(changedAt(9, ...twice), first)
  for (const [seq, by] of twice)
    assert.equal((await follow(honest.rotation(seq === 3 ? 0 : 3, seq, by))).kind, 'cosigned')
  const trusted = await keys()
  assert.deepEqual(trusted.trusted, [third.public_key])
  for (const by of [first, second]) {
    const away = testLog(changedAt(9, ...twice, [7, by, stolen]), first)
    assert.equal((await follow(away.rotation(4, 7, by))).kind, 'not signed')
    assert.equal(await hear(away.checkpoint(4, 7, by)), 'not signed')
    const back = testLog(changedAt(9, ...twice, [7, third, by]), first)
    const why = 'the new key is one that this log had before'
    assert.deepEqual(await follow(back.rotation(4, 7, third)), { kind: 'not followed', origin, why })
  }
  assert.deepEqual(await follow(honest.rotation(0, 3, first)), { kind: 'stale', held_size: 4, origin })
  assert.deepEqual(await keys(), trusted)
  await distrustLog(query, origin, third.public_key)
  const why = 'this key was replaced before'
  assert.deepEqual(await follow(honest.rotation(4, 4, second)), { kind: 'not followed', origin, why })
  assert.deepEqual((await keys()).trusted, [])
  assert.equal(await trustLog(query, origin, first.public_key), false, 'by hand only after it is distrusted')
  await distrustLog(query, origin, first.public_key)
  assert.equal(await trustLog(query, origin, first.public_key), true)
})

test('a next key that was trusted by hand already replaces the old one from the change on', async () => {
  const { follow, keys, query, hear } = await newWitness()
  await trustLog(query, origin, second.public_key)
  assert.equal((await follow(log.rotation(0, 6, first))).kind, 'cosigned')
  assert.deepEqual((await keys()).trusted, [second.public_key])
  assert.equal(await hear(log.checkpoint(6, 7, first)), 'not signed')
})

test('of concurrent changes and checkpoints of the old key only what one history allows is accepted', async () => {
  for (let round = 0; round < 8; round++) {
    const { hear, follow, keys } = await newWitness()
    await hear(log.checkpoint(0, 6, first))
    const other = testLog(changedAt(9, [6, first, second], [7, first, stolen]), first)
    const answers = await Promise.all([
      follow(log.rotation(6, 6, first)).then(({ kind }) => kind),
      follow(other.rotation(6, 7, first)).then(({ kind }) => kind),
      hear(log.checkpoint(6, 8, first)),
    ])
    const { trusted } = await keys()
    const expected: Record<string, string[]> = {
      [second.public_key]: ['cosigned', 'not signed', 'not signed'],
      [stolen.public_key]: ['stale', 'cosigned', 'not signed'],
      [first.public_key]: ['stale', 'stale', 'cosigned'],
    }
    const was = expected[trusted![0]!]!
    // A loser finds either the size or the key changed.
    answers.forEach((kind, i) => {
      assert.equal(kind === 'cosigned', was[i] === 'cosigned', `${answers}`)
    })
  }
})

test('a change that cannot be recorded is not followed', async () => {
  const { hear, follow, keys, note } = await newWitness()
  await hear(log.checkpoint(0, 5, first))
  const before = await note()
  const failing = follow(log.rotation(5, 6, first), () => Promise.reject(new Error('full disk')))
  await assert.rejects(failing, /full disk/)
  assert.deepEqual([await keys(), await note()], [only_first, before])
})

test('a log has a limited number of keys', async () => {
  const { follow, query } = await newWitness()
  await query(
    `INSERT INTO witness_log_keys (origin, public_key, until_seq)
     SELECT $1, 'key ' || n, 1 FROM generate_series(2, 1000) n`,
    [origin],
  )
  const why = '1000 keys of this log are stored here already'
  assert.deepEqual(await follow(log.rotation(0, 6, first)), { kind: 'not followed', origin, why })
})
