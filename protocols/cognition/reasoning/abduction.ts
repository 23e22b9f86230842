// Abduction: the smallest sets of at most two facts that would change the answer. Each one is verified.

import type { Meter } from './budget.ts'
import {
  type Clause,
  type Condition,
  isComparison,
  isGround,
  isVariable,
  type Literal,
  renderLiteral,
  substitute,
  type Term,
} from './clause.ts'
import { individualsOf, solveGoals } from './kernel.ts'
import { type Alternative, type Answer, alternatives_max, type Case, type Task } from './task.ts'

const facts_max = 2
const sets_tried_max = 64
const sets_verified_max = 16
const depth_max = 4
const assumed_confidence = 0.5

type Missing = readonly Condition[]

export function explainByAbduction(task: Task, found_case: Case, meter: Meter): Alternative[] {
  const { answer } = found_case.judged
  const goals_by_answer = wantedGoals(task, answer)
  const alternatives: Alternative[] = []
  let verified = 0
  const missings: Missing[] = []
  for (const { turned, goals } of goals_by_answer) {
    for (const missing of candidates(goals, found_case, meter)) {
      if (verified >= sets_verified_max || alternatives.length >= alternatives_max) return alternatives
      if (missings.some((smaller) => isPartOf(smaller, missing))) continue
      verified += 1
      if (!turns(task, found_case, missing, turned, meter)) continue
      missings.push(missing)
      alternatives.push({ answer: turned, missing_facts: missing, confidence: assumed_confidence })
    }
  }
  return alternatives
}

function wantedGoals({ question, assumption }: Task, answer: Answer) {
  const proving = { turned: 'true' as Answer, goals: question.goal }
  const denying = { turned: 'false' as Answer, goals: question.denial }
  if (answer === 'unknown') return [proving, denying]
  if (answer === 'false' && assumption === 'closed') return [proving]
  if (answer === 'true' && assumption === 'closed') return [denying]
  return []
}

/** Sets of ground facts that, with the known ones, would entail a goal; smaller ones first. */
function candidates(goals: readonly (readonly Condition[])[], { clauses }: Case, meter: Meter): Missing[] {
  const facts = clauses.filter(({ body }) => body.length === 0)
  const rules = clauses.filter(({ body }) => body.length > 0)
  const fact_names = new Set(facts.map(({ head }) => renderLiteral(head)))
  const missing_by_name = new Map<string, Missing>()
  let open: Missing[] = goals.map((goal) =>
    goal.filter((condition) => !fact_names.has(renderLiteral(condition))),
  )
  const tried = new Set<string>()
  for (let depth = 0; depth <= depth_max && open.length > 0; depth += 1) {
    const next: Missing[] = []
    for (const missing of open) {
      meter.look()
      const key = keyOf(missing)
      if (tried.has(key) || tried.size >= sets_tried_max) continue
      tried.add(key)
      if (depth > 0 && missing.length <= facts_max && missing.every(isAssumable))
        missing_by_name.set(key, missing)
      for (const reduced of unfold(missing, rules, facts, fact_names, meter)) next.push(reduced)
    }
    open = next.filter((missing) => missing.length <= facts_max + 1)
  }
  if (missing_by_name.size === 0)
    for (const goal of goals)
      if (goal.length <= facts_max && goal.every(isAssumable)) missing_by_name.set(keyOf(goal), goal)
  return [...missing_by_name.values()].sort((a, b) => a.length - b.length)
}

function keyOf(missing: Missing): string {
  return missing.map(renderLiteral).sort().join(' & ')
}

function isAssumable(condition: Condition): boolean {
  if (!isGround(condition) || condition.naf || isComparison(condition)) return false
  return ![condition.predicate, ...condition.args].some((part) => String(part).startsWith('#'))
}

/** Replaces one missing condition by the unmet conditions of a rule that concludes it. */
function unfold(
  missing: Missing,
  rules: readonly Clause[],
  facts: readonly Clause[],
  fact_names: ReadonlySet<string>,
  meter: Meter,
): Missing[] {
  const reduced: Missing[] = []
  for (const [place, goal] of missing.entries()) {
    if (goal.naf || isComparison(goal)) continue
    const others = missing.filter((_, at) => at !== place)
    for (const rule of rules) {
      meter.look()
      const bound = unify(rule.head, goal)
      if (!bound) continue
      const needed = rule.body.filter(({ naf }) => !naf).map((condition) => substitute(condition, bound))
      for (const left of settle(needed, facts, fact_names, meter)) {
        reduced.push(distinct([...others, ...left]))
        if (reduced.length >= sets_tried_max) return reduced
      }
    }
  }
  return reduced
}

/** Ways to satisfy these conditions with facts, leaving at most this many open. */
function settle(
  needed: Missing,
  facts: readonly Clause[],
  fact_names: ReadonlySet<string>,
  meter: Meter,
): Missing[] {
  const open = needed.filter((condition) => !isGround(condition) || !fact_names.has(renderLiteral(condition)))
  const loose = open.find((condition) => !isGround(condition) && !isComparison(condition))
  if (!loose) return [open.filter((condition) => !isComparison(condition))]
  const ways: Missing[] = []
  for (const { head } of facts) {
    meter.look()
    const bound = unify(loose, head)
    if (!bound) continue
    ways.push(
      ...settle(
        open.map((condition) => substitute(condition, bound)),
        facts,
        fact_names,
        meter,
      ),
    )
    if (ways.length >= sets_tried_max) break
  }
  return ways
}

/** A substitution for the variables of `general` that yields `special`. */
function unify(general: Literal, special: Literal): Map<string, Term> | undefined {
  if (general.predicate !== special.predicate || general.negated !== special.negated) return undefined
  if (general.args.length !== special.args.length) return undefined
  const bound = new Map<string, Term>()
  for (const [place, arg] of general.args.entries()) {
    const value = special.args[place]!
    if (isVariable(value)) continue
    const before = isVariable(arg) ? bound.get(arg.variable) : arg
    if (before !== undefined && before !== value) return undefined
    if (isVariable(arg)) bound.set(arg.variable, value)
  }
  return bound
}

function distinct(missing: Missing): Missing {
  return [...new Map(missing.map((condition) => [renderLiteral(condition), condition])).values()]
}

function isPartOf(smaller: Missing, larger: Missing): boolean {
  const all = new Set(larger.map(renderLiteral))
  return smaller.every((condition) => all.has(renderLiteral(condition)))
}

function turns(
  { question }: Task,
  { clauses, goals }: Case,
  missing: Missing,
  turned: Answer,
  meter: Meter,
): boolean {
  const assumed = missing.map((condition): Clause => {
    const { predicate, negated, args } = condition
    return { head: { predicate, negated, args }, body: [], source: -1 }
  })
  const all = [...clauses, ...assumed]
  const solved = solveGoals(all, goals, individualsOf([...all, ...goals]), meter)
  const [goal, denial] = ['#goal', '#denial'].map(
    (name) => goals.find(({ head }) => head.predicate === name)?.head,
  )
  const proved = goal !== undefined && solved.rowsOf(goal).length > 0
  const denied = question.denial.length > 0 && denial !== undefined && solved.rowsOf(denial).length > 0
  // A set that proves both the goal and its denial does not count.
  return turned === 'true' ? proved && !denied : denied && !proved
}
