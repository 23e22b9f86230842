// All ways to satisfy a rule's conditions from the rows; ordered so that each step binds the most.
import type { Meter } from './budget.ts'
import { compareConstants } from './clause.ts'
import type { Step } from './program.ts'
import type { Relation, Row } from './relation.ts'

/** The rows a condition is matched with; only those between the two positions. */
export interface Reading {
  readonly relation: Relation
  readonly low: number
  readonly high: number
}

export const unbound = -1

/** Indexes of the conditions in evaluation order, starting with `first` if given. */
export function planSteps(body: readonly Step[], bound: Iterable<number>, first?: number): number[] {
  const bound_slots = new Set(bound)
  const left = new Set(body.keys())
  const order: number[] = []
  const take = (place: number) => {
    order.push(place)
    left.delete(place)
    for (const arg of body[place]!.args) if (arg < 0) bound_slots.add(arg)
  }
  if (first !== undefined) take(first)
  while (left.size > 0) {
    let best = -1
    let best_score = Number.NEGATIVE_INFINITY
    for (const place of left) {
      const score = scoreOf(body[place]!, bound_slots)
      if (score > best_score) [best, best_score] = [place, score]
    }
    take(best)
  }
  return order
}

/** Tests as early as possible; of matches, the one with the most bound and the fewest free arguments. */
function scoreOf({ kind, args }: Step, bound_slots: ReadonlySet<number>): number {
  const open = args.filter((arg) => arg < 0 && !bound_slots.has(arg)).length
  if (open === 0) return 1_000_000
  return kind === 'match' ? (args.length - open) * 10 - open : -1_000_000
}

export interface Join {
  readonly body: readonly Step[]
  readonly order: readonly number[]
  /** By index in the body; none for comparisons. */
  readonly readings: readonly (Reading | undefined)[]
  readonly constants: readonly string[]
  readonly meter: Meter
}

/** Calls `found` for each solution, with `binding` filled; stops and returns true as soon as it does. */
export function joinSteps(
  join: Join,
  binding: number[],
  onMatch: () => boolean | undefined,
  at = 0,
): boolean {
  if (at === join.order.length) return onMatch() === true
  const place = join.order[at]!
  const step = join.body[place]!
  const reading = join.readings[place]
  join.meter.look()
  if (step.kind === 'compare') {
    const [left, right] = step.args.map((arg) => join.constants[slotValue(arg, binding)]!)
    if (compareConstants(step.operator, left!, right!) !== true) return false
    return joinSteps(join, binding, onMatch, at + 1)
  }
  const open = step.args.some((arg) => arg < 0 && binding[-arg - 1] === unbound)
  if (!open) {
    const row = step.args.map((arg) => slotValue(arg, binding))
    const spot = reading!.relation.placeOf(row)
    const there = spot >= 0 && spot >= reading!.low && spot < reading!.high
    if (there === (step.kind === 'naf')) return false
    return joinSteps(join, binding, onMatch, at + 1)
  }
  return matchRows(join, step, reading!, binding, onMatch, at)
}

function matchRows(
  join: Join,
  step: Step,
  { relation, low, high }: Reading,
  binding: number[],
  onMatch: () => boolean | undefined,
  at: number,
): boolean {
  const places = shortestList(step, relation, binding)
  const end = places ? places.length : Math.min(high, relation.rows.length)
  for (let next = places ? firstFrom(places, low) : low; next < end; next += 1) {
    const spot = places ? places[next]! : next
    if (spot >= high) break
    join.meter.look()
    const taken = bindRow(step.args, relation.rows[spot]!, binding)
    if (taken === undefined) continue
    const stop = joinSteps(join, binding, onMatch, at + 1)
    for (const slot of taken) binding[slot] = unbound
    if (stop) return true
  }
  return false
}

function shortestList(step: Step, relation: Relation, binding: readonly number[]) {
  let shortest: readonly number[] | undefined
  for (const [position, arg] of step.args.entries()) {
    const value = arg >= 0 ? arg : binding[-arg - 1]!
    if (value === unbound) continue
    const places = relation.matching(position, value)
    if (!shortest || places.length < shortest.length) shortest = places
  }
  return shortest
}

function firstFrom(places: readonly number[], low: number): number {
  let [from, to] = [0, places.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (places[middle]! < low) from = middle + 1
    else to = middle
  }
  return from
}

/** The slots filled by this row; undefined, with nothing filled, if it does not match. */
export function bindRow(args: readonly number[], row: Row, binding: number[]): number[] | undefined {
  const taken: number[] = []
  for (const [position, arg] of args.entries()) {
    const value = row[position]!
    const bound = arg >= 0 ? arg : binding[-arg - 1]!
    if (bound === value) continue
    if (bound !== unbound) {
      for (const slot of taken) binding[slot] = unbound
      return undefined
    }
    binding[-arg - 1] = value
    taken.push(-arg - 1)
  }
  return taken
}

export function slotValue(arg: number, binding: readonly number[]): number {
  return arg >= 0 ? arg : binding[-arg - 1]!
}
