// Repairs a plan with minimal change: broken tasks are replanned from their parent task, the rest stays.
import { whyNot } from './condition.ts'
import type { Domain } from './domain.ts'
import { applyEffects } from './effect.ts'
import type { Aftermath } from './plan-events.ts'
import { nodesOfTree, type TreeEntry } from './plan-graph.ts'
import { Search } from './search.ts'
import type { Failure, Found, Solution, Step } from './solution.ts'
import { ancestry, type TaskNode } from './task-network.ts'

const further_expansions = 2_000

export interface Repairing {
  readonly domain: Domain
  readonly tree: readonly TreeEntry[]
  /** Ids in planned order, including failed tasks. */
  readonly order: readonly string[]
  readonly after: Aftermath
  readonly plans_max: number
  readonly expansions_max: number
  readonly is_late: () => boolean
}

export interface Repaired {
  /** Possible continuations; empty if there are none. */
  readonly solutions: readonly Solution[]
  /** The unchanged remainder, whether feasible or not. */
  readonly standing: Solution
  readonly nodes: ReadonlyMap<string, TaskNode>
  /** Tasks that were replanned. */
  readonly replanned: ReadonlySet<TaskNode>
  readonly failure?: Failure
  readonly expansions: number
  readonly ended: Found['ended']
}

interface Rehearsal {
  readonly standing: Solution
  readonly broken: readonly TaskNode[]
}

export function repairPlan(repairing: Repairing): Repaired {
  const { tree, domain, after, order } = repairing
  const by_entry = nodesOfTree(tree, domain, (id) => after.tasks.get(id)?.is_done === true)
  const leaves = tree.filter(({ task_id, past }) => task_id !== undefined && !past)
  const nodes = new Map(leaves.map(({ id, task_id }) => [task_id!, by_entry.get(id)!]))
  const waiting = order.filter((id) => after.failed.has(id) || after.tasks.get(id)?.is_done === false)
  const { standing, broken } = rehearse(waiting, nodes, domain, after)
  const base = { standing, nodes, expansions: 0, ended: 'complete' } as const
  if (broken.length === 0) return { ...base, solutions: [standing], replanned: new Set() }
  let [expansions, failure]: [number, Failure | undefined] = [0, undefined]
  for (let height = 1; ; height++) {
    const replanned = liftBy(broken, height)
    const repaired = search(repairing, openTasks(waiting, nodes, replanned, after), expansions)
    expansions += repaired.expansions
    failure ??= repaired.failure
    const is_spent = repaired.ended === 'expansions' || repaired.ended === 'deadline'
    const is_over = repaired.solutions.length > 0 || is_spent
    const at_top = [...replanned].every(({ parent }) => !parent)
    if (is_over || at_top) {
      const { solutions, ended } = repaired
      return { ...base, solutions, replanned, expansions, ended, ...(failure && { failure }) }
    }
  }
}

/** Simulates the remaining tasks as if all succeed, and collects those that cannot. */
function rehearse(
  waiting: readonly string[],
  nodes: ReadonlyMap<string, TaskNode>,
  domain: Domain,
  after: Aftermath,
): Rehearsal {
  const steps: Step[] = []
  const broken: TaskNode[] = []
  let { state } = after
  for (const id of waiting) {
    const node = nodes.get(id)!
    const operator = domain.operators.get(node.task)
    const scope = { state, args: node.args }
    const has_failed = after.failed.has(id)
    if (has_failed || operator?.preconditions.some((one) => whyNot(one, scope) !== undefined))
      broken.push(node)
    const step = { node, operator, before: state }
    let payload: unknown
    try {
      payload = operator?.payload?.fill(scope)
      state = applyEffects(operator?.effects ?? [], scope)
    } catch {
      if (!broken.includes(node)) broken.push(node)
    }
    if (!has_failed) steps.push({ ...step, ...(payload !== undefined && { payload }) })
  }
  return { standing: { steps, state, settled: [] }, broken }
}

/** The ancestors at this height above the broken tasks, none inside another. */
function liftBy(broken: readonly TaskNode[], height: number): Set<TaskNode> {
  const lifted = new Set(
    broken.map((leaf) => {
      const way = [...ancestry(leaf)]
      return way[Math.min(height, way.length - 1)]!
    }),
  )
  for (const node of lifted)
    if ([...ancestry(node)].slice(1).some((above) => lifted.has(above))) lifted.delete(node)
  return lifted
}

function openTasks(
  waiting: readonly string[],
  nodes: ReadonlyMap<string, TaskNode>,
  replanned: ReadonlySet<TaskNode>,
  after: Aftermath,
): TaskNode[] {
  const open = new Set<TaskNode>()
  for (const id of waiting) {
    const leaf = nodes.get(id)!
    const above = [...ancestry(leaf)].find((node) => replanned.has(node))
    if (above) open.add(above === leaf ? withoutId(leaf) : above)
    else if (!after.failed.has(id)) open.add(leaf)
  }
  return [...open]
}

/** A goal that is a single step is not retried after it failed, like any other step. */
function withoutId({ task_id: _, ...node }: TaskNode): TaskNode {
  return node
}

function search(
  { domain, after, plans_max, expansions_max, is_late }: Repairing,
  open: TaskNode[],
  used: number,
) {
  return new Search({
    domain,
    state: after.state,
    open,
    expansions_max: expansions_max - used,
    plans_max,
    further_expansions,
    is_late,
    forbidden: after.forbidden,
  }).run()
}
