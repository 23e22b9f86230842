// Who reads, changes and links a memory: attacks of another agent of the same tenant.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { localAdmin } from '@svc/contract/identity/identity'
import type { RefusalCode } from '@svc/contract/refusal'
import type { IdentityResolver } from '@svc/engine/ports'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Caller, type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { mame } from '../mame/mame.ts'
import { mantle } from '../mantle/mantle.ts'
import { marc } from '../marc/marc.ts'
import { mind } from './mind.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const didOf = (digit: string) => `did:oas:acme:agent:${digit.repeat(64)}`
const root = didOf('f')
const ann = { did: didOf('a') }
const bob = { did: didOf('b') }
const eve = { did: didOf('e') }
/** The children of the root have a verified lineage; Eve only says so. */
const identity: IdentityResolver = {
  resolve: (did) => ({
    outcome: 'Resolved',
    identity: { ...localAdmin(did), human_root_did: root, lineage_verified: did !== eve.did },
  }),
}

const clock = manualClock('2026-11-15T10:00:00.000Z')
let stage: Rehearsal
before(async () => {
  stage = await rehearse(mind, { others: [mame, mantle, marc], ports: { clock, identity } })
})
after(() => stage.close())
// Refills the rate limit.
beforeEach(() => clock.advance(60_000))

const store = async (as: Caller, text: string, more: Fields = {}): Promise<Fields> =>
  stage.run('store_memory', { kind: 'episodic', payload: { text }, ...more }, as)
const recall = async (as: Caller, predicate: Fields, more: Fields = {}): Promise<Fields> =>
  stage.run('recall_memory', { predicate, ...more }, as)
const about = async (as: Caller, text: string, more: Fields = {}) =>
  (await recall(as, { semantic: { text } }, more)).memories.map(({ payload }: Fields) => payload.text)
const refusedTo = (as: Caller, operation: string, input: Fields, code: RefusalCode, reason: string) =>
  assertRefused(stage.run(operation, input, as), code, reason)

test('private and working memories are recalled and listed by their author only', async () => {
  const namespace = 'diary'
  await store(ann, 'The merger closes on Friday.', { namespace, scope: 'private' })
  await store(ann, 'Call the merger lawyer.', { namespace, kind: 'working' })
  await store(ann, 'The merger is public.', { namespace })
  assert.equal((await about(ann, 'merger', { namespace })).length, 3)
  assert.deepEqual(await about(bob, 'merger', { namespace }), ['The merger is public.'])
  const everything: Fields[] = [
    { temporal: { order: 'newest' } },
    { structural: { match: { text: 'Call the merger lawyer.' } } },
    { structural: { jsonpath: '$.text' } },
    { temporal: { known_at: new Date(clock.now_ms()).toISOString() } },
  ]
  for (const predicate of everything) {
    const { memories, total_candidates } = await recall(bob, predicate, { namespace, include_inactive: true })
    const texts = memories.map(({ payload }: Fields) => payload.text)
    const open_texts = predicate.structural?.match ? [] : ['The merger is public.']
    assert.deepEqual([texts, total_candidates], [open_texts, open_texts.length], JSON.stringify(predicate))
  }
})

test('a shared memory is read by the agents and groups it names, and by nobody else', async () => {
  const namespace = 'shared'
  await store(ann, 'The safe opens at nine.', { namespace, scope: 'shared', shared_with: [bob.did] })
  await store(ann, 'The vault opens at ten.', { namespace, scope: 'shared', shared_with_groups: [root] })
  const seenBy = async (as: Caller) => (await about(as, 'opens', { namespace })).sort()
  assert.deepEqual(await seenBy(bob), ['The safe opens at nine.', 'The vault opens at ten.'])
  // Without a verified lineage nobody belongs to a group.
  assert.deepEqual(await seenBy(eve), [])
  const of_group = await store(ann, 'x', { namespace, scope: 'shared', shared_with_groups: [root] })
  const edit = { target: of_group.ref, expected_version: 1, patch: { text: 'y' }, reason: 'r' }
  await refusedTo(bob, 'MAME.edit', edit, 'policy_denied', 'memory of another agent')
  const misfits: Fields[] = [
    { scope: 'shared' },
    { scope: 'private', shared_with: [bob.did] },
    { shared_with: [bob.did] },
  ]
  for (const more of misfits)
    await refusedTo(
      ann,
      'store_memory',
      { kind: 'semantic', payload: { a: 1 }, ...more },
      'invalid_payload',
      'scope',
    )
})

test("another agent's memory cannot be edited, linked, redacted, fused or followed", async () => {
  const namespace = 'attacks'
  const secret = await store(ann, 'The password hint is tulip.', { namespace, kind: 'working' })
  const open = await store(ann, 'The garden has tulips.', { namespace })
  const own = await store(bob, 'I like roses.', { namespace, scope: 'private' })
  const edit = { target: secret.ref, expected_version: 1, patch: { text: 'mine' }, reason: 'r' }
  await refusedTo(bob, 'MAME.edit', edit, 'invalid_payload', 'not_found')
  const redact = { target: secret.ref, reason: 'other' }
  await refusedTo(bob, 'MAME.redact', redact, 'invalid_payload', 'not_found')
  const link = { source: own.ref, target: secret.ref, relation: 'near' }
  await refusedTo(bob, 'associate_memories', link, 'invalid_payload', 'not_found')
  const fusion = { sources: [secret.ref, own.ref] }
  await refusedTo(bob, 'fusion_request', fusion, 'invalid_payload', 'not_found')
  await stage.run('associate_memories', { source: open.ref, target: secret.ref, relation: 'near' }, ann)
  const beyond = await store(ann, 'The shed is locked.', { namespace })
  await stage.run('associate_memories', { source: secret.ref, target: beyond.ref, relation: 'near' }, ann)
  const linked = { structural: { linked_to: open.ref, hops: 2 } }
  assert.equal((await recall(ann, linked)).memories.length, 2)
  // A link through what it may not read leads nowhere.
  assert.equal((await recall(bob, linked)).total_candidates, 0)
  // What only its author says of working memory shared with all is not changed by others either.
  const board = await store(ann, 'Standup at nine.', { namespace, kind: 'working', scope: 'tenant' })
  const change = { ...edit, target: board.ref }
  await refusedTo(bob, 'MAME.edit', change, 'policy_denied', 'memory of another agent')
  await stage.run('MAME.edit', { ...edit, target: secret.ref }, ann)
  assert.deepEqual(await about(bob, 'mine', { namespace }), [])
  assert.deepEqual(await about(ann, 'mine', { namespace, kinds: ['working'] }), ['mine'])
})

test('whoever a memory is shared with can fuse it only for those who may read it', async () => {
  const namespace = 'fused'
  const stating = (object: string, more: Fields = {}): Fields => ({
    namespace,
    payload: { subject: 'Merger', predicate: 'closes_on', object },
    ...more,
  })
  const secret = await store(ann, '', stating('Friday', { scope: 'shared', shared_with: [bob.did] }))
  const own = await store(bob, '', stating('Monday', { scope: 'private' }))
  const open = await store(ann, '', {
    namespace,
    payload: { subject: 'Office', predicate: 'located_in', object: 'Rome' },
  })
  const fuse = (as: Caller, ...sources: unknown[]): Promise<Fields> =>
    stage.run('fusion_request', { sources: [open.ref, ...sources] }, as)
  const notReadable = (as: Caller, ref: string) =>
    refusedTo(as, 'fusion_request', { sources: [open.ref, ref] }, 'invalid_payload', 'not_found')
  const publishing = (...sources: string[]) => ({ sources: [open.ref, ...sources], write_back: true })
  const denied = (as: Caller, ...sources: string[]) =>
    refusedTo(as, 'fusion_request', publishing(...sources), 'policy_denied', 'source is not of the tenant')
  const mergerIn = ({ facts }: Fields) => facts.find(({ subject }: Fields) => /merger/i.test(subject))

  await denied(bob, secret.ref)
  const both = await fuse(bob, secret.ref)
  assert.equal(mergerIn(both).object, 'Friday')
  await notReadable(eve, both.snapshot_ref)
  assert.equal(mergerIn(await fuse(ann, both.snapshot_ref)).object, 'Friday')
  // A snapshot is no way round: bob made it, and still may not publish what is in it.
  await denied(bob, both.snapshot_ref)
  // Of two circles only who is in both may read the result.
  await notReadable(ann, (await fuse(bob, secret.ref, own.ref)).snapshot_ref)
  // Nor is a conclusion from it for everybody.
  const question = {
    intent: 'When does the merger close?',
    world_model_snapshot: both.snapshot_ref,
    budget: { tokens: 10_000, deadline_ms: 10_000 },
  }
  const { task_ref } = (await stage.run('MARC.reasoning_task', question, bob)) as Fields
  const { rows } = await asOwner(stage.database.url, (client) =>
    client.query('SELECT readers FROM content WHERE ref = $1', [task_ref]),
  )
  assert.deepEqual(rows, [{ readers: [ann.did, bob.did] }])
  // The author publishes its own.
  const published: Fields = await stage.run('fusion_request', publishing(secret.ref), ann)
  assert.equal(mergerIn(await fuse(eve, published.snapshot_ref)).object, 'Friday')
})

test('equal private memories stay apart, evict no others, and change no fact of the tenant', async () => {
  const namespace = 'apart'
  const same = { kind: 'semantic', namespace, scope: 'private' }
  const first = await store(ann, 'The vault code is 4711.', same)
  const second = await store(bob, 'The vault code is 4711.', same)
  assert.equal(second.duplicate_of, undefined)
  assert.equal((await store(ann, 'The vault code is 4711.', same)).duplicate_of, first.ref)
  const ceo = (object: string) => ({ namespace, triples: [{ subject: 'Zorg', predicate: 'ceo', object }] })
  await store(ann, 'Zorg is led by Ada.', ceo('Ada'))
  const lie = await store(bob, 'Zorg is led by Eve.', { ...ceo('Eve'), scope: 'private' })
  assert.deepEqual([lie.triples_added, lie.superseded, lie.indexed.graph], [0, [], false])
  const { facts } = (await stage.run('query_knowledge', { subject: 'Zorg' }, bob)) as Fields
  assert.deepEqual(
    facts.map(({ object }: Fields) => object),
    ['Ada'],
  )
  const note = (number: number) => store(bob, `note ${number}`, { namespace, kind: 'working', importance: 1 })
  for (let from = 0; from < 260; from += 20)
    await Promise.all(Array.from({ length: 20 }, (_, place) => note(from + place)))
  await store(ann, 'my only note', { namespace, kind: 'working', importance: 0 })
  assert.deepEqual(await about(ann, '"only note"', { namespace, kinds: ['working'] }), ['my only note'])
})

test('consolidating for the tenant reads no private memory; for oneself it stays private', async () => {
  const namespace = 'learning'
  const triples = [{ subject: 'Bolt', predicate: 'pays', object: 'late' }]
  for (let week = 1; week <= 3; week++)
    await store(ann, `Week ${week}: Bolt paid late.`, { namespace, triples, scope: 'private' })
  const consolidate = async (as: Caller, more: Fields = {}): Promise<Fields> =>
    stage.run('MANTLE.consolidate', { namespace, ...more }, as)
  for (const as of [bob, ann]) {
    assert.equal((await consolidate(as)).examined, 0)
    assert.equal((await consolidate(as, { scope: 'private' })).examined, as === ann ? 3 : 0)
  }
  const learned = { namespace, kinds: ['semantic'] }
  assert.equal((await recall(ann, { temporal: { order: 'newest' } }, learned)).total_candidates, 1)
  assert.equal((await recall(bob, { temporal: { order: 'newest' } }, learned)).total_candidates, 0)
  assert.deepEqual(((await stage.run('query_knowledge', { subject: 'Bolt' }, ann)) as Fields).facts, [])
})

test('an index that another agent rebuilds still shows each agent its own', async () => {
  const namespace = 'rebuilt'
  await store(ann, 'The spare key is under the mat.', { namespace, scope: 'private' })
  await asOwner(stage.database.url, (owner) => owner.query('TRUNCATE content_index, content_index_epoch'))
  const seenBy = (as: Caller) => about(as, 'spare key', { namespace }).catch(() => ['not yet'])
  await eventually(async () => assert.deepEqual(await seenBy(bob), []))
  assert.deepEqual(await about(ann, 'spare key', { namespace }), ['The spare key is under the mat.'])
})

test('erasing a person reaches private memories, with an authority only', async () => {
  const subject_did = didOf('9')
  await store(ann, 'Pat prefers tea.', { namespace: 'people', scope: 'private', subject_did })
  const erase = { scope: 'subject', subject_did, reason: 'erasure_request' }
  await assertRefused(stage.run('MAME.redact', erase, bob), 'policy_denied')
  const { records_affected } = (await stage.run('MAME.redact', erase, ann)) as Fields
  assert.equal(records_affected, 1)
})

test('no guess at a word shows whether it is in a memory of another agent', async () => {
  const namespace = 'guesses'
  await store(ann, 'Project zanzibarito starts.', { namespace, scope: 'private' })
  await store(bob, 'zanzibaritu', { namespace })
  await store(bob, 'zanzibarxxxxx', { namespace })
  const guess = (text: string) => recall(bob, { semantic: { text } }, { namespace, explain: true })
  // Of a word that is nowhere, and of one that is in a private memory: similar spellings count the same.
  const nowhere = (await guess('zanzibarita')).memories
  const private_word = (await guess('zanzibarito')).memories
  const coverages = [nowhere, private_word].map((memories) => memories[0]?.why.coverage)
  assert.deepEqual(coverages, [0.5, 0.5])
})

test('no path is evaluated on what another agent keeps for itself', async () => {
  const namespace = 'paths'
  await store(ann, 'Project zanzibar starts.', { namespace, scope: 'private' })
  // It fails, as another would be slow, only where the guess is right.
  const jsonpath = '$ ? (@.text starts with "Project zanz" && @.text == $nothing)'
  assert.equal((await recall(bob, { structural: { jsonpath } }, { namespace })).total_candidates, 0)
  const own = { predicate: { structural: { jsonpath } }, namespace }
  await refusedTo(ann, 'recall_memory', own, 'invalid_payload', 'bad jsonpath')
})

test("a namespace cannot spell out another agent's circle", async () => {
  const code = { kind: 'semantic', namespace: 'n' }
  await store(ann, 'The code is 4711.', { ...code, scope: 'private' })
  const spelt = `n of ${JSON.stringify([ann.did])}`
  const guess = await store(bob, 'The code is 4711.', { ...code, namespace: spelt })
  assert.equal(guess.duplicate_of, undefined)
})
