// A plan under construction: which steps touch the facts of which, and when each can be over at the earliest.
// Interleavings that differ only in the order of independent steps are one plan with one sum.
import { fingerprint } from './facts.ts'
import { changedBy, collide, decisionReads, type Footprint, footprintOf, meet } from './footprint.ts'
import { meanOf } from './makespan.ts'
import type { Step } from './solution.ts'
import { ancestry, type Decomposition, idOf, type TaskNode } from './task-network.ts'

export interface Mark {
  readonly node: TaskNode
  readonly footprint: Footprint
  /** Equal for the same step after the same steps that it collides with. */
  readonly sum: number
  /** Never later than in the schedule. */
  readonly finish: number
  readonly previous: Mark | undefined
}

/** The earliest start by what a method read; of decisions in this search only. */
const readiness = new WeakMap<Decomposition, number>()

export function markStep(step: Step, last: Mark | undefined): Mark {
  const { node, operator } = step
  const footprint = footprintOf(step)
  const siblings = precedingSiblings(node)
  const collided: number[] = []
  let start = readyAt(node)
  for (let mark = last; mark; mark = mark.previous) {
    const waits = collide(mark.footprint, footprint)
    if (waits || createsFor(mark.footprint, footprint)) collided.push(mark.sum)
    if (mark.finish > start && (waits || isUnder(mark.node, siblings))) start = mark.finish
  }
  const { duration } = operator?.source ?? {}
  const finish = start + (duration ? meanOf(duration) : 0)
  return { node, footprint, sum: sumOf(String(node.id), collided), finish, previous: last }
}

/** The sum of a decision: equal if the same was chosen after the same changes to what it read. */
export function markDecision(decomposition: Decomposition, last: Mark | undefined): number {
  const { node, method, args } = decomposition
  const reads = decisionReads(decomposition)
  const collided: number[] = []
  let ready = 0
  for (let mark = last; mark; mark = mark.previous) {
    const { footprint } = mark
    const waits = meet(changedBy(footprint), reads)
    if (waits || meet(footprint.makes, reads)) collided.push(mark.sum)
    if (waits) ready = Math.max(ready, mark.finish)
  }
  readiness.set(decomposition, ready)
  return sumOf(`${node.id}|${method.index}|${fingerprint(args)}`, collided)
}

/** No earlier than this can the task start. */
export function earliestStart(node: TaskNode, last: Mark | undefined): number {
  const siblings = precedingSiblings(node)
  let start = readyAt(node)
  for (let mark = last; mark; mark = mark.previous)
    if (mark.finish > start && isUnder(mark.node, siblings)) start = mark.finish
  return start
}

const preceding = new WeakMap<TaskNode, ReadonlySet<TaskNode>>()

/** The tasks that the methods above it put directly before it. */
export function precedingSiblings(node: TaskNode): ReadonlySet<TaskNode> {
  const cached = preceding.get(node)
  if (cached) return cached
  const siblings = new Set<TaskNode>()
  for (const { parent, place } of ancestry(node))
    for (const earlier of parent?.method.after[place] ?? []) {
      const sibling = parent!.children[earlier]
      if (sibling) siblings.add(sibling)
    }
  preceding.set(node, siblings)
  return siblings
}

export function isUnder(node: TaskNode, tops: ReadonlySet<TaskNode>): boolean {
  if (tops.size === 0) return false
  for (const one of ancestry(node)) if (tops.has(one)) return true
  return false
}

function readyAt(node: TaskNode): number {
  let ready = 0
  for (const { parent } of ancestry(node)) if (parent) ready = Math.max(ready, readiness.get(parent) ?? 0)
  return ready
}

/** Who creates a container is visible to those that look into it later. */
function createsFor(earlier: Footprint, later: Footprint): boolean {
  return (
    meet(earlier.makes, [...later.reads, ...changedBy(later)]) ||
    meet(later.makes, [...earlier.reads, ...changedBy(earlier)])
  )
}

function sumOf(what: string, collided: number[]): number {
  return idOf(`${what}|${collided.sort((a, b) => a - b).join()}`)
}
