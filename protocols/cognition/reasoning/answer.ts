// A complete reasoning: question and clauses in; answer, proof, confidence and abduction out.

import { explainByAbduction } from './abduction.ts'
import { type Budget, Exhausted, type Meter, openMeter } from './budget.ts'
import { type Clause, type Condition, literal, variable } from './clause.ts'
import { confidenceOf } from './confidence.ts'
import { isWitness } from './existence.ts'
import { individualsOf, type Solved, solveGoals } from './kernel.ts'
import type { Question } from './question.ts'
import {
  type Alternative,
  alternatives_max,
  bindings_max,
  type Case,
  type Judged,
  type Reasoned,
  type Task,
} from './task.ts'

const unknown_confidence = 0.5

const goal_name = '#goal'
const denial_name = '#denial'

export function reason(task: Task, budget: Budget): Reasoned {
  const meter = openMeter(budget)
  const { assumption, question } = task
  const granted = isClosedUniversal(task) ? [] : question.granted
  const read = [...task.clauses, ...granted].map((clause) => readUnder(assumption, clause))
  const clauses = task.incomplete ? read.filter(isPositive) : read
  const all_goals = goalClauses(question, assumption)
  const goals = task.incomplete ? all_goals.map(requirePositive) : all_goals
  const individuals = individualsOf([...clauses, ...goals])
  const solved = solveGoals(clauses, goals, individuals, meter)
  meter.explain()
  const judged = judge(task, solved)
  const reasoned: Reasoned = {
    status: statusOf(solved.exhausted),
    answer: judged.answer,
    ...(judged.bindings && { bindings: judged.bindings }),
    proved: judged.proved.length > 0,
    proofs: [],
    confidence: judged.answer === 'unknown' ? unknown_confidence : 1,
    confidence_upper: judged.answer === 'unknown' ? unknown_confidence : 1,
    alternatives: [],
    work: meter.work,
  }
  return explain(task, { solved, clauses, goals, individuals, judged }, reasoned, meter)
}

/** Rests on nothing that merely was not derived. */
function isPositive({ body }: Clause): boolean {
  return !body.some(({ naf }) => naf)
}

/** Never holds if it would rest on something that merely was not derived. */
function requirePositive(goal: Clause): Clause {
  return isPositive(goal) ? goal : { ...goal, body: [literal('#never', [])] }
}

function statusOf(exhausted: Solved['exhausted']): Reasoned['status'] {
  if (exhausted === undefined) return 'complete'
  return exhausted === 'work' ? 'budget_exhausted' : 'deadline'
}

/** Closed world: "not" in a condition is negation as failure; explicit negative facts stay. */
export function readUnder(assumption: Task['assumption'], clause: Clause): Clause {
  if (assumption === 'open' || !clause.body.some(({ negated }) => negated)) return clause
  return { ...clause, body: clause.body.map(assumeClosed) }
}

function assumeClosed(condition: Condition): Condition {
  const { predicate, negated, args, naf } = condition
  // A denial that is not derivable holds positively in a closed world.
  return negated ? { predicate, negated: false, args, naf: !naf } : condition
}

function goalClauses({ goal, denial, asked }: Question, assumption: Task['assumption']): Clause[] {
  const head = literal(goal_name, asked.map(variable))
  const ways = goal.flatMap((body) => {
    const case_clause = { head, body, source: -1 }
    const closed = { head, body: body.map(assumeClosed), source: -1 }
    return assumption === 'closed' && body.some(({ negated }) => negated)
      ? [case_clause, closed]
      : [case_clause]
  })
  const denials = denial.map((body) => ({ head: literal(denial_name, []), body, source: -1 }))
  const closed_denials = assumption === 'closed' ? denials.map((clause) => closeRestriction(clause)) : denials
  return [...ways, ...closed_denials]
}

/** Closed world: a counterexample fits the description, and the rest is not derivable for it. */
function closeRestriction(clause: Clause): Clause {
  const open = clause.body.some(({ args }) => args.some((arg) => typeof arg !== 'string'))
  return open ? { ...clause, body: clause.body.map(assumeClosed) } : clause
}

/** Over all named individuals: holds unless one of them denies it. */
function isClosedUniversal({ question, assumption }: Task): boolean {
  return question.universal === true && assumption === 'closed'
}

function judge(task: Task, solved: Solved): Judged {
  const { question, assumption } = task
  const head = literal(goal_name, question.asked.map(variable))
  const rows = solved.rowsOf(head).filter((row) => question.asked.length === 0 || !row.some(isWitness))
  const complete = solved.exhausted === undefined && !task.incomplete
  const absent = complete && assumption === 'closed' && !solved.isPossible(head)
  const proved = rows.slice(0, 1).map((row) => literal(goal_name, row))
  if (question.asked.length > 0) {
    const bindings = rows.slice(0, bindings_max).map((row) => {
      return Object.fromEntries(question.asked.map((name, place) => [name, row[place]!]))
    })
    return { answer: rows.length > 0 ? 'true' : absent ? 'false' : 'unknown', bindings, proved }
  }
  const denial = literal(denial_name, [])
  const denied = question.denial.length > 0 && solved.rowsOf(denial).length > 0
  if (denied && proved.length > 0) return { answer: 'contradictory', proved: [...proved, denial] }
  if (denied) return { answer: 'false', proved: [denial] }
  if (proved.length > 0) return { answer: 'true', proved }
  if (isClosedUniversal(task))
    return { answer: complete && !solved.isPossible(denial) ? 'true' : 'unknown', proved }
  return { answer: absent ? 'false' : 'unknown', proved }
}

/** Proofs, then confidence, then abduction: what exceeds the budget is omitted, and the answer stays. */
function explain(task: Task, found_case: Case, reasoned: Reasoned, meter: Meter): Reasoned {
  const { solved, judged } = found_case
  const { wants, chanceOf } = task
  let explained = reasoned
  try {
    if (wants.proofs) explained = { ...explained, proofs: judged.proved.map((goal) => solved.prove(goal)) }
    if (judged.proved.length > 0 && wants.confidence) {
      const cone = solved.coneOf(judged.proved)
      const { lower, upper } = confidenceOf(cone, [...judged.proved.keys()], chanceOf, meter)
      explained = { ...explained, confidence: lower, confidence_upper: upper }
    }
    if (wants.alternatives)
      explained = { ...explained, alternatives: alternativesOf(task, found_case, meter) }
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error
    explained = { ...explained, status: statusOf(error.of) }
    if (wants.confidence && explained.confidence === 1 && judged.proved.length > 0)
      explained = { ...explained, confidence: 0, confidence_upper: 1 }
  }
  return { ...explained, work: meter.work }
}

function alternativesOf(task: Task, found_case: Case, meter: Meter): Alternative[] {
  const { solved, judged } = found_case
  const others = (judged.bindings ?? []).slice(1, alternatives_max + 1).map((binding): Alternative => {
    const goal = literal(goal_name, Object.values(binding))
    const { lower } = confidenceOf(solved.coneOf([goal]), [0], task.chanceOf, meter)
    return { answer: 'true', binding, confidence: lower }
  })
  if (solved.exhausted || judged.bindings || judged.answer === 'contradictory') return others
  return [...others, ...explainByAbduction(task, found_case, meter)]
}
