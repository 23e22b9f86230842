import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EthicsQuestion, judge, verdicts } from './ethics.ts'
import { type Effect, type Interest, interest_weights, type JudgedAction } from './ethics-action.ts'
import { default_principles } from './ethics-principles.ts'
import { hard_rules, violationsOf } from './ethics-rules.ts'
import { dominates, felt, welfareOf } from './ethics-welfare.ts'

const still = () => 0
const effectOf = (more: Partial<Effect> = {}): Effect => ({
  party: 'Kim',
  interest: 'health',
  magnitude: 0.5,
  probability: 1,
  consent: 'unknown',
  ...more,
})
const judgedActionOf = (effects: readonly Effect[], more: Partial<JudgedAction> = {}): JudgedAction => ({
  kind: 'help',
  reversible: true,
  actors: ['did:oas:acme:agent:1', 'actor'],
  effects,
  readings: [],
  forbidden: [],
  duties: { kept: [], broken: [] },
  ...more,
})
const ask = (judged_action: JudgedAction, alternatives: readonly JudgedAction[] = []) =>
  judge({ judged_action, alternatives, principles: default_principles } satisfies EthicsQuestion, still)
const brokenBy = (judged_action: JudgedAction) =>
  violationsOf(judged_action, still).map(({ rule_ref }) => rule_ref.split('/').at(-1))

test('each hard rule fires on its own case, and not on the same with consent or at random', () => {
  const worst = { magnitude: -0.9, probability: 0.9, consent: 'no' } as const
  const kim = (interest: Interest, more: Partial<Effect> = {}) => effectOf({ interest, ...worst, ...more })
  const gain = effectOf({ party: 'actor', interest: 'economic' })
  const other_gain = effectOf({ party: 'Eve', interest: 'economic' })
  const cases: Record<string, JudgedAction> = {
    forbidden_kind: judgedActionOf([], { kind: 'Mass-Surveillance' }),
    taking_life: judgedActionOf([kim('life', { consent: 'unknown' })]),
    irreparable_harm: judgedActionOf([kim('health', { probability: 0.3 })], { reversible: false }),
    coercion: judgedActionOf([kim('liberty')]),
    degradation: judgedActionOf([kim('dignity')]),
    private_life: judgedActionOf([kim('privacy', { magnitude: -0.5 })]),
    mere_means: judgedActionOf([kim('property'), gain]),
    policy: judgedActionOf([], { forbidden: [{ rule_ref: 'maxim://p@1.0.0', text: 'no' }] }),
  }
  assert.deepEqual(
    Object.keys(cases),
    hard_rules.map(({ id }) => id),
  )
  for (const [id, judged_action] of Object.entries(cases)) {
    assert.deepEqual(brokenBy(judged_action), [id === 'policy' ? 'p@1.0.0' : id])
    const { verdict, conditions } = ask(judged_action)
    assert.deepEqual([verdict, conditions], ['prohibit', []])
    const agreed = judged_action.effects.map((effect) => ({ ...effect, consent: 'yes' as const }))
    if (agreed.length > 0) assert.deepEqual(brokenBy({ ...judged_action, effects: agreed }), [])
  }
  assert.deepEqual(brokenBy(judgedActionOf([kim('property'), gain, other_gain])), [])
  assert.deepEqual(brokenBy(judgedActionOf([kim('health', { probability: 0.3 })])), [])
})

test('harm without consent is reviewed, whatever the benefit', () => {
  const good = Array.from({ length: 10 }, (_, n) =>
    effectOf({ party: `p${n}`, magnitude: 1, consent: 'yes' }),
  )
  const harm = (more: Partial<Effect>) =>
    ask(judgedActionOf([...good, effectOf({ magnitude: -0.3, ...more })]))
  const ethics_finding = harm({ interest: 'liberty' })
  assert.deepEqual([ethics_finding.verdict, ethics_finding.conditions[0]?.kind], ['review', 'consent'])
  assert.equal(harm({ interest: 'liberty', consent: 'yes' }).verdict, 'permit')
  assert.equal(harm({ interest: 'liberty', probability: 0.5, consent: 'no' }).verdict, 'permit')
  assert.equal(harm({ interest: 'property', consent: 'no' }).verdict, 'permit')
  const unknown = harm({ interest: 'life', magnitude: undefined })
  assert.deepEqual(
    [unknown.verdict, unknown.conditions.map(({ kind }) => kind)],
    ['review', ['consent', 'estimate']],
  )
})

test('nothing said is not nothing harmed: what is missing is named, and people decide', () => {
  const fieldsOf = (effects: readonly Effect[]) => {
    const { verdict, missing } = ask(judgedActionOf(effects))
    return [verdict, missing.map(({ field }) => field)]
  }
  assert.deepEqual(fieldsOf([]), ['review', ['affected']])
  const agreed = effectOf({ interest: 'economic', consent: 'yes' })
  assert.deepEqual(fieldsOf([agreed]), ['permit', []])
  assert.deepEqual(fieldsOf([{ ...agreed, magnitude: undefined }]), ['review', ['magnitude']])
  const loss = effectOf({ party: 'Eve', interest: 'economic', magnitude: -0.1 })
  assert.deepEqual(fieldsOf([agreed, loss]), ['review', ['consent']])
  assert.deepEqual(fieldsOf([{ ...agreed, consent: 'unknown' }]), ['permit', []], 'a gain needs no consent')
  assert.deepEqual(fieldsOf([effectOf()]), ['review', ['consent']], 'except in health')
  const undone = ask(judgedActionOf([], { reversible: false })).missing[0]?.text
  assert.match(undone!, /cannot be undone/)
  const reading = { ref: 'merit://harm/theft', text: 'It speaks of theft.', words: ['steal'] }
  const read = ask(judgedActionOf([agreed], { readings: [reading] }))
  assert.deepEqual([read.verdict, read.read], ['review', [reading]])
})

test('a net loss is reviewed; an irreversible action with a wide spread must start small', () => {
  const loss = effectOf({ interest: 'property', magnitude: -0.4, consent: 'yes' })
  assert.equal(ask(judgedActionOf([loss])).verdict, 'review')
  const chance = effectOf({ magnitude: 1, probability: 0.5, consent: 'yes' })
  assert.equal(ask(judgedActionOf([chance])).verdict, 'permit')
  const risky = judge(
    {
      judged_action: judgedActionOf([chance], { reversible: false }),
      alternatives: [],
      principles: [{ id: 'beneficence', weight: 1 }],
    },
    still,
  )
  assert.deepEqual(
    [risky.verdict, risky.conditions.map(({ kind }) => kind)],
    ['permit_with_conditions', ['precaution']],
  )
})

test('balanced principles, by weight, are left to people', () => {
  const torn = judgedActionOf([
    effectOf({ interest: 'economic', magnitude: 0.9, consent: 'yes' }),
    effectOf({ party: 'Eve', interest: 'environment', magnitude: -0.3, consent: 'yes' }),
  ])
  const judged = ask(torn)
  assert.ok(judged.welfare > 0)
  assert.deepEqual([judged.ambiguous, judged.verdict], [true, 'review'])
  assert.ok(judged.dissent.some(({ principle }) => principle === 'beneficence'))
  const principles = [
    { id: 'beneficence', weight: 10 },
    { id: 'non_maleficence', weight: 1 },
  ] as const
  const weighed = judge({ judged_action: torn, alternatives: [], principles }, still)
  assert.deepEqual([weighed.ambiguous, weighed.verdict], [false, 'permit'])
  assert.deepEqual(
    weighed.dissent.map(({ principle }) => principle),
    ['non_maleficence'],
  )
})

test('an alternative better for somebody and worse for nobody is named, unless it is forbidden', () => {
  const action = judgedActionOf([effectOf({ consent: 'yes' })])
  const better = judgedActionOf([effectOf({ consent: 'yes' }), effectOf({ party: 'Eve', consent: 'yes' })])
  const trade = judgedActionOf([effectOf({ party: 'Eve', magnitude: 1, consent: 'yes' })])
  const judged = ask(action, [trade, better, { ...better, kind: 'fraud' }])
  assert.deepEqual(
    [judged.verdict, judged.best_alternative?.index, judged.best_alternative?.dominates],
    ['permit_with_conditions', 1, true],
  )
  assert.match(judged.conditions.at(-1)!.text, /alternative 1/)
  assert.equal(ask(action, [trade]).best_alternative, undefined)
  const bad = judgedActionOf([
    effectOf({ interest: 'property', magnitude: -0.6, consent: 'yes' }),
    effectOf({ interest: 'economic', magnitude: 0.1, consent: 'yes' }),
  ])
  assert.deepEqual(ask(bad, [trade]).best_alternative?.dominates, false)
})

const interest = fc.constantFrom(...(Object.keys(interest_weights) as Interest[]))
const part = fc.double({ min: 0, max: 1, noNaN: true })
const effect: fc.Arbitrary<Effect> = fc.record({
  party: fc.constantFrom('actor', 'Kim', 'Eve'),
  interest,
  magnitude: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
  probability: part,
  consent: fc.constantFrom('yes', 'no', 'unknown'),
})
const judged_action: fc.Arbitrary<JudgedAction> = fc
  .record({ effects: fc.array(effect, { maxLength: 5 }), reversible: fc.boolean() })
  .map(({ effects, reversible }) => judgedActionOf(effects, { reversible }))

test('a violated rule is never permitted, scores are bounded, and a loss for somebody never dominates', () => {
  fc.assert(
    fc.property(judged_action, fc.array(judged_action, { maxLength: 2 }), effect, (one, others, harm) => {
      const ethics_finding = ask(one, others)
      if (violationsOf(one, still).length > 0) assert.equal(ethics_finding.verdict, 'prohibit')
      else assert.notEqual(ethics_finding.verdict, 'prohibit')
      if (ethics_finding.ambiguous)
        assert.ok(verdicts.indexOf(ethics_finding.verdict) <= verdicts.indexOf('review'))
      for (const { score } of ethics_finding.principles)
        assert.ok(score >= -1 && score <= 1 && !Object.is(score, -0))
      const added = { ...harm, magnitude: -Math.abs(harm.magnitude ?? 1) }
      const worse = judgedActionOf([...one.effects, added], { reversible: one.reversible })
      assert.ok(welfareOf(worse) <= welfareOf(one))
      assert.ok(!dominates(worse, one) && !dominates(one, one))
      if (ethics_finding.verdict === 'prohibit') assert.equal(ask(worse).verdict, 'prohibit')
    }),
    { numRuns: 60 },
  )
})

test('losses weigh more than gains, and more than proportionally', () => {
  fc.assert(
    fc.property(part, part, (a, b) => {
      assert.ok(-felt(-a) >= felt(a))
      assert.ok(felt(-(a + b) / 2) >= (felt(-a) + felt(-b)) / 2 - 1e-12)
    }),
  )
})
