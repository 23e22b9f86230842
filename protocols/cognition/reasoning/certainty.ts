// Answers from what is stated outright first; from hedged sentences only where that leaves it open.

import { reason } from './answer.ts'
import type { Budget } from './budget.ts'
import { reasonByCases } from './cases.ts'
import type { Clause } from './clause.ts'
import type { Disjunction } from './scope.ts'
import type { Reasoned, Task } from './task.ts'

export interface Certainty {
  /** They make hedged sentences usable. */
  readonly hedge_facts: readonly Clause[]
  readonly disjunctions: readonly Disjunction[]
}

export function reasonByCertainty(
  task: Task,
  { hedge_facts, disjunctions }: Certainty,
  budget: Budget,
): Reasoned {
  const spent = { work: 0 }
  const left = (): Budget => ({ ...budget, work_max: Math.max(0, budget.work_max - spent.work) })
  const run = (variant: Task): Reasoned => {
    const direct = reasonConditionally(variant, left())
    spent.work += direct.work
    const tries = direct.answer === 'unknown' && direct.status === 'complete' && disjunctions.length > 0
    if (!tries || variant.question.asked.length > 0 || variant.assumption === 'closed') return direct
    const proving = { ...variant, wants: { ...variant.wants, proofs: true, alternatives: false } }
    const by_cases = reasonByCases(proving, disjunctions, left(), spent)
    if (by_cases) return by_cases
    // Cases that did not fit into the budget may have decided it.
    return spent.work >= budget.work_max ? { ...direct, status: 'budget_exhausted' } : direct
  }
  const strict = run(task)
  if (hedge_facts.length === 0) return { ...strict, work: spent.work }
  const wants = { ...task.wants, proofs: true, confidence: true }
  const full = run({ ...task, clauses: [...task.clauses, ...hedge_facts], wants })
  return { ...weigh(strict, full, hasExceptions(task)), work: spent.work }
}

/** What is stated outright wins, unless a hedged sentence could be the exception it depends on. */
function weigh(strict: Reasoned, full: Reasoned, exceptions: boolean): Reasoned {
  const open: Reasoned = {
    ...strict,
    answer: 'unknown',
    proofs: [],
    proved: false,
    confidence: 0.5,
    confidence_upper: 0.5,
  }
  const decided = full.answer === 'true' || full.answer === 'false'
  if (strict.answer === 'unknown') return decided && full.proved ? full : strict
  if (!exceptions || full.answer === strict.answer) return strict
  return decided && full.proved && !strict.proved ? full : open
}

function hasExceptions({ assumption, clauses }: Task): boolean {
  return assumption === 'closed' || clauses.some(({ body }) => body.some(({ naf }) => naf))
}

/** "If A then B" and "every A is B": true if A entails B; false only if A holds without being assumed, and B is denied. */
function reasonConditionally(task: Task, budget: Budget): Reasoned {
  const { question } = task
  if (question.granted.length === 0 || (question.universal && task.assumption === 'closed'))
    return reason(task, budget)
  const entailed = reason({ ...task, question: { ...question, denial: [] } }, budget)
  const work_max = Math.max(0, budget.work_max - entailed.work)
  const denied = reason(
    {
      ...task,
      wants: { ...task.wants, alternatives: false },
      question: { goal: question.denial, denial: [], asked: [], granted: [] },
    },
    { ...budget, work_max },
  )
  const work = entailed.work + denied.work
  if (denied.answer !== 'true' || !denied.proved) return { ...entailed, work }
  if (entailed.answer !== 'true') return { ...denied, answer: 'false', work }
  const proofs = [...entailed.proofs, ...denied.proofs]
  return { ...entailed, answer: 'contradictory', proofs, work }
}
