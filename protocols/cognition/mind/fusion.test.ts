import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FusionInput, fuse } from './fusion.ts'
import type { SaidFact } from './fusion-claims.ts'

const runs = 60
const always = { from: -Infinity, until: Infinity }

function said(source: string, object: SaidFact['object'], more: Partial<SaidFact> = {}): SaidFact {
  const fact = { subject: 'Plant', predicate: 'output', object, valid: always, confidence: 1 }
  return { ...fact, functional: false, source, origin: source, at: -Infinity, ...more }
}

function ask(facts: readonly SaidFact[], more: Partial<FusionInput> = {}): FusionInput {
  const sources = facts.map(({ source }) => [source, 0.8])
  const options = {
    strategy: 'reliability',
    min_confidence: 0.5,
    vectors: [],
    functional_predicates: [],
  } as const
  return { facts, reliability: Object.fromEntries(sources), ...options, ...more }
}

test('three reliable sources outweigh five copies of a bad one, which is kept as dissent', () => {
  const good = ['a', 'b', 'c'].map((source) => said(source, 42))
  const bad = ['p', 'q', 'r', 's', 't'].map((source) => said(source, 17))
  const weights = { a: 0.8, b: 0.8, c: 0.8, p: 0.1, q: 0.1, r: 0.1, s: 0.1, t: 0.1 }
  const { facts, conflicts, dissent, source_reliability } = fuse(
    ask([...bad, ...good], { reliability: weights }),
  )
  assert.deepEqual(
    facts.map(({ object, support, against }) => [object, support.length, against.length]),
    [[42, 3, 5]],
  )
  assert.deepEqual([conflicts.length, conflicts[0]!.values.length, conflicts[0]!.chosen], [1, 2, 42])
  assert.deepEqual([dissent.length, dissent[0]!.object, dissent[0]!.reason], [1, 17, 'outlier'])
  assert.ok(source_reliability.a! > 0.8 && source_reliability.p! < 0.1)
  const words = (facts: SaidFact[]) =>
    facts.map((fact) => ({ ...fact, object: `n${fact.object}`, functional: true }))
  const voted = fuse(ask([...words(bad), ...words(good)], { reliability: weights }))
  assert.deepEqual([voted.facts[0]!.object, voted.conflicts[0]!.rule], ['n42', 'reliability'])
})

test('a repeated statement of one source counts once', () => {
  const copies = Array.from({ length: 5 }, (_, n) =>
    said('copy', 'left', { functional: true, origin: `ref ${n}` }),
  )
  const { facts } = fuse(ask([...copies, said('a', 'right'), said('b', 'right')]))
  assert.deepEqual([facts[0]!.object, facts[0]!.against.length], ['right', 5])
})

test('a single source is believed as far as it is reliable', () => {
  const { facts } = fuse(ask([said('a', 'left', { functional: true })], { strategy: 'latest' }))
  assert.equal(facts[0]!.confidence, 0.8)
  const doubted = fuse(ask([said('a', 'left', { functional: true })], { reliability: { a: 0.1 } }))
  assert.deepEqual([doubted.facts, doubted.dissent[0]!.reason], [[], 'min_confidence'])
})

test('facts at different times do not contradict; if they overlap, only that period is decided', () => {
  const early = said('a', 'Ann', { functional: true, valid: { from: 0, until: 20 } })
  const late = ['b', 'c'].map((source) => said(source, 'Bob', { valid: { from: 10, until: Infinity } }))
  const { facts, conflicts } = fuse(ask([early, ...late]))
  assert.deepEqual(
    facts.map(({ object, valid, against }) => [object, valid.from, valid.until, against.length]),
    [
      ['Ann', 0, 10, 0],
      ['Bob', 10, 20, 1],
      ['Bob', 20, Infinity, 0],
    ],
  )
  assert.deepEqual(
    conflicts.map(({ valid }) => valid),
    [{ from: 10, until: 20 }],
  )
  const apart = fuse(ask([{ ...early, valid: { from: 0, until: 10 } }, ...late]))
  assert.deepEqual([apart.conflicts, apart.facts.length], [[], 2])
})

test('numbers are fused by weighted median; outliers are left out', () => {
  const numbers = [10, 10.2, 9.9, 10.1, 95]
  const { facts, dissent, conflicts } = fuse(ask(numbers.map((number, n) => said(`s${n}`, number))))
  assert.ok([10, 10.1].includes(facts[0]!.object as number))
  assert.equal(conflicts[0]!.rule, 'weighted_median')
  assert.deepEqual(
    dissent.filter(({ reason }) => reason === 'outlier').map(({ object }) => object),
    [95],
  )
})

test('other strategies take the newest or the most frequent', () => {
  const facts = [
    said('a', 'old', { functional: true, at: 1 }),
    said('b', 'old', { at: 2 }),
    said('c', 'new', { at: 3 }),
  ]
  assert.equal(fuse(ask(facts, { strategy: 'latest' })).facts[0]!.object, 'new')
  assert.equal(fuse(ask(facts, { strategy: 'majority' })).facts[0]!.object, 'old')
})

const near = Int8Array.from([100, 70, 0])
const vectorsOf = (...names: string[]) => names.map((name) => ({ name, vector: near }))

test('names similar in spelling and meaning are merged, unless their facts would conflict', () => {
  const about = (subject: string, source: string, object: string, predicate = 'ceo') =>
    said(source, object, { subject, predicate, functional: predicate === 'ceo' })
  const names = ['Acme Corp', 'Acme Corp.', 'ACME corp']
  const same = names.map((name, n) => about(name, `s${n}`, 'Ann'))
  const merged = fuse(ask(same, { vectors: vectorsOf('acme corp', 'acme corp.') }))
  assert.equal(merged.facts.length, 1)
  assert.deepEqual(
    merged.entity_merges.map(({ rules }) => rules),
    [['similar']],
  )
  const apart = fuse(
    ask([about(names[0]!, 'a', 'Ann'), about(names[1]!, 'b', 'Bob')], {
      vectors: vectorsOf('acme corp', 'acme corp.'),
    }),
  )
  assert.deepEqual([apart.facts.length, apart.entity_merges], [2, []])
  const numbered = [about('Unit 1', 'a', 'x', 'near'), about('Unit 2', 'b', 'x', 'near')]
  assert.deepEqual(fuse(ask(numbered, { vectors: vectorsOf('unit 1', 'unit 2') })).entity_merges, [])
  const alias = fuse(
    ask([about('IBM', 'a', 'Ann'), about('Big Blue', 'b', 'Ann'), about('IBM', 'b', 'Big Blue', 'alias')]),
  )
  assert.deepEqual(alias.entity_merges, [{ label: 'IBM', merged: ['Big Blue', 'IBM'], rules: ['alias'] }])
})

const drawn = fc.array(
  fc
    .record({
      subject: fc.constantFrom('Acme', 'ACME', 'Beta', 'Gamma'),
      predicate: fc.constantFrom('ceo', 'likes', 'Output', 'alias'),
      object: fc.oneof(
        fc.constantFrom('Ann', 'ann', 'Bob', 'Beta', '7'),
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
      ),
      from: fc.constantFrom(-Infinity, 0, 5),
      until: fc.constantFrom(6, 10, Infinity),
      confidence: fc.constantFrom(0, 0.3, 0.7, 1),
      source: fc.constantFrom('a', 'b', 'c', 'd'),
      origin: fc.constantFrom('r1', 'r2'),
      at: fc.constantFrom(-Infinity, 1, 2),
    })
    .map(
      ({ from, until, ...fact }): SaidFact => ({
        ...fact,
        functional: fact.predicate === 'ceo',
        valid: { from, until },
      }),
    ),
  { minLength: 1, maxLength: 25 },
)
const strategies = fc.constantFrom('reliability' as const, 'latest' as const, 'majority' as const)

test('the result does not depend on order; nothing is lost, and every confidence is between 0 and 1', () => {
  fc.assert(
    fc.property(
      drawn.chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
      ),
      strategies,
      fc.constantFrom(0, 0.5, 0.9),
      ([facts, shuffled], strategy, min_confidence) => {
        const more = { strategy, min_confidence, reliability: { a: 0.9, b: 0.8, c: 0.4, d: 0.1 } }
        const fused = fuse(ask(facts, more))
        assert.deepEqual(fuse(ask(shuffled, more)), fused)
        const shown = [...fused.facts, ...fused.dissent]
        for (const { confidence } of shown) assert.ok(confidence >= 0 && confidence <= 1)
        for (const { confidence } of fused.facts) assert.ok(confidence >= min_confidence)
        for (const { values } of fused.conflicts)
          assert.ok(values.reduce((sum, { posterior }) => sum + posterior, 0) <= 1 + 1e-5)
        const objects = new Set(shown.map(({ object }) => String(object).toLowerCase()))
        for (const { object } of facts) {
          const names = fused.entity_merges.find(({ merged }) =>
            merged.some((name) => name.toLowerCase() === String(object).toLowerCase()),
          )
          const meant = names ? names.label : String(object)
          assert.ok(objects.has(meant.toLowerCase()), `${object} is told nowhere`)
        }
      },
    ),
    { numRuns: runs },
  )
})

test('a single-valued predicate has one value at any time', () => {
  fc.assert(
    fc.property(drawn, strategies, (facts, strategy) => {
      const fused = fuse(ask(facts, { strategy, min_confidence: 0 }))
      const single = fused.facts.filter(({ functional }) => functional)
      for (const [place, one] of single.entries())
        for (const other of single.slice(place + 1)) {
          const is_same = one.subject === other.subject && one.predicate === other.predicate
          const meets = one.valid.from < other.valid.until && other.valid.from < one.valid.until
          assert.ok(!(is_same && meets), `${one.object} and ${other.object} at once`)
        }
    }),
    { numRuns: runs },
  )
})
