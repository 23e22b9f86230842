// Closed frequent itemsets: Eclat's search, with each set extended at once by all items common to its rows.
import type { Mining, MiningBudget } from './mining-budget.ts'

export interface ItemRow {
  /** Ascending, without duplicates. */
  readonly items: readonly number[]
  /** Number of cases with these items. */
  readonly weight: number
}

export interface Itemset {
  readonly items: readonly number[]
  readonly support: number
  /** Indices of the rows that contain all items. */
  readonly rows: readonly number[]
}

/** Passes each closed set once to `found`, in any order. False if the budget ran out. */
export function* closedItemsets(
  rows: readonly ItemRow[],
  support_min: number,
  budget: MiningBudget,
  onSet: (set: Itemset) => void,
): Mining<boolean> {
  const all = rows.map((_, index) => index)
  if (rows.length === 0 || weightOf(rows, all) < support_min) return true
  const whole = { items: commonItems(rows, all), support: weightOf(rows, all), rows: all }
  const open: { set: Itemset; after: number }[] = [{ set: whole, after: -1 }]
  // Iterative: deeply nested generators are slow to resume.
  for (let next = open.pop(); next; next = open.pop()) {
    onSet(next.set)
    const by_item = rowsByItem(rows, next.set.rows)
    budget.spend(stepsOf(rows, next.set.rows))
    if (budget.isTurnOver()) yield
    for (const [item, holding] of by_item) {
      if (budget.is_spent) return false
      if (item <= next.after || next.set.items.includes(item)) continue
      const support = weightOf(rows, holding)
      if (support < support_min) continue
      budget.spend(stepsOf(rows, holding))
      if (budget.isTurnOver()) yield
      const items = commonItems(rows, holding)
      // Skips sets already reached from an earlier item, so that each closed set is found once.
      if (items.some((other) => other < item && !next.set.items.includes(other))) continue
      open.push({ set: { items, support, rows: holding }, after: item })
    }
  }
  return !budget.is_spent
}

function rowsByItem(rows: readonly ItemRow[], among: readonly number[]): Map<number, number[]> {
  const by_item = new Map<number, number[]>()
  for (const index of among) {
    for (const item of rows[index]!.items) {
      const holding = by_item.get(item)
      if (holding) holding.push(index)
      else by_item.set(item, [index])
    }
  }
  return by_item
}

function commonItems(rows: readonly ItemRow[], among: readonly number[]): readonly number[] {
  let common = rows[among[0]!]!.items
  for (const index of among) {
    const { items } = rows[index]!
    if (items !== common) common = common.filter((item) => items.includes(item))
  }
  return common
}

function weightOf(rows: readonly ItemRow[], among: readonly number[]): number {
  let sum = 0
  for (const index of among) sum += rows[index]!.weight
  return sum
}

function stepsOf(rows: readonly ItemRow[], among: readonly number[]): number {
  return among.length * ((rows[among[0] ?? -1]?.items.length ?? 0) + 1)
}
