// Tasks in their decomposition tree. The order between tasks follows from the methods above them.
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Method } from './domain.ts'
import { type Facts, fingerprint } from './facts.ts'

export interface TaskNode {
  /** Equal for the same task at the same place of the same decomposition, however it was reached. */
  readonly id: number
  readonly task: string
  readonly args: Facts
  readonly depth: number
  readonly parent: Decomposition | undefined
  /** Its index among the subtasks of its parent's method. */
  readonly place: number
  /** From an earlier version of the plan: stays as it is, and is retried even if it is forbidden. */
  readonly task_id?: string
}

/** A task with the method chosen for it. */
export interface Decomposition {
  readonly node: TaskNode
  readonly method: Method
  /** The arguments, including the method's choices. */
  readonly args: Facts
  /** Steps before it was decided, on which it depends. In an earlier version: all before its own first. */
  at: number
  /** The state it was decided in: the same task in the same state below itself would never end. */
  readonly state_key: string
  children: readonly TaskNode[]
}

const id_digits = 12

export function rootNode(task: string, args: Facts): TaskNode {
  return { id: idOf(`${task}|${fingerprint(args)}`), task, args, depth: 0, parent: undefined, place: 0 }
}

export function childNode(parent: Decomposition, place: number, args: Facts): TaskNode {
  const { node, method } = parent
  const { task } = method.subtasks[place]!
  const id = idOf(`${node.id}|${method.index}|${fingerprint(parent.args)}|${place}|${fingerprint(args)}`)
  return { id, task, args, depth: node.depth + 1, parent, place }
}

export function idOf(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, id_digits), 16)
}

/** Tasks that can be done next: no open task must come before them. */
export function readyOf(open: readonly TaskNode[]): TaskNode[] {
  const unfinished = new Set<TaskNode>()
  for (const node of open) for (const one of ancestry(node)) unfinished.add(one)
  return open.filter((node) => {
    for (const { parent, place } of ancestry(node)) {
      const before = parent?.method.after[place] ?? []
      if (before.some((earlier) => unfinished.has(parent!.children[earlier]!))) return false
    }
    return true
  })
}

/** Whether the methods' orders put one before the other. */
export function isOrderedBefore(first: TaskNode, second: TaskNode): boolean {
  const above = new Map<Decomposition, number>()
  for (const { parent, place } of ancestry(first)) if (parent) above.set(parent, place)
  for (const { parent, place } of ancestry(second)) {
    const other = parent && above.get(parent)
    if (other !== undefined) return comesBefore(parent!.method, other, place)
  }
  return false
}

function comesBefore({ after }: Method, first: number, second: number): boolean {
  const waiting = [second]
  const visited = new Set(waiting)
  for (const place of waiting) {
    for (const earlier of after[place]!) {
      if (earlier === first) return true
      if (!visited.has(earlier)) waiting.push(earlier)
      visited.add(earlier)
    }
  }
  return false
}

/** The task, its parent, and so on up to the goal. */
export function* ancestry(node: TaskNode): Generator<TaskNode> {
  for (let one: TaskNode | undefined = node; one; one = one.parent?.node) yield one
}
