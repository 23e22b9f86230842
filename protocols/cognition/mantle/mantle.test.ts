// The rules of consolidate: support, promotion and archiving.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { asOwner } from '@svc/audit/test-audit-log'
import type { Model } from '@svc/contract/needs/model'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mame } from '../mame/mame.ts'
import { mind } from '../mind/mind.ts'
import { mantle } from './mantle.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const [minute_ms, day_ms] = [60_000, 86_400_000]
const clock = manualClock('2026-11-15T10:00:00.000Z')
let stage: Rehearsal
before(async () => {
  stage = await rehearse(mantle, { others: [mind, mame], ports: { clock, identity: localAdminResolver() } })
})
after(() => stage.close())

const run = (operation: string, input: unknown): Promise<Fields> => stage.run(operation, input)
const consolidate = (namespace: string, more: Fields = {}) =>
  run('consolidate', { namespace, targets: ['episodic', 'semantic'], ...more })
const recall = (namespace: string, text: string, more: Fields = {}) =>
  run('MIND.recall_memory', { predicate: { semantic: { text } }, namespace, ...more })
const rows = (text: string, values: unknown[]) =>
  asOwner(stage.database.url, async (owner) => (await owner.query(text, values)).rows)

const late = { subject: 'Northwind', predicate: 'delivers', object: 'late' }
async function mention(namespace: string, place: number, triples: Fields[] = [late]): Promise<string> {
  const { ref } = await run('MIND.store_memory', {
    kind: 'episodic',
    namespace,
    payload: { text: `Delivery ${place} of Northwind came late again.` },
    occurred_at: new Date(clock.now_ms() - place * day_ms).toISOString(),
    triples,
  })
  return ref
}

test('support adds up over runs, and redacted memories do not count', async () => {
  const fast = { ...late, object: 'fast' }
  const [first] = [await mention('sums', 1), await mention('sums', 2), await mention('sums', 3, [fast])]
  assert.deepEqual((await consolidate('sums')).semantic_created, [])
  await run('MAME.redact', { target: first, reason: 'error' })
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

test('concurrent runs create one memory', async () => {
  for (let place = 0; place < 3; place++) await mention('race', place)
  const runs = await Promise.all([1, 2, 3].map(() => consolidate('race')))
  assert.equal(runs.flatMap(({ semantic_created }) => semantic_created).length, 1)
})

test('working memories become episodic when their session ends', async () => {
  const store = (text: string) =>
    run('MIND.store_memory', {
      kind: 'working',
      namespace: 'session',
      payload: { text },
      ttl_seconds: 600_000,
    })
  const one = await store('a pump is loud')
  // Memories of the same millisecond have no order.
  clock.advance(1)
  const two = await store('the pump was changed')
  assert.deepEqual((await consolidate('session', { scope: 'private' })).promoted, [])
  clock.advance(31 * minute_ms)
  const open = await store('something else')
  const { promoted, examined } = await consolidate('session', { scope: 'private' })
  assert.deepEqual([promoted, examined], [[one.ref, two.ref], 2])
  const cells = await rows(
    'SELECT ref, kind, expires_at FROM mind_cell WHERE ref = ANY($1) ORDER BY created_at, ref',
    [[one.ref, two.ref, open.ref]],
  )
  assert.deepEqual(
    cells.map(({ kind, expires_at }) => [kind, expires_at === null]),
    [
      ['episodic', true],
      ['episodic', true],
      ['working', false],
    ],
  )
  assert.equal((await recall('session', 'pump', { kinds: ['episodic'] })).memories.length, 2)
})

test('memories unused for long are archived, not removed; a window must not be empty', async () => {
  const old = await mention('attic', 0)
  clock.advance(60 * day_ms)
  const young = await mention('attic', 0)
  assert.deepEqual((await consolidate('attic')).archived, [old])
  assert.deepEqual(
    (await recall('attic', 'Northwind delivery late')).memories.map(
      ({ memory_id }: Fields) => `mind://cell/${memory_id}`,
    ),
    [young, old],
  )
  const window = { from: '2026-11-15T10:00:00Z', to: '2026-11-15T10:00:00Z' }
  await assertRefused(run('consolidate', { window }), 'invalid_payload', 'bad_window')
  assert.deepEqual((await consolidate(randomUUID())).watermark, null)
})

test('notes in plain words become knowledge, with the episodes as evidence', async () => {
  const namespace = 'bolt'
  const notes: string[] = []
  const note = async (text: string) => {
    clock.advance(day_ms)
    const { ref } = await run('MIND.store_memory', { kind: 'episodic', namespace, payload: { text } })
    return ref as string
  }
  for (let days = 4; days < 10; days++) notes.push(await note(`Bolt paid ${days} days late again.`))
  await note('Bolt probably paid early.')
  await note('Bolt did not pay late.')
  const { semantic_created } = await consolidate(namespace)
  assert.deepEqual(
    semantic_created.map(({ support, confidence }: Fields) => [support, confidence]),
    [[6, 7 / 8]],
  )
  const { facts } = await run('MIND.query_knowledge', { subject: 'Bolt' })
  assert.deepEqual(
    facts.map(({ predicate, object, source_ref }: Fields) => [predicate, object, source_ref]),
    [['pay', 'late', semantic_created[0].ref]],
  )
  const linked_to = semantic_created[0].ref
  const structural = { linked_to, relation: 'derived_from' }
  const { memories } = await run('MIND.recall_memory', { predicate: { structural } })
  const evidence = memories.map(({ memory_id }: Fields) => `mind://cell/${memory_id}`).sort()
  assert.deepEqual(evidence, notes.toSorted())
  assert.deepEqual((await consolidate(namespace)).semantic_created, [])
})

test('where a model is set it reads other sentences; what no plain sentence names is not believed', async () => {
  const proposals = [
    { subject: 'the big press', predicate: 'leak', object: 'oil' },
    { subject: 'the big press', predicate: 'owned_by', object: 'Rex' },
    { subject: 'the boiler', predicate: 'leak', object: 'steam' },
  ]
  const facts = [0, 1, 2].flatMap((number) => proposals.map((proposal) => ({ number, ...proposal })))
  const model: Model = {
    name: 'test',
    propose: async () => ({ value: { facts }, tokens_in: 1, tokens_out: 1 }),
  }
  const ports = { clock, identity: localAdminResolver() }
  const others = await rehearse(mantle, { others: [mind], ports, needs: { model: () => model } })
  try {
    const input = { namespace: 'press', min_support: 2 }
    for (const day of ['Monday', 'Tuesday', 'Friday']) {
      const text = `On ${day} the big press lost oil. Maybe the boiler lost steam.`
      const note = { kind: 'episodic', namespace: 'press', payload: { text } }
      await others.run('MIND.store_memory', note)
    }
    const { semantic_created } = await others.run('consolidate', { ...input, targets: ['semantic'] })
    assert.equal(semantic_created.length, 1)
    const knowledge = await others.run('MIND.query_knowledge', { subject: 'the big press' })
    assert.deepEqual(
      knowledge.facts.map(({ predicate, object }: Fields) => [predicate, object]),
      [['leak', 'oil']],
    )
  } finally {
    await others.close()
  }
})
