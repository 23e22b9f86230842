// Scenario 10, nightly consolidation, over HTTP: what many episodes state becomes one lasting memory, once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { Recipe } from '@svc/contract/recipe'
import { Compile } from 'typebox/compile'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const [minute_ms, day_ms] = [60_000, 86_400_000]
const episodes = 40
let clock: ManualClock
let service: InProcessService

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  service = await startInProcess({ clock })
})
after(() => service.stop())

const ask = (
  operation: string,
  input: unknown,
  protocol = 'MIND',
  who: Addresses = service,
): Promise<Answer> => dispatch(who, { protocol, operation, input })
const done = async (operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(operation, input, protocol)).output
const consolidate = (namespace: string, more: Fields = {}) =>
  done('consolidate', { namespace, targets: ['episodic', 'semantic'], ...more }, 'MANTLE')
const rows = (text: string, values: unknown[]) =>
  asOwner(service.db_url, async (owner) => (await owner.query(text, values)).rows)

const late = { subject: 'Northwind', predicate: 'delivers', object: 'late' }
async function mention(namespace: string, place: number, triples: Fields[] = [late]): Promise<string> {
  const { ref } = await done('store_memory', {
    kind: 'episodic',
    namespace,
    payload: { text: `Delivery ${place} of Northwind came late again.` },
    occurred_at: new Date(clock.now_ms() - place * day_ms).toISOString(),
    triples,
  })
  return ref
}

test('40 episodes that state the same make one semantic memory derived from all of them; a second run makes none', async () => {
  const places = Array.from({ length: episodes }, (_, place) => place)
  const refs = await Promise.all(places.map((place) => mention('supply', place)))
  const planned = await consolidate('supply', { dry_run: true })
  assert.deepEqual(
    [planned.examined, planned.semantic_created.length, planned.consolidation_ref],
    [40, 1, undefined],
  )
  const first = await consolidate('supply')
  assert.deepEqual([first.examined, first.semantic_created.length, first.truncated], [episodes, 1, false])
  const [{ ref, support, confidence }] = first.semantic_created
  assert.deepEqual([support, confidence], [episodes, 41 / 42])
  const edges = await rows(`SELECT target FROM mind_edge WHERE source = $1 AND relation = 'derived_from'`, [
    ref,
  ])
  assert.deepEqual(edges.map(({ target }) => target).sort(), refs.sort())
  assert.equal(first.episodes.flatMap(({ cells }: Fields) => cells).length, episodes)

  for (const again of [await consolidate('supply'), await consolidate('supply', whole_window())]) {
    assert.deepEqual([again.semantic_created, again.procedural_created, again.episodes], [[], [], []])
    assert.equal(again.watermark, first.watermark)
  }
  const answer = await done('recall_memory', {
    predicate: { semantic: { text: 'Northwind delivers late' } },
    kinds: ['semantic'],
    namespace: 'supply',
  })
  assert.deepEqual(answer.memories[0].payload, late)
})

const whole_window = () => ({
  window: { from: '2026-01-01T00:00:00Z', to: new Date(clock.now_ms() + minute_ms).toISOString() },
})

test('support adds up over runs, and what was redacted does not count', async () => {
  const fast = { ...late, object: 'fast' }
  const [first] = [await mention('sums', 1), await mention('sums', 2), await mention('sums', 3, [fast])]
  assert.deepEqual((await consolidate('sums')).semantic_created, [])
  await done('redact', { target: first, reason: 'error' }, 'MAME')
  await mention('sums', 4)
  assert.deepEqual((await consolidate('sums')).semantic_created, [])
  await mention('sums', 5)
  const { semantic_created } = await consolidate('sums')
  assert.deepEqual(
    semantic_created.map(({ support, confidence }: Fields) => [support, confidence]),
    [[3, 4 / 6]],
    'three of the four that say how it delivers',
  )
  const { ref } = semantic_created[0]
  await mention('sums', 6)
  assert.deepEqual((await consolidate('sums')).semantic_created, [])
  const [cell] = await rows('SELECT support, confidence FROM mind_cell WHERE ref = $1', [ref])
  assert.deepEqual([cell.support, cell.confidence], [4, 5 / 7])
})

test('runs at once make one memory of it', async () => {
  for (let place = 0; place < 3; place++) await mention('race', place)
  const runs = await Promise.all([1, 2, 3].map(() => consolidate('race')))
  assert.equal(runs.flatMap(({ semantic_created }) => semantic_created).length, 1)
})

test('what was in mind becomes something that happened when its session is over', async () => {
  const store = (text: string) =>
    done('store_memory', { kind: 'working', namespace: 'session', payload: { text }, ttl_seconds: 600_000 })
  const one = await store('a pump is loud')
  // Of one millisecond neither is the first.
  clock.advance(1)
  const two = await store('the pump was changed')
  assert.deepEqual((await consolidate('session')).promoted, [])
  clock.advance(31 * minute_ms)
  const open = await store('something else')
  const { promoted, examined } = await consolidate('session')
  assert.deepEqual([promoted, examined], [[one.ref, two.ref], 2])
  const kinds = await rows(
    'SELECT ref, kind, expires_at FROM mind_cell WHERE ref = ANY($1) ORDER BY created_at, ref',
    [[one.ref, two.ref, open.ref]],
  )
  assert.deepEqual(
    kinds.map(({ kind, expires_at }) => [kind, expires_at === null]),
    [
      ['episodic', true],
      ['episodic', true],
      ['working', false],
    ],
  )
  const answer = await done('recall_memory', {
    predicate: { semantic: { text: 'pump' } },
    kinds: ['episodic'],
    namespace: 'session',
  })
  assert.equal(answer.memories.length, 2)
})

test('what is done again and again becomes a procedure with a draft of its recipe, once', async () => {
  const agent = await service.newCaller({ tenant_id: 'makers' })
  const as = (operation: string, input: unknown, protocol?: string) => ask(operation, input, protocol, agent)
  for (let round = 0; round < 3; round++) {
    const stored = assertSuccess(
      await as('store_memory', { kind: 'semantic', payload: { round }, dedupe: false }),
    ).output
    assertSuccess(await as('recall_memory', { predicate: { structural: { match: { round } } } }))
    const edit = { target: stored.ref, expected_version: 1, patch: { round: -round }, reason: 'turned' }
    assertSuccess(await as('edit', edit, 'MAME'))
  }
  const run = async () =>
    assertSuccess(await as('consolidate', { targets: ['procedural'] }, 'MANTLE')).output as Fields
  const [procedure, ...more] = (await run()).procedural_created
  assert.deepEqual(
    [procedure.steps, procedure.support, more],
    [['MIND.store_memory', 'MIND.recall_memory', 'MAME.edit'], 3, []],
  )
  const recall = { predicate: { semantic: { text: procedure.steps.join(' ') } }, kinds: ['procedural'] }
  const { memories } = assertSuccess(await as('recall_memory', recall)).output as Fields
  assert.deepEqual([...Compile(Recipe).Errors(memories[0].payload.recipe)], [])
  assert.equal(memories[0].payload.recipe.id, procedure.recipe_id)
  assert.deepEqual((await run()).procedural_created, [])
})

test('what nobody used for long is archived, never removed; a window must have a length', async () => {
  const old = await mention('attic', 0)
  clock.advance(60 * day_ms)
  const young = await mention('attic', 0)
  assert.deepEqual((await consolidate('attic')).archived, [old])
  const answer = await done('recall_memory', {
    predicate: { semantic: { text: 'Northwind delivery late' } },
    namespace: 'attic',
  })
  assert.deepEqual(
    answer.memories.map(({ memory_id }: Fields) => `mind://cell/${memory_id}`),
    [young, old],
  )
  const window = { from: '2026-11-15T10:00:00Z', to: '2026-11-15T10:00:00Z' }
  assertRefusal(await ask('consolidate', { window }, 'MANTLE'), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'bad_window',
  })
  assert.deepEqual((await consolidate(randomUUID())).watermark, null)
})
