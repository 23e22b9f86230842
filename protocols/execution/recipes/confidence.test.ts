import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecipeStep } from '@svc/contract/recipe'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { baseScore, composeParallel, decayScore, scoreOf } from './confidence.ts'
import { expandRecipe } from './expansion.ts'
import type { StepRecord } from './journal.ts'
import type { Plan } from './plan.ts'

const done = (more: Partial<StepRecord> = {}): StepRecord => ({ state: 'succeeded', attempt: 1, ...more })

function planChain(length: number): Plan {
  const steps = Array.from(
    { length },
    (_, at): RecipeStep => ({
      kind: 'Protocol',
      name: `s${at}`,
      protocol: 'T',
      operation: 'any',
      payload: {},
    }),
  )
  const recipe = { id: '', version: 'v1.0.0', steps, audit_checkpoints: [], governance_gates: [] }
  return expandRecipe(recipe, () => undefined).plan
}

test('on a chain no score exceeds the minimum before it, and one more retry lowers it', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.array(share, { minLength: 1, maxLength: 8 }), fc.nat(7), (scores, pick) => {
      const plan = planChain(scores.length)
      const journal = new Map(scores.map((base_score, at) => [`s${at}`, done({ base_score })]))
      const before = scoreOf(plan, journal)
      assert.equal(before, Math.min(...scores))
      const least = scores.indexOf(before)
      const retried = scoreOf(plan, journal.set(`s${least}`, done({ base_score: before, attempt: 2 })))
      assert.ok(before < 1e-300 ? retried <= before : retried < before)
      assert.ok(scoreOf(plan, journal.set(`s${pick % scores.length}`, done({ base_score: 0 }))) === 0)
    }),
    { numRuns: 40 },
  )
})

test('parallel composition: equal scores stay, any 0 is 0, weights count, order does not', () => {
  const part = fc.record({
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    weight: fc.double({ min: 0.01, max: 1000, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 9 }), (parts) => {
      const score = composeParallel(parts)
      const scores = parts.map((one) => one.score)
      assert.ok(score >= Math.min(...scores) && score <= Math.max(...scores))
      assert.equal(composeParallel(parts.map(({ weight }) => ({ weight, score: scores[0]! }))), scores[0])
      assert.equal(composeParallel([...parts, { score: 0, weight: 1 }]), 0)
      assert.ok(Math.abs(composeParallel(parts.toReversed()) - score) < 1e-12)
    }),
    { numRuns: 60 },
  )
  assert.ok(
    Math.abs(
      composeParallel([
        { score: 0.25, weight: 1 },
        { score: 1, weight: 1 },
      ]) - 0.5,
    ) < 1e-12,
  )
})

test('a confidence outside 0 to 1 is refused, and an answer without one is certain', () => {
  assert.equal(baseScore({ confidence: 0.4, confidence_score: 0.9 }), 0.4)
  assert.equal(baseScore({ confidence: 'high', confidence_score: 0.9 }), 0.9)
  for (const silent of [null, 7, {}, { confidence: null }]) assert.equal(baseScore(silent), 1)
  for (const wrong of [Number.NaN, -0.1, 1.1, Number.POSITIVE_INFINITY]) {
    assert.throws(() => baseScore({ confidence: wrong }), Refusal)
    assert.throws(() => decayScore(wrong, 0.05, 1), Refusal)
    assert.throws(() => scoreOf(planChain(1), new Map([['s0', done({ base_score: wrong })]])), Refusal)
  }
})
