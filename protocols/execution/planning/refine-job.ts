// Refines a goal into a plan, on a worker thread.

import { type ComputationHost, computation } from '@svc/contract/needs/computation'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { compileCondition, sentenceOf, too_much_work } from './condition.ts'
import { dependenciesOf } from './dependencies.ts'
import { compileDomain, type DomainSource, type Fault } from './domain.ts'
import { argsOf, factsOf } from './facts.ts'
import { finishingBy } from './finishing.ts'
import { readHddl } from './hddl/hddl-domain.ts'
import type { Measures, Minimize } from './objective.ts'
import { type Frame, type Plain, type PlanGraph, plannedTask, tree_max, treeOf } from './plan-graph.ts'
import { limitsOf, type PlanLimits } from './plan-limits.ts'
import { type Planned, type Schedule, scheduleTasks } from './plan-schedule.ts'
import { type Breach, type Found, type Judgement, type Ranked, Search } from './search.ts'
import type { Ended, Failure, Solution } from './solution.ts'
import { ancestry, rootNode, type TaskNode } from './task-network.ts'

const alternatives_max = 3
export interface RefineTask {
  readonly goal: { readonly task: string; readonly args: Plain }
  readonly domain: DomainSource
  /** An HDDL domain, extended by the one above. */
  readonly hddl?: string
  readonly state: Plain
  readonly frame: Frame
  /** Absent: only the deadline ends the search. */
  readonly expansions_max?: number
  readonly deadline_ms: number
  readonly starts_at_ms: number
  /** Derived from the task if absent. */
  readonly seed?: number
}

type Seeded = RefineTask & { readonly seed: number }

export interface Alternative {
  readonly tasks: readonly { readonly operator: string; readonly args: Plain }[]
  readonly makespan_ms: number
  readonly cost: number
  /** What the objective says of it. */
  readonly value: number
}

export type Failing = Failure | Breach

/**
 * Why there is no plan: every way was tried; a budget ended the search, or no plan fits the charter's; no plan reaches the
 * goal; none keeps the charter's other limits; or plans that are too large to keep were left out.
 */
export type Reason = 'no_plan' | 'out_of_budget' | 'goal_not_reached' | 'limits' | 'size'

export interface ObjectiveResult {
  readonly minimize: Minimize
  readonly value: number
  /** Whether everything was tried, or can be no better. */
  readonly proven_best: boolean
}

export type Refined =
  | { readonly faults: readonly Fault[] }
  | {
      readonly graph?: Omit<PlanGraph, 'charter_ref'>
      readonly schedule?: Schedule
      readonly objective?: ObjectiveResult
      readonly alternatives: readonly Alternative[]
      readonly failing?: Failing
      readonly reason?: Reason
      readonly expansions: number
      readonly ended: Ended
    }

interface Candidate extends Planned {
  readonly graph: Omit<PlanGraph, 'charter_ref'>
}

export const refine_job = computation<RefineTask, Refined>(new URL(import.meta.url))

export function compute(refine_task: RefineTask, host: ComputationHost): Refined {
  const goal = goalOf(refine_task)
  if ('faults' in goal) return goal
  const read = withHddl(refine_task)
  if ('faults' in read) return read
  const task = { ...read, seed: refine_task.seed ?? seedOf(refine_task) }
  const compiled = compileDomain(task.domain)
  if ('faults' in compiled) return compiled
  const limits = limitsOf(task.frame)
  const finishing = finishingBy(task.deadline_ms, host)
  const outcome = new Search<Candidate | undefined>({
    domain: compiled.domain,
    state: factsOf(task.state),
    open: [goal],
    expansions_max: task.expansions_max ?? Number.POSITIVE_INFINITY,
    is_late: finishing.isLate,
    forbidden: new Set(),
    minimize: limits.minimize,
    by_order: limits.by_order,
    bounds_time: true,
    most: limits.most,
    plans_max: 1 + alternatives_max,
    judge(solution) {
      const judgement = judge(solution, task, limits)
      if (!judgement.refusal) finishing.measure(() => judgement.candidate!.draw(finishing.isOver()))
      return judgement
    },
  }).run()
  const { expansions, ended, plans } = outcome
  const [best, ...others] = plans
  if (!best) return { alternatives: [], ...whyNone(outcome), expansions, ended }
  const { graph, draw } = best.candidate!
  return {
    graph,
    // Only the percentile of the chosen plan is told.
    schedule: draw(finishing.isOver()),
    objective: { minimize: limits.minimize, value: best.rank[0], proven_best: ended === 'complete' },
    alternatives: others.map(asAlternative),
    expansions,
    ended,
  }
}

function goalOf({ goal }: RefineTask): TaskNode | { readonly faults: readonly Fault[] } {
  try {
    return rootNode(goal.task, argsOf(goal.args))
  } catch {
    const message = 'they have more than 100,000 values, a million characters, or 64 levels'
    return { faults: [{ pointer: '/goal/args', message }] }
  }
}

function judge(solution: Solution, task: Seeded, limits: PlanLimits): Judgement<Candidate | undefined> {
  const breach = limits.atEnd(solution.state)
  if (breach) return { measures: unmeasured, candidate: undefined, refusal: breach, is_final: true }
  const large = tooLarge(solution)
  if (large) return { measures: unmeasured, candidate: undefined, refusal: large }
  const candidate = candidateOf(solution, task)
  const schedule = limits.needs_p90 ? candidate.draw() : candidate.schedule
  const refusal = limits.inAll(schedule, solution.state)
  return { measures: measuresOf(schedule), candidate, ...(refusal && { refusal }) }
}

/** Worse than every other: a plan that gets to its goal says more about what is wrong. */
export const unmeasured: Measures = {
  makespan: Number.MAX_VALUE,
  cost: Number.MAX_VALUE,
  steps: Number.MAX_VALUE,
}

export function measuresOf({ makespan, cost, tasks }: Schedule): Measures {
  return { makespan: makespan.mean, cost, steps: tasks.length }
}

/** Executable plans that are refused say more than steps that cannot be executed. */
function whyNone({ refused, failure, ended }: Found<unknown>): {
  readonly failing?: Failing
  readonly reason: Reason
} {
  const failing = refused?.refusal ?? failure
  return { ...(failing && { failing }), reason: reasonOf(failing, ended) }
}

export function reasonOf(failing: Failing | undefined, ended: Ended): Reason {
  if (ended === 'size') return 'size'
  if (ended !== 'complete' || failing?.why.endsWith(too_much_work)) return 'out_of_budget'
  if (!failing || !('constraint' in failing)) return 'no_plan'
  if (failing.constraint === 'goal') return 'goal_not_reached'
  return failing.constraint === 'budget' ? 'out_of_budget' : 'limits'
}

/** The JSON domain says how actions are performed, and takes precedence over the HDDL text. */
function withHddl(task: RefineTask): RefineTask | { readonly faults: readonly Fault[] } {
  if (task.hddl === undefined || task.hddl === '') return task
  try {
    const { methods, operators, state, goals } = readHddl(task.hddl)
    const sources = new Map(task.domain.operators.map((operator) => [operator.name, operator]))
    const merged = operators.map((operator) => ({ ...operator, ...sources.get(operator.name) }))
    const own = task.domain.operators.filter(({ name }) => !operators.some((one) => one.name === name))
    const domain = { methods: [...task.domain.methods, ...methods], operators: [...own, ...merged] }
    for (const goal of goals) compileCondition(goal)
    const frame = { ...task.frame, ...(goals.length > 0 && { goals }) }
    return { ...task, domain, frame, state: { ...state, ...task.state } }
  } catch (error) {
    return { faults: [{ pointer: '/hddl', message: sentenceOf(error) }] }
  }
}

/** The same for the same task at any time. */
function seedOf({ goal, domain, hddl, state, frame }: RefineTask): number {
  const question = { goal, domain, hddl, state, frame }
  return Number.parseInt(sha256Hex(canonicalJson(question)).slice(0, 7), 16)
}

function candidateOf(solution: Solution, task: Seeded): Candidate {
  const { steps } = solution
  const { goal, domain, state, frame, starts_at_ms, seed } = task
  const ids = steps.map((_, place) => `t${place + 1}`)
  const waits = dependenciesOf(solution)
  const planned = steps.map((step, place) =>
    plannedTask(
      step,
      ids[place]!,
      waits[place]!.map((one) => ids[one]!),
    ),
  )
  const { schedule, draw } = scheduleTasks(
    planned.map((one) => ({ task: one })),
    { staffed: frame.staffed, agents: frame.agents, now: 0, keep_order: false, seed },
  )
  const graph = {
    ...frame,
    goal,
    domain,
    state,
    starts_at_ms,
    tasks: schedule.tasks,
    tree: treeOf(steps.map(({ node }, place) => ({ node, task_id: ids[place]! }))),
    next_task: steps.length + 1,
    forbidden: [],
    seed,
  }
  return { schedule, draw, graph }
}

function tooLarge({ steps }: Solution): Breach | undefined {
  const tree = new Set<TaskNode>()
  for (const { node } of steps)
    for (const one of ancestry(node)) {
      if (tree.has(one)) break
      tree.add(one)
    }
  if (tree.size <= tree_max) return undefined
  return { constraint: 'size', why: `it comes of ${tree.size} tasks, and a plan keeps ${tree_max} of them` }
}

function asAlternative({ candidate, rank }: Ranked<Candidate | undefined>): Alternative {
  const { tasks, makespan, cost } = candidate!.schedule
  return {
    tasks: tasks.map(({ operator, args }) => ({ operator, args })),
    makespan_ms: makespan.mean,
    cost,
    value: rank[0],
  }
}
