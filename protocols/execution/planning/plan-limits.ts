// What a plan must keep besides its domain: its goal, the constraints and the budget of its charter, and its people.
import { type Condition, compileCondition, whyNot } from './condition.ts'
import { type Facts, factsOf } from './facts.ts'
import { dependsOnTime, type Measures, type Minimize, minimize_default } from './objective.ts'
import type { Constraint, Frame } from './plan-graph.ts'
import type { Schedule } from './plan-schedule.ts'
import type { Breach } from './search.ts'

export interface PlanLimits {
  readonly minimize: Minimize
  /** Whether the order of the same steps can make a plan better, or let it keep a limit. */
  readonly by_order: boolean
  /** Whether a constraint needs the 90th percentile of the time, which is expensive. */
  readonly needs_p90: boolean
  readonly most: Partial<Measures>
  /** The first limit that is not kept, judged by the facts after the plan alone. */
  atEnd(state: Facts): Breach | undefined
  /** The first limit that is not kept, by the plan itself. */
  inAll(schedule: Schedule, state: Facts): Breach | undefined
}

/** An upper limit of one measure: nothing that exceeds it while it is planned can be saved. */
const upper_limit = /^\s*plan\s*\.\s*(cost|makespan_ms|tasks)\s*<=?\s*([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*$/
const measure_of = { cost: 'cost', makespan_ms: 'makespan', tasks: 'steps' } as const
const no_args: Facts = new Map()

interface Rule {
  readonly id: string
  readonly condition: Condition
}

export function limitsOf(frame: Frame): PlanLimits {
  const { budget_usd, minimize = minimize_default } = frame
  const of_plan = frame.constraints.filter(({ expr }) => /\bplan\b/.test(expr))
  const of_end = frame.constraints.filter((one) => !of_plan.includes(one)).map(ruleOf)
  const goals = (frame.goals ?? []).map((expr) => ruleOf({ id: 'goal', expr }))
  const rules = of_plan.map(ruleOf)
  const most = mostOf(of_plan, budget_usd)
  const needs_p90 = of_plan.some(({ expr }) => /p90_ms|\bplan\b(?!\s*\.)/.test(expr))
  const is_upper = ({ expr }: Constraint) => upper_limit.test(expr) && !expr.includes('makespan_ms')
  return {
    minimize,
    by_order: dependsOnTime(minimize) || !of_plan.every(is_upper),
    needs_p90,
    most,
    atEnd: (state) => firstBroken([...goals, ...of_end], state),
    inAll: (schedule, state) =>
      unstaffed(schedule) ?? overBudget(schedule, budget_usd) ?? firstBroken(rules, state, schedule),
  }
}

function ruleOf({ id, expr }: Constraint): Rule {
  return { id, condition: compileCondition(expr) }
}

function mostOf(constraints: readonly Constraint[], budget_usd: number | undefined): Partial<Measures> {
  const most: { -readonly [name in keyof Measures]?: number } = {}
  if (budget_usd !== undefined) most.cost = budget_usd
  for (const { expr } of constraints) {
    const [, name, limit] = upper_limit.exec(expr) ?? []
    if (name === undefined) continue
    const measure = measure_of[name as keyof typeof measure_of]
    most[measure] = Math.min(most[measure] ?? Infinity, Number(limit))
  }
  return most
}

function firstBroken(rules: readonly Rule[], state: Facts, schedule?: Schedule): Breach | undefined {
  const plan = schedule && planFacts(schedule)
  for (const { id, condition } of rules) {
    const why = whyNot(condition, { state, args: no_args, ...(plan && { plan }) })
    if (why !== undefined) return { constraint: id, why: `${condition.text}: ${why}` }
  }
  return undefined
}

function planFacts({ cost, makespan, tasks }: Schedule): Facts {
  return factsOf({ cost, makespan_ms: makespan.mean, p90_ms: makespan.p90, tasks: tasks.length })
}

function overBudget({ cost }: Schedule, budget_usd: number | undefined): Breach | undefined {
  if (budget_usd === undefined || cost <= budget_usd) return undefined
  return { constraint: 'budget', why: `it costs ${cost} USD, and the charter has ${budget_usd}` }
}

function unstaffed({ unstaffed: id, tasks }: Schedule): Breach | undefined {
  if (id === undefined) return undefined
  const task = tasks.find((one) => one.id === id)!
  const share = task.load === undefined ? '' : ` and ${task.load} of its capacity`
  return {
    constraint: 'agents',
    why: `${task.operator} needs an agent with the skill ${task.skill}${share}, and there is none`,
  }
}
