// Compares answers with a second implementation: generated English with independently evaluated ground rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { is_long, openChance } from '../../../checks/faults/scene/chance.ts'
import { readUnder, reason } from './answer.ts'
import type { Clause, Literal } from './clause.ts'
import { individualsOf } from './kernel.ts'
import { readPremises } from './premises.ts'
import { readQuestion } from './question.ts'
import { compute } from './reasoning-job.ts'
import type { Answer, Reasoned } from './task.ts'
import { findFlaw } from './test-check-proof.ts'
import { makeTheory, opposite } from './test-generated-theory.ts'
import { type Meaning, meaningOf } from './test-ground-oracle.ts'

const theories = is_long ? 2000 : 25
const budget = { work_max: 1_000_000, deadline_ms: 60_000, elapsed_ms: () => 0 }

function ask(premises: readonly string[], intent: string, assumption: 'open' | 'closed') {
  const read = readPremises(premises, intent)
  assert.deepEqual(read.unparsed, [])
  const question = readQuestion(intent, read.lexicon, individualsOf(read.clauses), premises.length)
  const wants = { proofs: true, confidence: true, alternatives: false }
  const reasoned = reason({ clauses: read.clauses, question, assumption, chanceOf: () => 1, wants }, budget)
  return { found: reasoned, clauses: read.clauses }
}

function expected({ certain, possible }: Meaning, atom: string, closed: boolean): Answer {
  const [holds, denied] = [certain.has(atom), certain.has(opposite(atom))]
  if (holds && denied) return 'contradictory'
  if (holds) return 'true'
  if (denied) return 'false'
  if (!closed) return 'unknown'
  const positive = atom.startsWith('-') ? opposite(atom) : atom
  if (possible.has(positive)) return 'unknown'
  return atom.startsWith('-') ? 'true' : 'false'
}

/** Checks the proof of each literal under the assumption. */
function checkProofs(
  { proofs }: Reasoned,
  clauses: readonly Clause[],
  meaning: Meaning,
  closed: boolean,
): void {
  const read = clauses.map((clause) => readUnder(closed ? 'closed' : 'open', clause))
  const shape = ({ head, body, source }: Clause) => JSON.stringify([head, body, source])
  const canonical = new Map(read.map((clause) => [shape(clause), clause]))
  const fails = ({ predicate, args, negated }: Literal) =>
    !meaning.possible.has(`${negated ? '-' : ''}${[predicate, ...args].join(' ')}`)
  for (const proof of proofs) {
    const steps = proof.map((step) => {
      const clause = step.clause && (canonical.get(shape(step.clause)) ?? step.clause)
      return { ...step, ...(clause && { clause }) }
    })
    const goals = proof.flatMap(({ clause }) => (clause?.source === -1 ? [clause] : []))
    assert.equal(findFlaw(steps, [...read, ...goals], fails), undefined)
  }
}

for (const assumption of ['open', 'closed'] as const) {
  test(`answers of generated theories in the ${assumption} world match their ground rules, and are proved`, () => {
    const first = openChance().seed
    for (let seed = first; seed < first + theories; seed += 1) {
      const { premises, rules, questions } = makeTheory(seed, assumption === 'closed')
      const meaning = meaningOf(rules)
      for (const { text, atom } of questions) {
        const { found, clauses } = ask(premises, text, assumption)
        const message = `seed ${seed}: ${text}\n${premises.join('\n')}`
        assert.equal(found.answer, expected(meaning, atom, assumption === 'closed'), message)
        assert.equal(found.status, 'complete')
        checkProofs(found, clauses, meaning, assumption === 'closed')
      }
    }
  })
}

test('snapshot facts are leaves like premises, matched by the words of either', () => {
  const facts = [
    { subject: 'Acme', predicate: 'ceo', object: 'Ann', confidence: 0.8, ref: 'mind://fact/1' },
    { subject: 'Rex', predicate: 'is_a', object: 'dog', ref: 'mind://fact/2' },
    { subject: 'Rex', predicate: 'likes', object: 'Ann' },
  ]
  const task = {
    premises: ['If X is the ceo of Y then X is rich.', 'Dogs are animals.'],
    premise_confidence: [0.5, 1],
    facts,
    assumption: 'open' as const,
    wants: { proofs: true, confidence: true, alternatives: false },
    work_max: 1000,
    deadline_ms: 60_000,
  }
  const host = { elapsed_ms: () => 0 }
  const rich = compute({ ...task, intent: 'Is Ann rich?' }, host)
  assert.deepEqual([rich.answer, rich.confidence], ['true', 0.4])
  assert.deepEqual(rich.leaves, [{ premise_index: 0 }, { fact_index: 0 }])
  assert.deepEqual(
    rich.derivation.map(({ rule }) => rule),
    ['mind://fact/1', 'premise:0'],
  )
  assert.equal(compute({ ...task, intent: 'Rex is an animal.' }, host).answer, 'true')
  assert.deepEqual(compute({ ...task, intent: 'Who does Rex like?' }, host).bindings, [{ Who: 'ann' }])
})

test('a search that reaches its deadline returns what it knows', () => {
  const rows = Array.from({ length: 300 }, (_, nth) => `n(${nth}).`).join(' ')
  let questions = 0
  const late = compute(
    {
      intent: 'datalog: q',
      premises: [`datalog: ${rows} q :- n(A), n(B), n(C), n(D), A < B, B < C, C < D, D < A.`],
      premise_confidence: [],
      facts: [],
      assumption: 'open',
      wants: { proofs: true, confidence: true, alternatives: true },
      work_max: 1_000_000,
      deadline_ms: 10,
    },
    { elapsed_ms: () => questions++ },
  )
  assert.deepEqual([late.status, late.answer], ['deadline', 'unknown'])
})
