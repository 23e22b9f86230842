import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { asOwner } from '@svc/audit/test-audit-log'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Refusal } from '@svc/contract/refusal'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import type { Triple } from '../content/knowledge-triple.ts'
import { queryKnowledge } from '../mind/query-knowledge.ts'
import { entitiesIn, factEdges } from './edges.ts'
import { addTriples, factsOf, forgetFacts, replaceTriples } from './store.ts'

let test_store: TestStore
before(async () => {
  test_store = await openTestStore()
})
after(() => test_store.close())

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const custody = openKeystore(testRootKeys(Buffer.alloc(32, 7)))
const cell = (name: string) => `mind://cell/${name}`
const day = (month: number, of = 1) =>
  `2026-${String(month).padStart(2, '0')}-${String(of).padStart(2, '0')}T00:00:00Z`
const recorded: { type: string; meta: Fields }[] = []

/** Runs a handler of this tenant at this time. */
function at<Result>(
  now: string,
  work: (context: OperationContext<'vault'>) => Promise<Result>,
  tenant_id = 'acme',
): Promise<Result> {
  return test_store.as(tenant_id, (db) =>
    work(
      testContext<'vault'>({
        db,
        tenant_id,
        now,
        vault: custody.vault(tenant_id),
        record_id: 'record',
        caller: { did: `did:oas:${tenant_id}:agent:${'a'.repeat(64)}` },
        invoke: { correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10' },
        signal: new AbortController().signal,
        takePath() {},
        audit: (type: string, meta: Fields) => void recorded.push({ type, meta }),
      }),
    ),
  )
}

const add = (now: string, source: string, triples: Triple[], tenant_id?: string) =>
  at(now, (context) => addTriples(context, cell(source), triples), tenant_id)
const query = (input: Fields, now = day(12), tenant_id?: string) =>
  at(now, async (context) => (await queryKnowledge(input as never, context)) as Fields, tenant_id)
const objects = ({ facts }: Fields): string[] => facts.map(({ object }: Fields) => object)

test('correcting the past keeps what was believed then, and what still holds', async () => {
  await add(day(1, 10), '1', [{ subject: 'Acme', predicate: 'ceo', object: 'Ann', valid_from: day(1) }])
  const learned = await add(day(3, 10), '2', [
    { subject: 'ACME ', predicate: 'CEO', object: 'Bob', valid_from: day(2) },
  ])
  assert.deepEqual([learned.added, learned.superseded.length, learned.conflicts], [1, 1, []])
  const ceo = async (as_of: string, known_at?: string) =>
    objects(await query({ subject: 'acme', as_of, ...(known_at ? { known_at } : {}) }))
  assert.deepEqual(await ceo(day(2, 15), day(3)), ['Ann'])
  assert.deepEqual(await ceo(day(2, 15), day(4)), ['Bob'])
  assert.deepEqual(await ceo(day(2, 15)), ['Bob'])
  assert.deepEqual(await ceo(day(1, 15)), ['Ann'])
  assert.deepEqual(await ceo(day(1, 15), day(1)), [])
  const all = await query({ subject: 'Acme', as_of: day(2, 15), include_superseded: true })
  assert.deepEqual(
    all.facts.map(({ object, status, superseded_at }: Fields) => [
      object,
      status,
      superseded_at !== undefined,
    ]),
    [
      ['Ann', 'superseded', true],
      ['Bob', 'current', false],
    ],
  )
})

test('a less certain source is stored as contested and reported; a declared predicate stays declared', async () => {
  const team = (object: string, more: Partial<Triple> = {}): Triple => ({
    subject: 'Zed',
    predicate: 'team',
    object,
    ...more,
  })
  await add(day(1), '3', [team('red', { functional: true, confidence: 0.8 })])
  recorded.length = 0
  const { conflicts, superseded } = await add(day(2), '4', [team('blue', { confidence: 0.5 })])
  assert.deepEqual([conflicts.length, superseded.length], [1, 0])
  assert.deepEqual(recorded, [
    { type: 'MemoryConflict', meta: { source_ref: cell('4'), count: 1, conflicts } },
  ])
  const both = await query({ subject: 'Zed' })
  assert.deepEqual(
    both.facts.map(({ object, status }: Fields) => `${object} ${status}`),
    ['red current', 'blue contested'],
  )
  assert.deepEqual(objects(await query({ subject: 'Zed', min_confidence: 0.6 })), ['red'])
  await add(day(2), '5', [team('blue', { confidence: 0.9 })])
  assert.deepEqual(objects(await query({ subject: 'Zed' })), ['blue'])
})

test('concurrent facts about the same pair are settled one after the other', async () => {
  const values = ['1', '2', '3', '4']
  await Promise.all(
    values.map((object) => add(day(5), `6-${object}`, [{ subject: 'Race', predicate: 'capital', object }])),
  )
  assert.equal((await query({ subject: 'race' })).facts.length, 1)
  const all = await query({ subject: 'race', include_superseded: true })
  assert.deepEqual(objects(all).sort(), values)
})

test('names are found by id, label, alias and similarity; ambiguous ones list both', async () => {
  await add(day(1), '7', [
    { subject: 'International Business Machines', predicate: 'alias', object: 'IBM' },
    { subject: 'International Business Machines', predicate: 'is_a', object: 'company' },
    { subject: 'IBM', predicate: 'makes', object: 'mainframes' },
    { subject: 'Jon Smithson', predicate: 'likes', object: 'tea' },
    { subject: 'Jan Smithson', predicate: 'likes', object: 'rum' },
  ])
  const by_alias = await query({ subject: 'ibm' })
  assert.deepEqual(objects(by_alias).sort(), ['IBM', 'company', 'mainframes'])
  const { id, ...entity } = by_alias.entity
  assert.deepEqual(entity, { label: 'International Business Machines', type: 'company', aliases: ['IBM'] })
  for (const subject of [id, 'International Busines Machines'])
    assert.deepEqual(await query({ subject }), by_alias)
  const unsure = await query({ subject: 'Jxn Smithson' })
  assert.deepEqual([unsure.entity, unsure.facts], [null, []])
  assert.deepEqual(unsure.candidates.map(({ label }: Fields) => label).sort(), [
    'Jan Smithson',
    'Jon Smithson',
  ])
  const nothing = { entity: null, candidates: [], facts: [], truncated: false }
  assert.deepEqual(await query({ subject: 'Nobody at all' }), nothing)
  assert.deepEqual(await query({ subject: id }, day(12), 'rival'), nothing)
})

test('facts are followed from object to subject, page by page, whatever is learned meanwhile', async () => {
  await add(day(1), '8', [
    { subject: 'Alpha', predicate: 'part_of', object: 'Beta' },
    { subject: 'Beta', predicate: 'part_of', object: 'Gamma' },
    { subject: 'Gamma', predicate: 'part_of', object: 'Alpha' },
    { subject: 'Beta', predicate: 'colour', object: 'green' },
  ])
  assert.deepEqual(objects(await query({ subject: 'alpha' })), ['Beta'])
  assert.deepEqual(objects(await query({ subject: 'alpha', depth: 3 })), ['Beta', 'Gamma', 'green', 'Alpha'])
  assert.deepEqual(
    objects(await query({ subject: 'alpha', depth: 3, predicate: 'part of', object: 'gamma' })),
    ['Gamma'],
  )
  const first = await query({ subject: 'alpha', depth: 3, limit: 2 })
  await add(day(12, 2), '9', [{ subject: 'Alpha', predicate: 'part_of', object: 'Delta' }])
  const rest = await query({ subject: 'alpha', depth: 3, limit: 2, cursor: first.cursor }, day(12, 3))
  assert.deepEqual([...objects(first), ...objects(rest)], ['Beta', 'Gamma', 'green', 'Alpha'])
  assert.equal(rest.cursor, undefined)
  const wrong = query({ subject: 'beta', depth: 3, cursor: first.cursor })
  await assert.rejects(wrong, (refusal: Refusal) => refusal.details.reason === 'bad_cursor')
})

test('entities are found in a text, and facts lead from them to their sources', async () => {
  await add(day(1), '10', [{ subject: 'Nora Quill', predicate: 'wrote', object: 'The Long Report' }])
  const graph = await at(day(2), async (context) => {
    const entities = await entitiesIn(context, "What did Nora Quill's editor say of the long report?")
    return { entities, edges: await factEdges(context, entities) }
  })
  assert.equal(graph.entities.length, 2)
  assert.deepEqual(
    graph.edges.map(({ source_ref }) => source_ref),
    [cell('10')],
  )
})

test('deleted facts are gone from every answer and their names from the index; a lost index is rebuilt', async () => {
  await add(day(1), 'secret', [{ subject: 'Hidden Person', predicate: 'lives_in', object: 'Secret Street' }])
  await add(day(1), 'open', [{ subject: 'Hidden Person', predicate: 'likes', object: 'jazz' }])
  const namesOf = () =>
    asOwner(test_store.database.url, async (client) =>
      (
        await client.query(
          `SELECT name FROM kg_entity_index WHERE name IN ('Hidden Person', 'Secret Street')`,
        )
      ).rows
        .map(({ name }) => name)
        .sort(),
    )
  await asOwner(test_store.database.url, (client) =>
    client.query('TRUNCATE kg_entity_index, kg_entity_epoch'),
  )
  assert.deepEqual(objects(await query({ subject: 'hidden person' })).sort(), ['Secret Street', 'jazz'])
  assert.deepEqual(await namesOf(), ['Hidden Person', 'Secret Street'])
  const forget = (source: string) =>
    at(day(2), async (context) => forgetFacts(context, await factsOf(context, cell(source))))
  assert.deepEqual([await forget('secret'), await forget('secret')], [1, 0])
  assert.deepEqual(objects(await query({ subject: 'hidden person', include_superseded: true })), ['jazz'])
  assert.deepEqual(await namesOf(), ['Hidden Person'])
  assert.equal(await forget('open'), 2)
  assert.equal((await query({ subject: 'hidden person' })).entity, null)
  assert.deepEqual(await namesOf(), [])
})

test('new statements of a source replace its earlier ones', async () => {
  await add(day(1), 'edited', [{ subject: 'Doc', predicate: 'topic', object: 'old', confidence: 0.9 }])
  const changed = await at(day(2), (context) =>
    replaceTriples(context, cell('edited'), [
      { subject: 'Doc', predicate: 'topic', object: 'new', confidence: 0.2 },
    ]),
  )
  assert.deepEqual([changed.added, changed.superseded.length], [1, 1])
  assert.deepEqual(objects(await query({ subject: 'doc' })), ['new'])
  assert.deepEqual(objects(await query({ subject: 'doc', known_at: day(1, 20) })), ['old'])
})

test('when the believed source is deleted, the other statements apply again', async () => {
  const capital = (object: string, confidence: number): Triple[] => [
    { subject: 'Freedonia', predicate: 'capital', object, confidence },
  ]
  await add(day(1), 'early', capital('Elder', 0.5))
  await add(day(2), 'late', capital('Later', 0.9))
  await add(day(3), 'same', capital('later', 0.7))
  const now = async () =>
    (await query({ subject: 'freedonia' })).facts.map(({ object, confidence }: Fields) => [
      object,
      confidence,
    ])
  const forget = (source: string) =>
    at(day(4), async (context) => forgetFacts(context, await factsOf(context, cell(source))))
  assert.deepEqual(await now(), [['Later', 0.9]])
  await forget('late')
  assert.deepEqual(await now(), [['later', 0.7]])
  await forget('same')
  assert.deepEqual(await now(), [['Elder', 0.5]])
  assert.deepEqual((await query({ subject: 'freedonia', known_at: day(1, 5) })).facts.length, 1)
})

test('a fact with an empty period, or a time that does not exist, is refused with its location', async () => {
  const cases: [Partial<Triple>, string, string][] = [
    [{ valid_from: day(2), valid_to: day(1) }, 'empty_validity', '/triples/0/valid_to'],
    [{ valid_from: '2026-02-31T00:00:00Z' }, 'bad_time', '/triples/0/valid_from'],
  ]
  for (const [more, reason, path] of cases) {
    const adding = add(day(1), 'bad', [{ subject: 'a', predicate: 'b', object: 'c', ...more }])
    await assert.rejects(adding, (refusal: Refusal) => {
      assert.deepEqual(
        [refusal.code, refusal.details.reason, refusal.details.path],
        ['invalid_payload', reason, path],
      )
      return true
    })
  }
})
