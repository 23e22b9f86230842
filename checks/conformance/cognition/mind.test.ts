// MIND over HTTP: what is remembered is found again, by whom it belongs to, for as long as it lasts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeAccesses } from '@svc/protocols/cognition/cells/cell-access'
import { expireCells } from '@svc/protocols/cognition/mind/working-memory'
import { Client } from 'pg'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-15T10:00:00.000Z')
let service: InProcessService
let owner: Client

before(async () => {
  service = await startInProcess({ clock })
  owner = new Client({ connectionString: service.db_url })
  await owner.connect()
})
after(async () => {
  await owner.end()
  await service.stop()
})

const ask = (operation: string, input: unknown, who: Addresses = service) =>
  dispatch(who, { protocol: 'MIND', operation, input })
const done = async (operation: string, input: unknown, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask(operation, input, who)).output
const store = (payload: Fields, more: Fields = {}, who?: Addresses) =>
  done('store_memory', { kind: 'episodic', payload, ...more }, who)
const recall = async (predicate: Fields, more: Fields = {}, who?: Addresses): Promise<Fields[]> =>
  (await done('recall_memory', { predicate, ...more }, who)).memories
const about = (text: string, more: Fields = {}, who?: Addresses) => recall({ semantic: { text } }, more, who)
const refused = async (operation: string, input: unknown, reason: string) =>
  assertRefusal(await ask(operation, input), { code: 'invalid_payload', stage: 7, reason })
const idsOf = (memories: readonly Fields[]) => memories.map(({ memory_id }) => memory_id)

test('a question finds the memory that answers it, though no other word is the same; and says why', async () => {
  const namespace = 'paraphrase'
  const late = await store(
    { text: 'The supplier told us that the pumps arrive two days late.' },
    { namespace },
  )
  await store({ text: 'The canteen serves fish on Fridays.' }, { namespace })
  await store({ text: 'Rosa has painted the office green.' }, { namespace })
  const [best] = await about('Which delivery is delayed?', { namespace, explain: true })
  assert.equal(best!.memory_id, late.memory_id)
  assert.equal(best!.why.vector_rank, 1)
  const [misspelled] = await about('Rosaa', { namespace })
  assert.deepEqual(misspelled?.payload, { text: 'Rosa has painted the office green.' })
  const without = await about('office -green or fish', { namespace, limit: 1 })
  assert.deepEqual(without[0]?.payload, { text: 'The canteen serves fish on Fridays.' })
  const records = await service.records(service.tenant_id, { event_types: ['MemoryStored'] })
  const told = records.find(({ meta }) => meta.ref === late.ref)
  assert.equal(told?.meta.content_commitment, late.content_commitment)
  assert.ok(!JSON.stringify(records).includes('pumps'), 'no content in the book')
})

test('filters choose before anything is ranked', async () => {
  const namespace = 'filters'
  for (let day = 1; day <= 6; day++)
    await store({ text: 'We met the mayor.', day }, { namespace, occurred_at: `2026-03-0${day}T12:00:00Z` })
  const days = (memories: readonly Fields[]) => memories.map(({ payload }) => payload.day).sort()
  assert.deepEqual(days(await recall({ structural: { match: { day: 4 } } }, { namespace })), [4])
  assert.deepEqual(days(await about('whom did we meet on 5 March?', { namespace, limit: 1 })), [5])
  assert.deepEqual(days(await recall({ structural: { jsonpath: '$.day > 4' } }, { namespace })), [5, 6])
  assert.deepEqual(days(await recall({ structural: { jsonpath: '$ ? (@.day < 2)' } }, { namespace })), [1])
  const within = { from: '2026-03-02T00:00:00Z', to: '2026-03-04T12:00:00Z' }
  assert.deepEqual(
    days(await recall({ temporal: within, semantic: { text: 'mayor' } }, { namespace })),
    [2, 3],
  )
  const newest = await recall({ temporal: { order: 'newest' } }, { namespace, limit: 2 })
  assert.deepEqual(
    newest.map(({ payload }) => payload.day),
    [6, 5],
  )
  assert.deepEqual(await recall({ temporal: { known_at: '2026-11-15T09:00:00Z' } }, { namespace }), [])
  assert.equal((await recall({ temporal: { as_of: '2026-03-03T00:00:00Z' } }, { namespace })).length, 2)
  assert.deepEqual(await about('mayor', { namespace, kinds: ['semantic'] }), [])
  const path = { structural: { jsonpath: '$.day ???' } }
  await refused('recall_memory', { predicate: path }, 'bad jsonpath')
  await refused('recall_memory', { predicate: {} }, 'schema')
  await refused('recall_memory', { predicate: { structural: { hops: 2 } } }, 'missing linked_to')
})

test('the same knowledge twice is kept once, also when both come at once', async () => {
  const input = { kind: 'semantic', payload: { text: 'Water boils at 100 degrees.' }, namespace: 'twice' }
  const both = await Promise.all(Array.from({ length: 4 }, () => done('store_memory', input)))
  assert.equal(new Set(both.map(({ ref }) => ref)).size, 1)
  assert.equal(both.filter(({ duplicate_of }) => duplicate_of === undefined).length, 1)
  const { rows } = await owner.query('SELECT support FROM mind_cell WHERE ref = $1', [both[0]!.ref])
  assert.equal(rows[0].support, 4)
  const other = await done('store_memory', { ...input, dedupe: false })
  assert.notEqual(other.ref, both[0]!.ref)
  await refused('store_memory', { kind: 'procedural', payload: { text: 'stir' } }, 'missing steps')
  await refused('store_memory', { kind: 'semantic', payload: {}, ttl_seconds: 5 }, 'ttl of a lasting memory')
  const large = { kind: 'semantic', payload: { text: 'x'.repeat(256 * 1024) } }
  await refused('store_memory', large, 'too_large')
})

test('working memory holds 256 of a namespace; what counts least is evicted, and everything ends by the clock', async () => {
  const namespace = 'pressure'
  const one = (number: number) =>
    store({ text: `errand ${number}` }, { kind: 'working', namespace, importance: number < 4 ? 0.1 : 0.5 })
  for (let from = 0; from < 260; from += 20)
    await Promise.all(Array.from({ length: 20 }, (_, place) => one(from + place)))
  const temporal = { order: 'newest' }
  const counted = async (more: Fields = {}) =>
    (await done('recall_memory', { predicate: { temporal }, namespace, limit: 1, ...more })).total_candidates
  assert.deepEqual([await counted(), await counted({ include_inactive: true })], [256, 260])
  const few = await recall({ structural: { jsonpath: '$.text == "errand 2"' } }, { namespace })
  assert.deepEqual(few, [])
  clock.advance(3_600_000)
  assert.deepEqual([await counted(), await counted({ include_inactive: true })], [0, 260])
  await expireCells(service.service.store.engine, new Date(clock.now_ms()))
  const { rows } = await owner.query(
    `SELECT status, count(*)::integer FROM mind_cell WHERE kind = 'working' GROUP BY status ORDER BY status`,
  )
  assert.deepEqual(rows, [
    { status: 'evicted', count: 4 },
    { status: 'expired', count: 256 },
  ])
})

test('links grow stronger, are walked both ways, and never lead back where they must not', async () => {
  const cells = await Promise.all(
    Array.from({ length: 3 }, (_, number) => store({ text: `link ${number}` }, { namespace: 'links' })),
  )
  const [a, b, c] = cells.map(({ ref }) => ref as string) as [string, string, string]
  const link = (source: string, target: string, more: Fields = {}) =>
    ask('associate_memories', { source, target, relation: 'part_of', ...more })
  // Each closes the circle of the other two: however they meet, one of them comes too late.
  const made = await Promise.all([link(a, b), link(b, c), link(c, a)])
  assert.deepEqual(made.map(({ status }) => status).sort(), [200, 200, 422])
  const circle = made.find(({ status }) => status === 422)!.body.error
  assert.deepEqual([circle.reason, circle.details.cycle.length], ['cycle', 4])
  const first = assertSuccess(await link(a, c, { relation: 'near', weight: 0.5 })).output as Fields
  const again = assertSuccess(await link(a, c, { relation: 'near', weight: 0.5 })).output as Fields
  assert.deepEqual([first.created, again.reinforced, again.weight], [true, true, 0.55])
  const near = await recall({ structural: { linked_to: c, relation: 'near' } })
  assert.deepEqual(idsOf(near), [cells[0]!.memory_id])
  assert.equal((await recall({ structural: { linked_to: a, hops: 2 } })).length, 2)
  await refused('associate_memories', { source: a, target: a, relation: 'near' }, 'cycle')
})

test('what a memory said before it was corrected is recalled as it was known then', async () => {
  const namespace = 'corrected'
  const { ref } = await store({ text: 'The office is in Rome.' }, { namespace, kind: 'semantic' })
  const then = new Date(clock.now_ms()).toISOString()
  clock.advance(60_000)
  const input = {
    target: ref,
    expected_version: 1,
    reason: 'it moved',
    patch: { text: 'The office is in Milan.' },
  }
  assertSuccess(await dispatch(service, { protocol: 'MAME', operation: 'edit', input }))
  const said = async (predicate: Fields) =>
    (await recall(predicate, { namespace })).map(({ payload }) => payload.text)
  const semantic = { text: 'Where is the office?' }
  assert.deepEqual(await said({ semantic }), ['The office is in Milan.'])
  assert.deepEqual(await said({ semantic, temporal: { known_at: then } }), ['The office is in Rome.'])
  assert.deepEqual(await said({ semantic: { text: 'Milan' }, temporal: { order: 'newest' } }), [
    'The office is in Milan.',
  ])
})

test('whoever stored something finds it at once, however many do so', async () => {
  const namespace = 'at-once'
  const one = async (number: number) => {
    const text = `parcel number${number * 7919}`
    const { memory_id } = await store({ text }, { namespace })
    const answer = await about(text, { namespace, limit: 3 })
    assert.ok(idsOf(answer).includes(memory_id), text)
  }
  await Promise.all(Array.from({ length: 16 }, (_, number) => one(number)))
})

test('another organization finds nothing, and cannot tell what is there', async () => {
  const kept = await store({ text: 'Our secret is the mustard.' }, { namespace: 'secret' })
  const stranger = await service.newCaller({ tenant_id: 'stranger' })
  assert.deepEqual(await about('secret mustard', {}, stranger), [])
  const own = await store({ text: 'mine' }, {}, stranger)
  const asking = (target: string) =>
    ask('associate_memories', { source: own.ref, target, relation: 'near' }, stranger)
  const [theirs, nobodys] = [await asking(kept.ref), await asking(kept.ref.replace(/.$/, 'x'))]
  const expected = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  for (const answer of [theirs, nobodys]) assertRefusal(answer, expected)
})

test('what is recalled is counted later; recalling itself writes nothing', async () => {
  const answer = await store({ text: 'The lighthouse has 199 steps.' }, { namespace: 'counted' })
  await about('lighthouse', { namespace: 'counted' })
  const counts = async () =>
    (await owner.query('SELECT access_count::integer AS n FROM mind_cell WHERE ref = $1', [answer.ref]))
      .rows[0].n
  assert.equal(await counts(), 0)
  await writeAccesses(service.service.store.engine, service.operator.did)
  assert.equal(await counts(), 1)
})

test('an index that was lost is made again from what is sealed', async () => {
  const namespace = 'lost'
  const kept = await store({ text: 'The archive key hangs behind the clock.' }, { namespace })
  assert.equal((await about('archive key', { namespace })).length, 1)
  // As PostgreSQL leaves UNLOGGED tables after a crash.
  await owner.query('TRUNCATE content_index, content_index_epoch')
  let found: Fields[] = []
  for (let attempt = 0; attempt < 50 && found.length === 0; attempt++) {
    const answer = await ask('recall_memory', { predicate: { semantic: { text: 'archive key' } }, namespace })
    if (answer.status === 200) found = answer.body.output.memories
    else assertRefusal(answer, { code: 'no_endpoint_available', stage: 7, reason: 'index is being rebuilt' })
  }
  assert.deepEqual(idsOf(found), [kept.memory_id])
  assert.equal((await recall({ temporal: { order: 'newest' } }, { namespace: 'pressure' })).length, 0)
})
