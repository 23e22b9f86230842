// What makes one plan better than another: its objective, then time, cost and steps, each as small as possible.

export interface Measures {
  /** Expected time, in milliseconds. */
  readonly makespan: number
  /** US dollars. */
  readonly cost: number
  /** Tasks of the plan. */
  readonly steps: number
}

export type Measure = keyof Measures
/** One measure, or weights that are multiplied with the measures and added up. */
export type Minimize = Measure | { readonly [name in Measure]?: number }

export const minimize_default: Minimize = 'makespan'

const no_measures: Measures = { makespan: 0, cost: 0, steps: 0 }
const cost_scale = 1e6
/** Sums of weighted measures are compared without the noise of floating point. */
const value_digits = 12

export function objectiveValue(minimize: Minimize, measures: Measures): number {
  if (typeof minimize === 'string') return measures[minimize]
  const { makespan, cost, steps } = { ...no_measures, ...minimize }
  const value = makespan * measures.makespan + cost * measures.cost + steps * measures.steps
  return Number(value.toPrecision(value_digits))
}

export function dependsOnTime(minimize: Minimize): boolean {
  return typeof minimize === 'string' ? minimize === 'makespan' : (minimize.makespan ?? 0) > 0
}

/** Compared from first to last. A plan that is no worse anywhere and better somewhere always ranks before. */
export type Rank = readonly [value: number, makespan: number, cost: number, steps: number]

/** Of lower bounds, it is a lower bound itself. */
export function rankOf(minimize: Minimize, measures: Measures): Rank {
  const { makespan, cost, steps } = measures
  return [objectiveValue(minimize, measures), makespan, cost, steps]
}

export function compareRanks(one: Rank, other: Rank): number {
  for (const [place, value] of one.entries())
    if (value !== other[place]) return value < other[place]! ? -1 : 1
  return 0
}

/** Sums of costs are compared without the noise of floating point. */
export function roundCost(cost: number): number {
  return Number.isFinite(cost) ? Math.round(cost * cost_scale) / cost_scale : cost
}
