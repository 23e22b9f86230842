// The rules of store_memory, recall_memory and associate_memories.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { asOwner } from '@svc/audit/test-audit-log'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { writeAccesses } from '../cells/cell-access.ts'
import { mame } from '../mame/mame.ts'
import { mind } from './mind.ts'
import { expireCells } from './working-memory.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-15T10:00:00.000Z')
let stage: Rehearsal
before(async () => {
  stage = await rehearse(mind, { others: [mame], ports: { clock, identity: localAdminResolver() } })
})
after(() => stage.close())
// Refills the rate limit.
beforeEach(() => clock.advance(60_000))

const run = (operation: string, input: unknown): Promise<Fields> => stage.run(operation, input)
const store = (payload: Fields, more: Fields = {}) =>
  run('store_memory', { kind: 'episodic', payload, ...more })
const recall = async (predicate: Fields, more: Fields = {}): Promise<Fields[]> =>
  (await run('recall_memory', { predicate, ...more })).memories
const about = (text: string, more: Fields = {}) => recall({ semantic: { text } }, more)
const refused = (operation: string, input: unknown, reason: string) =>
  assertRefused(run(operation, input), 'invalid_payload', reason)
const idsOf = (memories: readonly Fields[]) => memories.map(({ memory_id }) => memory_id)
const owner = (text: string, values: unknown[] = []) =>
  asOwner(stage.database.url, async (client) => (await client.query(text, values)).rows)

test('filters apply before ranking', async () => {
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

test('the same knowledge is stored once, also under concurrency', async () => {
  const input = { kind: 'semantic', payload: { text: 'Water boils at 100 degrees.' }, namespace: 'twice' }
  const stored = await Promise.all(Array.from({ length: 4 }, () => run('store_memory', input)))
  assert.equal(new Set(stored.map(({ ref }) => ref)).size, 1)
  assert.equal(stored.filter(({ duplicate_of }) => duplicate_of === undefined).length, 1)
  const [cell] = await owner('SELECT support FROM mind_cell WHERE ref = $1', [stored[0]!.ref])
  assert.equal(cell.support, 4)
  const other = await run('store_memory', { ...input, dedupe: false })
  assert.notEqual(other.ref, stored[0]!.ref)
  await refused('store_memory', { kind: 'procedural', payload: { text: 'stir' } }, 'missing steps')
  await refused('store_memory', { kind: 'semantic', payload: {}, ttl_seconds: 5 }, 'ttl of a lasting memory')
  const large = { kind: 'semantic', payload: { text: 'x'.repeat(256 * 1024) } }
  await refused('store_memory', large, 'too_large')
})

test('a namespace holds 256 working memories; the least important are evicted, and all expire', async () => {
  const namespace = 'pressure'
  const one = (number: number) =>
    store({ text: `errand ${number}` }, { kind: 'working', namespace, importance: number < 4 ? 0.1 : 0.5 })
  for (let from = 0; from < 260; from += 20)
    await Promise.all(Array.from({ length: 20 }, (_, place) => one(from + place)))
  const temporal = { order: 'newest' }
  const count = async (more: Fields = {}) =>
    (await run('recall_memory', { predicate: { temporal }, namespace, limit: 1, ...more })).total_candidates
  assert.deepEqual([await count(), await count({ include_inactive: true })], [256, 260])
  const evicted = await recall({ structural: { jsonpath: '$.text == "errand 2"' } }, { namespace })
  assert.deepEqual(evicted, [])
  clock.advance(3_600_000)
  assert.deepEqual([await count(), await count({ include_inactive: true })], [0, 260])
  await expireCells(stage.store.engine, new Date(clock.now_ms()))
  const statuses = await owner(
    `SELECT status, count(*)::integer FROM mind_cell WHERE kind = 'working' GROUP BY status ORDER BY status`,
  )
  assert.deepEqual(statuses, [
    { status: 'evicted', count: 4 },
    { status: 'expired', count: 256 },
  ])
})

test('links grow stronger, are followed in both directions, and part_of has no cycles', async () => {
  const cells = await Promise.all(
    Array.from({ length: 3 }, (_, number) => store({ text: `link ${number}` }, { namespace: 'links' })),
  )
  const [a, b, c] = cells.map(({ ref }) => ref as string) as [string, string, string]
  const link = (source: string, target: string, more: Fields = {}) =>
    run('associate_memories', { source, target, relation: 'part_of', ...more })
  // Each would close a cycle with the other two, so the last one is refused in any order.
  const attempts = await Promise.allSettled([link(a, b), link(b, c), link(c, a)])
  const [cycle, ...more] = attempts.filter((attempt) => attempt.status === 'rejected')
  assert.deepEqual(more, [])
  const { code, details } = cycle!.reason
  assert.deepEqual([code, details.reason, details.cycle.length], ['invalid_payload', 'cycle', 4])
  const first = await link(a, c, { relation: 'near', weight: 0.5 })
  const again = await link(a, c, { relation: 'near', weight: 0.5 })
  assert.deepEqual([first.created, again.reinforced, again.weight], [true, true, 0.55])
  const near = await recall({ structural: { linked_to: c, relation: 'near' } })
  assert.deepEqual(idsOf(near), [cells[0]!.memory_id])
  assert.equal((await recall({ structural: { linked_to: a, hops: 2 } })).length, 2)
  await refused('associate_memories', { source: a, target: a, relation: 'near' }, 'cycle')
})

test('an edited memory is recalled as it was known at the requested time', async () => {
  const namespace = 'corrected'
  const { ref } = await store({ text: 'The office is in Rome.' }, { namespace, kind: 'semantic' })
  const then = new Date(clock.now_ms()).toISOString()
  clock.advance(60_000)
  const patch = { text: 'The office is in Milan.' }
  await run('MAME.edit', { target: ref, expected_version: 1, reason: 'it moved', patch })
  const texts = async (predicate: Fields) =>
    (await recall(predicate, { namespace })).map(({ payload }) => payload.text)
  const semantic = { text: 'Where is the office?' }
  assert.deepEqual(await texts({ semantic }), ['The office is in Milan.'])
  assert.deepEqual(await texts({ semantic, temporal: { known_at: then } }), ['The office is in Rome.'])
  assert.deepEqual(await texts({ semantic: { text: 'Milan' }, temporal: { order: 'newest' } }), [
    'The office is in Milan.',
  ])
})

test('a stored memory is found at once, also by concurrent callers', async () => {
  const namespace = 'at-once'
  const one = async (number: number) => {
    const text = `parcel number${number * 7919}`
    const { memory_id } = await store({ text }, { namespace })
    assert.ok(idsOf(await about(text, { namespace, limit: 3 })).includes(memory_id), text)
  }
  await Promise.all(Array.from({ length: 16 }, (_, number) => one(number)))
})

test('recalls are counted later; recalling itself writes nothing', async () => {
  const { ref } = await store({ text: 'The lighthouse has 199 steps.' }, { namespace: 'counted' })
  await about('lighthouse', { namespace: 'counted' })
  const count = async () =>
    (await owner('SELECT access_count::integer AS n FROM mind_cell WHERE ref = $1', [ref]))[0].n
  assert.equal(await count(), 0)
  await writeAccesses(stage.store.engine, stage.ports.settings.engine_did)
  assert.equal(await count(), 1)
})

test('a lost index is rebuilt from sealed content', async () => {
  const namespace = 'lost'
  const { memory_id } = await store({ text: 'The archive key hangs behind the clock.' }, { namespace })
  assert.equal((await about('archive key', { namespace })).length, 1)
  // The state of UNLOGGED tables after a PostgreSQL crash.
  await owner('TRUNCATE content_index, content_index_epoch')
  await eventually(async () => {
    const memories = await about('archive key', { namespace }).catch(async (error) => {
      await assertRefused(Promise.reject(error), 'no_endpoint_available', 'index is being rebuilt')
      return []
    })
    assert.deepEqual(idsOf(memories), [memory_id])
  })
  assert.equal((await recall({ temporal: { order: 'newest' } }, { namespace: 'pressure' })).length, 0)
})
