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
  const roots = Object.fromEntries(facts.map(({ source }) => [source, `root of ${source}`]))
  return { facts, roots, reliability: Object.fromEntries(sources), ...options, ...more }
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

test('fifty children of one person count as one, and unknown sources as none', () => {
  const children = Array.from({ length: 50 }, (_, n) => `child ${n}`)
  const roots = { ...Object.fromEntries(children.map((child) => [child, 'person'])), a: 'a', b: 'b' }
  const strangers = Array.from({ length: 50 }, (_, n) => `stranger ${n}`)
  for (const strategy of ['reliability', 'majority'] as const) {
    const values = [
      ...[...children, ...strangers].map((source) => said(source, 'left', { functional: true })),
      ...['a', 'b'].map((source) => said(source, 'right', { functional: true })),
    ]
    const { facts } = fuse(ask(values, { roots, strategy }))
    assert.deepEqual([facts[0]!.object, facts[0]!.against.length], ['right', 100], strategy)
  }
  const numbers = [...children, ...strangers].map((source) => said(source, 17))
  const voted = fuse(ask([...numbers, said('a', 42), said('b', 42)], { roots }))
  assert.equal(voted.facts[0]!.object, 42)
  const alone = fuse(
    ask(
      strangers.map((source) => said(source, 'left')),
      { roots },
    ),
  )
  assert.deepEqual([alone.facts, alone.dissent[0]!.confidence], [[], 0])
  const newest = said('stranger 0', 'forged', { functional: true, at: 9 })
  const latest = fuse(ask([newest, said('a', 'old', { at: 1 })], { roots, strategy: 'latest' }))
  assert.equal(latest.facts[0]!.object, 'old')
  const alias = said('stranger 0', 'Evil', { predicate: 'alias', functional: false })
  assert.deepEqual(fuse(ask([alias, said('a', 1)], { roots })).entity_merges, [])
})

test('copied claims count once: thirty who repeat one source lose to two who do not', () => {
  const about = (source: string, subject: string, object: string) =>
    said(source, object, { subject, functional: true })
  const originals = ['a', 'b', 'c']
  const copiers = Array.from({ length: 30 }, (_, n) => `copier ${n}`)
  const subjects = Array.from({ length: 8 }, (_, n) => `Plant ${n}`)
  const facts = subjects.flatMap((subject, n) => [
    // Each of the originals errs elsewhere; c errs three times, and all copiers with it.
    ...originals.map((source, at) =>
      about(source, subject, n === at || (source === 'c' && n > 4) ? `wrong ${source}` : 'right'),
    ),
    ...copiers.map((source) => about(source, subject, n === 2 || n > 4 ? 'wrong c' : 'right')),
  ])
  const { facts: fused_facts, copied, source_reliability } = fuse(ask(facts))
  assert.deepEqual(
    fused_facts.map(({ object }) => object),
    subjects.map(() => 'right'),
  )
  const copiers_of_c = copied.filter(({ roots }) => roots.every((root) => /copier|of c$/.test(root)))
  assert.equal(copied.length, copiers_of_c.length, 'a and b depend on nobody')
  assert.ok(copied.length > 90 && copied.every(({ probability }) => probability > 0.9))
  assert.ok(source_reliability.a! > source_reliability['copier 0']!)
})

test('sources that agree without sharing mistakes are not taken for copies', () => {
  const sources = Array.from({ length: 6 }, (_, n) => `s${n}`)
  const facts = Array.from({ length: 12 }, (_, n) => n).flatMap((n) =>
    sources.map((source, at) =>
      said(source, n % 6 === at ? `wrong ${source}` : 'right', { subject: `Plant ${n}`, functional: true }),
    ),
  )
  const { copied, facts: fused_facts } = fuse(ask(facts))
  assert.deepEqual([copied, new Set(fused_facts.map(({ object }) => object)).size], [[], 1])
})

test('children that repeat a source change no answer and no confidence', () => {
  const value = fc.oneof(fc.constantFrom('left', 'right', 'up'), fc.integer({ min: 1, max: 4 }))
  const statement = fc.record({ source: fc.constantFrom('a', 'b', 'c', 'd'), value })
  const strategies = fc.constantFrom('reliability', 'latest', 'majority')
  const many = fc.integer({ min: 2, max: 50 })
  fc.assert(
    fc.property(
      fc.array(statement, { minLength: 1, maxLength: 8 }),
      strategies,
      many,
      (stated, strategy, n) => {
        const facts = stated.map(({ source, value }) => said(source, value, { functional: true }))
        const copied = facts.flatMap((fact) =>
          Array.from({ length: n }, (_, copy) => ({ ...fact, source: `${fact.source}${copy}` })),
        )
        const roots = Object.fromEntries(copied.map(({ source, origin }) => [source, origin]))
        const pictureOf = ({ facts, conflicts }: ReturnType<typeof fuse>) =>
          [...facts, ...conflicts].map((part) => ({ ...part, valid: '' }))
        const more = { strategy, min_confidence: 0 } as const
        assert.deepEqual(pictureOf(fuse(ask(copied, { ...more, roots }))), pictureOf(fuse(ask(facts, more))))
      },
    ),
    { numRuns: runs },
  )
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
