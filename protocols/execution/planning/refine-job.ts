// Refines a goal into a plan, on a worker thread.

import { type ComputationHost, computation } from '@svc/contract/needs/computation'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { sentenceOf } from './condition.ts'
import { dependenciesOf } from './dependencies.ts'
import { compileDomain, type DomainSource, type Fault } from './domain.ts'
import { factsOf, plainOf } from './facts.ts'
import { readHddl } from './hddl/hddl-domain.ts'
import { type Frame, type Plain, type PlanGraph, plannedTask, tree_max, treeOf } from './plan-graph.ts'
import { type Breach, breachOf, type Schedule, scheduleTasks } from './plan-schedule.ts'
import { Search } from './search.ts'
import type { Failure, Found, Solution } from './solution.ts'
import { rootNode } from './task-network.ts'

const alternatives_max = 3
/** How many plans to compare for the fastest or the cheapest. */
const compared_max = 32
const further_expansions = { first: 500, fastest: 10_000, cheapest: 10_000 } as const

export type Preference = 'first' | 'fastest' | 'cheapest'

export interface RefineTask {
  readonly goal: { readonly task: string; readonly args: Plain }
  readonly domain: DomainSource
  /** An HDDL domain, extended by the one above. */
  readonly hddl?: string
  readonly state: Plain
  readonly frame: Frame
  /** Methods are listed in order of preference, so the first plan is the default. */
  readonly prefer: Preference
  readonly expansions_max: number
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
}

export type Failing = Failure | Breach

export type Refined =
  | { readonly faults: readonly Fault[] }
  | {
      readonly graph?: Omit<PlanGraph, 'charter_ref'>
      readonly schedule?: Schedule
      readonly alternatives: readonly Alternative[]
      readonly failing?: Failing
      readonly expansions: number
      readonly ended: Found['ended']
    }

interface Candidate {
  readonly solution: Solution
  readonly schedule: Schedule
  readonly graph: Omit<PlanGraph, 'charter_ref'>
}

export const refine_job = computation<RefineTask, Refined>(new URL(import.meta.url))

export function compute(refine_task: RefineTask, host: ComputationHost): Refined {
  const read = withHddl(refine_task)
  if ('faults' in read) return read
  const task = { ...read, seed: refine_task.seed ?? seedOf(refine_task) }
  const compiled = compileDomain(task.domain)
  if ('faults' in compiled) return compiled
  const search = new Search({
    domain: compiled.domain,
    state: factsOf(task.state),
    open: [rootNode(task.goal.task, factsOf(task.goal.args))],
    expansions_max: task.expansions_max,
    plans_max: task.prefer === 'first' ? 1 + alternatives_max : compared_max,
    further_expansions: further_expansions[task.prefer],
    is_late: () => host.elapsed_ms() > task.deadline_ms,
    forbidden: new Set(),
  })
  const { solutions, expansions, ended, failure } = search.run()
  // Constraints may use the percentile of each candidate; otherwise only the chosen plan needs it.
  const judges = task.frame.constraints.length > 0
  const candidates = solutions
    .map((solution) => candidateOf(solution, task, judges))
    .sort(ranking[task.prefer])
  const refused = candidates.map((one) => tooLarge(one.graph) ?? refusalOf(one, task.frame))
  const [best, ...others] = candidates.filter((_, place) => refused[place] === undefined)
  const chosen = best && !judges ? candidateOf(best.solution, task, true) : best
  const failing = chosen ? undefined : (refused[0] ?? failure)
  return {
    ...(chosen && { graph: chosen.graph, schedule: chosen.schedule }),
    alternatives: others.slice(0, alternatives_max).map(asAlternative),
    ...(failing && { failing }),
    expansions,
    ended,
  }
}

/** The JSON domain says how actions are performed, and takes precedence over the HDDL text. */
function withHddl(task: RefineTask): RefineTask | { readonly faults: readonly Fault[] } {
  if (task.hddl === undefined || task.hddl === '') return task
  try {
    const { methods, operators, state } = readHddl(task.hddl)
    const sources = new Map(task.domain.operators.map((operator) => [operator.name, operator]))
    const merged = operators.map((operator) => ({ ...operator, ...sources.get(operator.name) }))
    const own = task.domain.operators.filter(({ name }) => !operators.some((one) => one.name === name))
    const domain = { methods: [...task.domain.methods, ...methods], operators: [...own, ...merged] }
    return { ...task, domain, state: { ...state, ...task.state } }
  } catch (error) {
    return { faults: [{ pointer: '/hddl', message: sentenceOf(error) }] }
  }
}

const ranking: Readonly<Record<Preference, (a: Candidate, b: Candidate) => number>> = {
  first: () => 0,
  fastest: ({ schedule: a }, { schedule: b }) => a.makespan.mean - b.makespan.mean || a.cost - b.cost,
  cheapest: ({ schedule: a }, { schedule: b }) => a.cost - b.cost || a.makespan.mean - b.makespan.mean,
}

/** The same for the same task at any time. */
function seedOf({ goal, domain, hddl, state, frame, prefer, expansions_max }: RefineTask): number {
  const question = { goal, domain, hddl, state, frame, prefer, expansions_max }
  return Number.parseInt(sha256Hex(canonicalJson(question)).slice(0, 7), 16)
}

function candidateOf(solution: Solution, task: Seeded, drawn: boolean): Candidate {
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
  const schedule = scheduleTasks(
    planned.map((one) => ({ task: one })),
    { staffed: frame.staffed, agents: frame.agents, now: 0, keep_order: false, seed, drawn },
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
  return { solution, schedule, graph }
}

function tooLarge({ tree }: Candidate['graph']): Breach | undefined {
  if (tree.length <= tree_max) return undefined
  return { constraint: 'size', why: `it comes of ${tree.length} tasks, and a plan keeps ${tree_max} of them` }
}

/** Why an executable plan is still refused. */
export function refusalOf(
  { schedule, solution }: Pick<Candidate, 'schedule' | 'solution'>,
  frame: Frame,
): Breach | undefined {
  if (schedule.unstaffed !== undefined) return unstaffed(schedule)
  return breachOf(frame, schedule, plainOf(solution.state) as Plain)
}

function unstaffed({ unstaffed: id, tasks }: Schedule): Breach {
  const task = tasks.find((one) => one.id === id)!
  const share = task.load === undefined ? '' : ` and ${task.load} of its capacity`
  return {
    constraint: 'agents',
    why: `${task.operator} needs an agent with the skill ${task.skill}${share}, and there is none`,
  }
}

function asAlternative({ schedule }: Candidate): Alternative {
  return {
    tasks: schedule.tasks.map(({ operator, args }) => ({ operator, args })),
    makespan_ms: schedule.makespan.mean,
    cost: schedule.cost,
  }
}
