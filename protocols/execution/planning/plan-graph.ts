// A stored plan: its tasks, their tree, and what a later repair needs.
import type { Domain, DomainSource, Duration, Operator } from './domain.ts'
import { factsOf, plainOf } from './facts.ts'
import type { Agent } from './levelling.ts'
import type { Minimize } from './objective.ts'
import type { Step } from './solution.ts'
import { ancestry, type Decomposition, idOf, type TaskNode } from './task-network.ts'

export type Plain = Readonly<Record<string, unknown>>
const no_duration: Duration = { opt: 0, likely: 0, pess: 0 }
/** The limit on the tree in an answer. */
export const tree_max = 10_000

export interface TreeEntry {
  readonly id: number
  readonly parent?: number
  readonly place: number
  readonly task: string
  readonly args: Plain
  /** The chosen method, by its index in the domain, and the arguments with its choices. */
  readonly method?: number
  readonly method_name?: string
  readonly chosen?: Plain
  readonly task_id?: string
  /** Of a decomposition abandoned after this was done. */
  readonly past?: true
}

/** `operation` is called, `skill` needs an agent, `step` a person, `unrefined` is not planned yet. */
export type TaskKind = 'operation' | 'skill' | 'step' | 'unrefined'

/** A task before scheduling. */
export interface PlannedTask {
  readonly id: string
  readonly kind: TaskKind
  readonly operator: string
  readonly args: Plain
  readonly payload?: unknown
  readonly depends_on: readonly string[]
  readonly duration: Duration
  readonly cost: number
  readonly is_done: boolean
  readonly protocol?: string
  readonly operation?: string
  readonly skill?: string
  readonly load?: number
}

export interface PlanTask extends PlannedTask {
  readonly es: number
  readonly ef: number
  readonly ls: number
  readonly lf: number
  readonly slack: number
  readonly critical: boolean
  readonly start: number
  readonly finish: number
  readonly assignee?: string
}

export interface Objective {
  readonly id: string
  readonly deadline_ms: number
}

export interface Constraint {
  readonly id: string
  readonly expr: string
}

/** Requirements of a plan besides its domain. */
export interface Frame {
  /** Whether only the agents below have skills, or anybody. */
  readonly staffed: boolean
  readonly agents: readonly Agent[]
  readonly objectives: readonly Objective[]
  readonly constraints: readonly Constraint[]
  readonly budget_usd?: number
  /** What must be true after the plan, in CEL; absent: nothing more than its tasks. */
  readonly goals?: readonly string[]
  /** Absent in plans stored before there were objectives. */
  readonly minimize?: Minimize
}

export interface PlanGraph extends Frame {
  readonly goal: { readonly task: string; readonly args: Plain }
  readonly charter_ref?: string
  readonly domain: DomainSource
  /** Current facts: the initial ones, plus the effects since. */
  readonly state: Plain
  /** The origin of all task times. */
  readonly starts_at_ms: number
  /** In an executable order. */
  readonly tasks: readonly PlanTask[]
  readonly tree: readonly TreeEntry[]
  readonly next_task: number
  /** Steps that failed or were cancelled, and are not planned again. */
  readonly forbidden: readonly string[]
  readonly seed: number
}

function kindOf(operator: Operator | undefined): TaskKind {
  if (!operator) return 'unrefined'
  const { protocol, skill } = operator.source
  return protocol !== undefined ? 'operation' : skill !== undefined ? 'skill' : 'step'
}

export function plannedTask(step: Step, id: string, depends_on: readonly string[]): PlannedTask {
  const { node, operator, payload } = step
  const { protocol, operation, skill, load, duration = no_duration, cost = 0 } = operator?.source ?? {}
  return {
    id,
    kind: kindOf(operator),
    operator: node.task,
    args: plainOf(node.args) as Plain,
    depends_on,
    duration,
    cost,
    is_done: false,
    ...(payload !== undefined && { payload }),
    ...(protocol !== undefined && { protocol, operation: operation! }),
    ...(skill !== undefined && { skill }),
    ...(load !== undefined && { load }),
  }
}

/** The tree above these leaves, parents first. */
export function treeOf(
  leaves: readonly { readonly node: TaskNode; readonly task_id: string }[],
): TreeEntry[] {
  const ids = new Map<TaskNode, number>()
  const decided = new Map<TaskNode, Decomposition>()
  const task_ids = new Map(leaves.map(({ node, task_id }) => [node, task_id]))
  for (const { node } of leaves) {
    const way = [...ancestry(node)].reverse()
    for (const one of way) {
      if (one.parent) decided.set(one.parent.node, one.parent)
      if (!ids.has(one)) ids.set(one, ids.size)
    }
  }
  return [...ids].map(([node, id]) => {
    const chosen = decided.get(node)
    const task_id = task_ids.get(node)
    return {
      id,
      ...(node.parent && { parent: ids.get(node.parent.node)! }),
      place: node.place,
      task: node.task,
      args: plainOf(node.args) as Plain,
      ...(chosen && {
        method: chosen.method.index,
        method_name: chosen.method.name,
        chosen: plainOf(chosen.args) as Plain,
      }),
      ...(task_id !== undefined && { task_id }),
    }
  })
}

/** The nodes of a stored tree by entry; past entries belong to no decomposition. */
export function nodesOfTree(
  tree: readonly TreeEntry[],
  { all_methods }: Domain,
  isDone: (task_id: string) => boolean,
): Map<number, TaskNode> {
  const nodes = new Map<number, TaskNode>()
  const decompositions = new Map<number, Decomposition>()
  for (const { id, parent, place, task, args, method, chosen, task_id, past } of tree) {
    if (past) continue
    const above = parent === undefined ? undefined : decompositions.get(parent)
    const node: TaskNode = {
      id: idOf(`kept|${id}`),
      task,
      args: factsOf(args),
      depth: above ? above.node.depth + 1 : 0,
      parent: above,
      place,
      ...(task_id !== undefined && { task_id }),
    }
    nodes.set(id, node)
    if (above) {
      const children = [...above.children]
      children[place] = node
      above.children = children
    }
    // Started: its decision is in the past.
    if (task_id !== undefined && isDone(task_id))
      for (const { parent: begun } of ancestry(node)) if (begun) begun.at = 0
    if (method === undefined) continue
    decompositions.set(id, {
      node,
      method: all_methods[method]!,
      args: factsOf(chosen ?? {}),
      at: Number.POSITIVE_INFINITY,
      state_key: '',
      children: [],
    })
  }
  return nodes
}
