// Applies the events since a plan was made, in order.
import { sentenceOf } from './condition.ts'
import type { Domain } from './domain.ts'
import { applyEffects, compileEffect, type EffectSource } from './effect.ts'
import { type Facts, factsOf } from './facts.ts'
import type { Agent } from './levelling.ts'
import type { Objective, PlanGraph, PlanTask } from './plan-graph.ts'
import { stepKey } from './solution.ts'

export const event_kinds = [
  'done',
  'failed',
  'late',
  'cancelled',
  'resource_lost',
  'resource_added',
  'new_fact',
  'new_deadline',
] as const

export interface PlanEvent {
  readonly kind: (typeof event_kinds)[number]
  readonly task_id?: string
  /** Relative to the start of the plan. */
  readonly at: number
  readonly data: {
    readonly effects?: readonly EffectSource[]
    readonly remaining_ms?: number
    readonly did?: string
    readonly skills?: readonly string[]
    readonly capacity?: number
    readonly objective_id?: string
    readonly deadline_ms?: number
  }
}

/** The state of a plan after all events. */
export interface Aftermath {
  readonly tasks: Map<string, PlanTask>
  readonly failed: Set<string>
  readonly cancelled: Set<string>
  /** The reported end of a late task. */
  readonly late: Map<string, { readonly at: number; readonly remaining_ms: number }>
  readonly forbidden: Set<string>
  state: Facts
  agents: readonly Agent[]
  objectives: readonly Objective[]
}

/** Limits of a plan over all its versions. */
const growth_max = { tasks: 1_500, agents: 200, objectives: 200 }

export interface EventFault {
  readonly place: number
  readonly reason: 'not_found' | 'wrong_state' | 'dependency_open' | 'incomplete' | 'effect' | 'too_large'
  readonly message: string
}

export const outgrown: EventFault = {
  place: 0,
  reason: 'too_large',
  message: 'belongs to a plan that has grown too large; refine the goal anew',
}

export function tellEvents(
  graph: PlanGraph,
  domain: Domain,
  events: readonly PlanEvent[],
): { after: Aftermath } | { fault: EventFault } {
  const after: Aftermath = {
    tasks: new Map(graph.tasks.map((task) => [task.id, task])),
    failed: new Set(),
    cancelled: new Set(),
    late: new Map(),
    forbidden: new Set(graph.forbidden),
    state: factsOf(graph.state),
    agents: graph.agents,
    objectives: graph.objectives,
  }
  if (graph.tasks.length > growth_max.tasks) return { fault: outgrown }
  const in_order = [...events.entries()].sort(([a, one], [b, other]) => one.at - other.at || a - b)
  for (const [place, event] of in_order) {
    const fault = tell(event, after, domain) ?? crowded(after)
    if (fault) return { fault: { place, ...fault } }
  }
  return { after }
}

function crowded({ agents, objectives }: Aftermath): Told {
  const is_within = agents.length <= growth_max.agents && objectives.length <= growth_max.objectives
  return is_within ? undefined : { reason: 'too_large', message: 'names one agent or objective too many' }
}

type Told = Omit<EventFault, 'place'> | undefined

function tell(event: PlanEvent, after: Aftermath, domain: Domain): Told {
  const { kind, data } = event
  if (kind === 'done' || kind === 'failed' || kind === 'late' || kind === 'cancelled') {
    const task = event.task_id === undefined ? undefined : after.tasks.get(event.task_id)
    if (!task) return { reason: 'not_found', message: `names no task of this plan` }
    if (task.is_done) return { reason: 'wrong_state', message: `${task.id} is done already` }
    const applied = tellOfTask(event, task, after, domain)
    if (applied) return applied
  }
  if (kind === 'resource_lost' || kind === 'resource_added') {
    const applied = tellOfAgent(event, after)
    if (applied) return applied
  }
  if (kind === 'new_deadline') {
    const { objective_id: id, deadline_ms } = data
    if (id === undefined || deadline_ms === undefined)
      return { reason: 'incomplete', message: 'needs data.objective_id and data.deadline' }
    after.objectives = [...after.objectives.filter((one) => one.id !== id), { id, deadline_ms }]
  }
  if (kind === 'new_fact' && !data.effects) return { reason: 'incomplete', message: 'needs data.effects' }
  return data.effects && learn(data.effects, after)
}

function tellOfTask({ kind, at, data }: PlanEvent, task: PlanTask, after: Aftermath, domain: Domain): Told {
  if (kind === 'late') {
    if (data.remaining_ms === undefined) return { reason: 'incomplete', message: 'needs data.remaining_ms' }
    after.late.set(task.id, { at, remaining_ms: data.remaining_ms })
    return undefined
  }
  if (kind === 'done') return finish(task, at, after, domain)
  const gone = kind === 'failed' ? after.failed : after.cancelled
  gone.add(task.id)
  after.tasks.delete(task.id)
  after.forbidden.add(stepKey({ task: task.operator, args: factsOf(task.args) }))
  return undefined
}

/** No task ends before its dependencies: otherwise a report is missing. */
function finish(task: PlanTask, at: number, after: Aftermath, domain: Domain): Told {
  const open = task.depends_on.find((id) => after.tasks.get(id)?.is_done === false)
  if (open !== undefined)
    return { reason: 'dependency_open', message: `${task.id} waits for ${open}; report that first` }
  const operator = domain.operators.get(task.operator)
  try {
    const scope = { state: after.state, args: factsOf(task.args) }
    after.state = applyEffects(operator?.effects ?? [], scope)
  } catch (error) {
    return { reason: 'effect', message: sentenceOf(error) }
  }
  after.late.delete(task.id)
  after.tasks.set(task.id, { ...task, is_done: true, start: Math.min(task.start, at), finish: at })
  return undefined
}

function tellOfAgent({ kind, data }: PlanEvent, after: Aftermath): Told {
  const { did, skills = [], capacity = 1, effects } = data
  if (did === undefined)
    return effects ? undefined : { reason: 'incomplete', message: 'needs data.did or data.effects' }
  const others = after.agents.filter((agent) => agent.did !== did)
  if (kind === 'resource_added') {
    after.agents = [...others, { did, skills, capacity }]
    return undefined
  }
  if (others.length === after.agents.length)
    return { reason: 'not_found', message: `names no agent of this plan` }
  after.agents = others
  return undefined
}

function learn(effects: readonly EffectSource[], after: Aftermath): Told {
  try {
    const scope = { state: after.state, args: new Map() }
    after.state = applyEffects(effects.map(compileEffect), scope)
    return undefined
  } catch (error) {
    return { reason: 'effect', message: sentenceOf(error) }
  }
}
