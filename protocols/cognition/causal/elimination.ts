// Variable elimination: evidence is inserted, and other variables are summed out one by one.

import { type EliminationPlan, planElimination } from './elimination-order.ts'
import { type Factor, multiply, reduceFactor, rescale, type Spend, scopeOf, sumOf, sumOut } from './factor.ts'

/** Larger tables are multiplied only together with their last sum. */
const merged_cells_max = 4096

export interface Posterior {
  /** Undefined if the evidence is impossible. */
  readonly distribution: Float64Array | undefined
  readonly plan: EliminationPlan
}

/** The distribution of one variable given others; undefined if the tables would exceed the limit. */
export function eliminate(
  tables: readonly Factor[],
  target: number,
  evidence: ReadonlyMap<number, number>,
  cards: readonly number[],
  cells_max: number,
  spend: Spend,
): Posterior | undefined {
  const factors = pruneBarren(tables, [target, ...evidence.keys()]).map((table) =>
    putIn(table, evidence, cards),
  )
  const removed = scopeOf(factors).filter((variable) => variable !== target)
  const plan = planElimination(scopesOf(factors), removed, cards, cells_max)
  if (!plan) return undefined
  const left = sumOutAll(factors, plan.order, cards, spend, true)
  const values = multiply(left, evidence.has(target) ? [] : [target], cards, spend).values
  const sum = sumOf(values)
  if (!(sum > 0)) return { distribution: undefined, plan }
  const distribution = evidence.has(target) ? certain(evidence.get(target)!, cards[target]!) : values
  if (!evidence.has(target)) for (let state = 0; state < values.length; state++) distribution[state]! /= sum
  return { distribution, plan }
}

/** Sums variables out of a product of tables, keeping its scale; undefined if it would exceed the limit. */
export function marginalise(
  factors: readonly Factor[],
  removed: readonly number[],
  cards: readonly number[],
  cells_max: number,
  spend: Spend,
): { factors: Factor[]; largest: number } | undefined {
  const plan = planElimination(scopesOf(factors), removed, cards, cells_max)
  return plan && { factors: sumOutAll(factors, plan.order, cards, spend, false), largest: plan.largest }
}

/** Variables irrelevant to the targets sum to one. A table's own variable is its last. */
export function pruneBarren(tables: readonly Factor[], targets: readonly number[]): Factor[] {
  const table_of = new Map(tables.map((table) => [table.scope.at(-1)!, table]))
  const needed = new Set<number>()
  const open = [...targets]
  for (let variable = open.pop(); variable !== undefined; variable = open.pop()) {
    if (needed.has(variable)) continue
    needed.add(variable)
    open.push(...(table_of.get(variable)?.scope ?? []))
  }
  return tables.filter(({ scope }) => needed.has(scope.at(-1)!))
}

function sumOutAll(
  factors: readonly Factor[],
  order: readonly number[],
  cards: readonly number[],
  spend: Spend,
  scales: boolean,
): Factor[] {
  let open = [...factors]
  for (const variable of order) {
    const touched = open.filter(({ scope }) => scope.includes(variable))
    const made = sumOut(scales ? merge(touched, cards, spend) : touched, variable, cards, spend)
    if (scales) rescale(made)
    open = open.filter((factor) => !touched.includes(factor))
    open.push(made)
  }
  return scales ? merge(open, cards, spend) : open
}

/** Merges tables into small ones that cover them, and rescales each, as long products would underflow. */
function merge(factors: readonly Factor[], cards: readonly number[], spend: Spend): Factor[] {
  const by_size = [...factors].sort((a, b) => b.values.length - a.values.length)
  const merged: Factor[] = []
  for (const factor of by_size) {
    const place = merged.findIndex(
      ({ scope, values }) =>
        values.length <= merged_cells_max && factor.scope.every((variable) => scope.includes(variable)),
    )
    if (place < 0) {
      merged.push(factor)
      continue
    }
    const product = multiply([merged[place]!, factor], merged[place]!.scope, cards, spend)
    rescale(product)
    merged[place] = product
  }
  return merged
}

/** Always a copy: tables belong to the model, and results are rescaled in place. */
function putIn(table: Factor, evidence: ReadonlyMap<number, number>, cards: readonly number[]): Factor {
  const reduced = reduceFactor(table, evidence, cards)
  if (reduced === table) return table
  rescale(reduced)
  return reduced
}

function scopesOf(factors: readonly Factor[]): (readonly number[])[] {
  return factors.map(({ scope }) => scope)
}

function certain(state: number, states: number): Float64Array {
  const distribution = new Float64Array(states)
  distribution[state] = 1
  return distribution
}
