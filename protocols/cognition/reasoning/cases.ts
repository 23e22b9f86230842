// Disjunction by cases: what follows from each alternative follows from the disjunction.

import { reason } from './answer.ts'
import { type Budget, Exhausted, openMeter } from './budget.ts'
import { type Clause, isGround, type Literal, literal, substitute, type Term, variable } from './clause.ts'
import { individualsOf, solveGoals, variablesOf } from './kernel.ts'
import type { ProofStep } from './proof.ts'
import type { Disjunction } from './scope.ts'
import type { Answer, Reasoned, Task } from './task.ts'

/** The source of what a case assumes. */
export const case_source = -2
const depth_max = 2
const instances_max = 16
const case_head = '#case'

interface Instance {
  readonly alternatives: readonly (readonly Literal[])[]
  /** Shows that the disjunction applies. */
  readonly proof: readonly ProofStep[]
}

/** The answer that every case of some disjunction gives; undefined if there is none. Work is added to `spent`. */
export function reasonByCases(
  task: Task,
  disjunctions: readonly Disjunction[],
  budget: Budget,
  spent: { work: number },
  depth = 0,
): Reasoned | undefined {
  const left = (): Budget => ({ ...budget, work_max: Math.max(0, budget.work_max - spent.work) })
  for (const instance of instancesOf(task, disjunctions, left(), spent)) {
    const branches: Reasoned[] = []
    for (const alternative of instance.alternatives) {
      const assumed = alternative.map((head): Clause => ({ head, body: [], source: case_source }))
      const branch = { ...task, clauses: [...task.clauses, ...assumed] }
      if (budget.work_max <= spent.work || budget.elapsed_ms() >= budget.deadline_ms) return undefined
      const reasoned = reason(branch, left())
      spent.work += reasoned.work
      const settled = isDefinite(reasoned.answer)
        ? reasoned
        : depth + 1 < depth_max
          ? reasonByCases(branch, disjunctions, budget, spent, depth + 1)
          : undefined
      if (!settled || !isDefinite(settled.answer)) break
      if (branches.length > 0 && branches[0]!.answer !== settled.answer) break
      branches.push(settled)
    }
    if (branches.length === instance.alternatives.length) return joinCases(task, instance, branches)
  }
  return undefined
}

function isDefinite(answer: Answer): boolean {
  return answer === 'true' || answer === 'false'
}

/** Where the disjunctions apply, and none of their alternatives is known to hold. */
function instancesOf(
  { clauses }: Task,
  disjunctions: readonly Disjunction[],
  budget: Budget,
  spent: { work: number },
): Instance[] {
  const meter = openMeter(budget)
  const instances: Instance[] = []
  try {
    const facts = new Set(clauses.filter(({ body }) => body.length === 0).map(({ head }) => keyOf(head)))
    for (const { body, alternatives, source } of disjunctions) {
      const names = variablesOf([...body, ...alternatives.flat()])
      const head = literal(case_head, names.map(variable))
      const goal: Clause = { head, body, source }
      const solved = solveGoals(clauses, [goal], individualsOf([...clauses, goal]), meter)
      for (const row of solved.rowsOf(head)) {
        const bound = new Map<string, Term>(names.map((name, place) => [name, row[place]!]))
        const ground = alternatives.map((all) => all.map((one) => substitute(one, bound) as Literal))
        const open = !ground.some((all) => all.every((one) => facts.has(keyOf(one))))
        if (!open || !ground.flat().every(isGround)) continue
        instances.push({ alternatives: ground, proof: solved.prove(literal(case_head, row)) })
        if (instances.length >= instances_max) return instances
      }
    }
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error
  } finally {
    spent.work += meter.work
  }
  return instances
}

function keyOf({ predicate, negated, args }: Literal): string {
  return JSON.stringify([predicate, negated, args])
}

/** One proof: that the cases are all there are, then each of them, then what they have in common. */
function joinCases(
  { question, chanceOf }: Task,
  { proof, alternatives }: Instance,
  branches: readonly Reasoned[],
): Reasoned {
  const applies = proof.at(-1)!
  const steps: ProofStep[] = [...proof.slice(0, -1), { ...applies, cases: alternatives }]
  const ends: number[] = [steps.length - 1]
  for (const branch of branches) {
    for (const branch_proof of branch.proofs.slice(0, 1)) {
      const offset = steps.length
      for (const { from, ...step } of branch_proof)
        steps.push({ ...step, from: from.map((at) => at + offset) })
      const last = branch_proof.at(-1)!
      const visible = last.by === 'cases' && last.conclusion.predicate !== '#goal'
      ends.push(...(visible ? [steps.length - 1] : last.from.map((at) => at + offset)))
    }
  }
  const { answer } = branches[0]!
  const [common] = answer === 'true' ? question.goal : question.denial
  const conclusion = common?.length === 1 ? common[0]! : literal('#goal', [])
  steps.push({ conclusion, by: 'cases', from: ends })
  const sources = new Set(
    steps.flatMap(({ clause }) => (clause && clause.source >= 0 ? [clause.source] : [])),
  )
  const confidence = [...sources].reduce((product, source) => product * chanceOf(source), 1)
  return {
    status: 'complete',
    answer,
    proved: true,
    proofs: [steps],
    confidence,
    // The same conclusion may also hold otherwise.
    confidence_upper: 1,
    alternatives: [],
    work: 0,
  }
}
