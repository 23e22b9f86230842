// Confidence against enumeration: all truth assignments of the leaves, weighted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { is_long } from '../../../checks/faults/scene/chance.ts'
import { reason } from './answer.ts'
import type { Clause } from './clause.ts'
import { literal } from './clause.ts'
import { evaluateProgram } from './kernel.ts'

const budget = { work_max: 1_000_000, deadline_ms: 60_000, elapsed_ms: () => 0 }
const names = ['a', 'b', 'c', 'd', 'g']
const clause = fc.record({
  head: fc.constantFrom(...names),
  body: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
})
const theory = fc.array(fc.record({ clause, chance: fc.constantFrom(0, 0.1, 0.5, 0.9, 1) }), {
  minLength: 1,
  maxLength: 9,
})

function clausesOf(items: readonly { clause: { head: string; body: readonly string[] } }[]): Clause[] {
  return items.map(({ clause: { head, body } }, source) => {
    return { head: literal(head, []), body: body.map((name) => literal(name, [])), source }
  })
}

const goal = [literal('g', [])]
const question = { goal: [goal], denial: [], asked: [], granted: [] }
const wants = { proofs: false, confidence: true, alternatives: false }

test('confidence is the total probability of the worlds that prove the answer', () => {
  fc.assert(
    fc.property(theory, (items) => {
      const clauses = clausesOf(items)
      let sum = 0
      for (let world = 0; world < 2 ** items.length; world += 1) {
        const weight = items.reduce(
          (product, { chance }, at) => product * ((world >> at) & 1 ? chance : 1 - chance),
          1,
        )
        if (weight === 0) continue
        const there = clauses.filter((_, at) => (world >> at) & 1)
        if (evaluateProgram(there, goal, budget).bindings.length > 0) sum += weight
      }
      const chanceOf = (source: number) => items[source]?.chance ?? 1
      const reasoned = reason({ clauses, question, assumption: 'open', chanceOf, wants }, budget)
      if (reasoned.answer === 'unknown') assert.equal(sum, 0)
      else assert.ok(Math.abs(reasoned.confidence - sum) < 1e-9, `${reasoned.confidence} is not ${sum}`)
    }),
    { numRuns: is_long ? 500 : 25 },
  )
})

test('with more leaves than a formula holds, confidence is between two bounds', () => {
  const ways = 40
  const items = Array.from({ length: ways }, (_, at) => ({
    clause: { head: 'g', body: [`x${at}`] },
    chance: 1,
  }))
  const leaves = Array.from({ length: ways }, (_, at) => ({
    clause: { head: `x${at}`, body: [] },
    chance: 0.1,
  }))
  const all = [...items, ...leaves]
  const chanceOf = (source: number) => all[source]?.chance ?? 1
  const reasoned = reason({ clauses: clausesOf(all), question, assumption: 'open', chanceOf, wants }, budget)
  const exact = 1 - 0.9 ** ways
  assert.ok(reasoned.confidence <= exact && exact <= reasoned.confidence_upper)
  assert.ok(reasoned.confidence >= 1 - 0.9 ** 24 - 1e-9, String(reasoned.confidence))
})

test('a single proof has the product of its leaves', () => {
  const leaves = Array.from({ length: 30 }, (_, at) => ({
    clause: { head: `x${at}`, body: [] as string[] },
    chance: 0.9,
  }))
  const rule = { clause: { head: 'g', body: leaves.map((_, at) => `x${at}`) }, chance: 1 }
  const all = [rule, ...leaves]
  const chanceOf = (source: number) => all[source]?.chance ?? 1
  const reasoned = reason({ clauses: clausesOf(all), question, assumption: 'open', chanceOf, wants }, budget)
  assert.ok(Math.abs(reasoned.confidence - 0.9 ** 30) < 1e-9)
})
