// Repairs a plan with minimal change: broken tasks are replanned from their parent task, the rest stays.
import { whyNot } from './condition.ts'
import type { Domain } from './domain.ts'
import { applyEffects } from './effect.ts'
import type { Aftermath } from './plan-events.ts'
import { nodesOfTree, type TreeEntry } from './plan-graph.ts'
import type { PlanLimits } from './plan-limits.ts'
import { type Breach, type Found, type Judgement, Search } from './search.ts'
import type { Ended, Failure, Solution, Step } from './solution.ts'
import { ancestry, type TaskNode } from './task-network.ts'

export interface Repairing<Way> {
  readonly domain: Domain
  readonly tree: readonly TreeEntry[]
  /** Ids in planned order, including failed tasks. */
  readonly order: readonly string[]
  readonly after: Aftermath
  readonly limits: PlanLimits
  readonly expansions_max: number
  readonly is_late: () => boolean
  readonly judge: (solution: Solution, scope: RepairScope) => Judgement<Way>
}

export interface RepairScope {
  readonly nodes: ReadonlyMap<string, TaskNode>
  /** Tasks that were replanned. */
  readonly replanned: ReadonlySet<TaskNode>
}

export interface Repaired<Way> extends RepairScope {
  /** The best continuation that keeps the limits; absent if there is none. */
  readonly best?: Way
  /** What could be executed, but does not keep the limits. */
  readonly refused?: { readonly candidate: Way; readonly refusal: Breach }
  /** The unchanged remainder, whether feasible or not. */
  readonly standing: Solution
  readonly failure?: Failure
  readonly expansions: number
  readonly ended: Ended
}

interface Rehearsal {
  readonly standing: Solution
  readonly broken: readonly TaskNode[]
}

export function repairPlan<Way>(repairing: Repairing<Way>): Repaired<Way> {
  const { tree, domain, after, order } = repairing
  const by_entry = nodesOfTree(tree, domain, (id) => after.tasks.get(id)?.is_done === true)
  const leaves = tree.filter(({ task_id, past }) => task_id !== undefined && !past)
  const nodes = new Map(leaves.map(({ id, task_id }) => [task_id!, by_entry.get(id)!]))
  const waiting = order.filter((id) => after.failed.has(id) || after.tasks.get(id)?.is_done === false)
  const { standing, broken } = rehearse(waiting, nodes, domain, after)
  const base = { standing, nodes, expansions: 0, ended: 'complete' } as const
  if (broken.length === 0) {
    const scope = { nodes, replanned: new Set<TaskNode>() }
    const { candidate, refusal } = repairing.judge(standing, scope)
    return { ...base, ...scope, ...(refusal ? { refused: { candidate, refusal } } : { best: candidate }) }
  }
  let [expansions, failure, refused]: [number, Failure | undefined, Repaired<Way>['refused']] = [
    0,
    undefined,
    undefined,
  ]
  for (let height = 1; ; height++) {
    const scope = { nodes, replanned: liftBy(broken, height) }
    const searched = search(repairing, openTasks(waiting, nodes, scope.replanned, after), scope, expansions)
    expansions += searched.expansions
    failure ??= searched.failure
    refused ??= searched.refused
    const is_spent = searched.ended === 'expansions' || searched.ended === 'deadline'
    const [best] = searched.plans
    const at_top = [...scope.replanned].every(({ parent }) => !parent)
    if (best || is_spent || at_top) {
      const { ended } = searched
      const outcome = {
        ...(best && { best: best.candidate }),
        ...(refused && { refused }),
        ...(failure && { failure }),
      }
      return { ...base, ...scope, ...outcome, expansions, ended }
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

function search<Way>(
  { domain, after, limits, expansions_max, is_late, judge }: Repairing<Way>,
  open: TaskNode[],
  scope: RepairScope,
  used: number,
): Found<Way> {
  const { minimize, by_order, most } = limits
  return new Search<Way>({
    domain,
    state: after.state,
    open,
    expansions_max: expansions_max - used,
    is_late,
    forbidden: after.forbidden,
    minimize,
    by_order,
    // Tasks that run already end earlier than their chains say.
    bounds_time: false,
    most,
    plans_max: 1,
    judge: (solution) => judge(solution, scope),
  }).run()
}
