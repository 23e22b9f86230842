// Finds recurring patterns in the cases of a chain. Whole numbers only, independent of record order.

import { closedItemsets, type ItemRow } from './itemset.ts'
import { BestPatterns, type MiningBounds } from './mining-best.ts'
import type { Mining, MiningBudget } from './mining-budget.ts'
import { type Features, featureNames, type Pattern, type Seen } from './pattern.ts'

export type Case = Seen & { readonly features: Features }

export function isCaseSeen(event: Seen): event is Case {
  return event.features !== undefined
}

/** In basis points. */
export function inBps(part: number, whole: number): number {
  return Math.floor((part * 10_000) / whole)
}

export function liftInBps(part: number, whole: number, ended_so: number, all: number): number {
  return Number((BigInt(part) * BigInt(all) * 10_000n) / (BigInt(whole) * BigInt(ended_so)))
}

const cases_in_a_turn = 4_000

interface Row extends ItemRow {
  readonly outcome: Pattern['outcome']
  readonly cases: Case[]
}

/** Cases with the same features and outcome. Undefined if there were too many to search. */
export function* mineDecisions(
  cases: readonly Case[],
  bounds: MiningBounds,
  budget: MiningBudget,
): Mining<BestPatterns | undefined> {
  const names = new ItemNames()
  const rows = yield* rowsOf(cases, names)
  const best = new BestPatterns(bounds)
  const holders = holdersOf(rows)
  for (const outcome of ['success', 'refused', 'error'] as const) {
    const ended_so = withoutRareItems(
      rows.filter((row) => row.outcome === outcome),
      bounds.recurrences_min,
    )
    const all_so = ended_so.reduce((sum, { weight }) => sum + weight, 0)
    const whole = yield* closedItemsets(ended_so, bounds.recurrences_min, budget, (set) => {
      const looks = set.items.filter((item) => !names.isReason(item))
      if (looks.length === 0) return
      const alike = rowsHolding(looks, holders, budget)
      const alike_count = alike.reduce((sum, { weight }) => sum + weight, 0)
      best.offer({
        pattern: { kind: 'decision', features: names.featuresOf(set.items), outcome },
        recurrences: set.support,
        consistency_bps: inBps(set.support, alike_count),
        lift: liftInBps(set.support, alike_count, all_so, cases.length),
        examples() {
          const holding_rows = new Set(set.rows.flatMap((index) => ended_so[index]!.of))
          return {
            held: [...holding_rows].flatMap((row) => row.cases),
            broken: alike.filter((row) => !holding_rows.has(row)).flatMap((row) => row.cases),
          }
        },
      })
    })
    if (!whole) return undefined
  }
  return best
}

/** Maps features to numbers and back. */
class ItemNames {
  readonly #numbers = new Map<string, number>()
  readonly #features: { name: keyof Features; value: unknown }[] = []

  itemsOf(features: Features): number[] {
    return featureNames(features)
      .map((name) => this.#numberOf(name, features[name]))
      .sort((a, b) => a - b)
  }

  isReason(item: number): boolean {
    return this.#features[item]!.name === 'reason'
  }

  featuresOf(items: readonly number[]): Features {
    return Object.fromEntries(items.map((item) => [this.#features[item]!.name, this.#features[item]!.value]))
  }

  #numberOf(name: keyof Features, value: unknown): number {
    const key = `${name}=${value}`
    const number = this.#numbers.get(key)
    if (number !== undefined) return number
    this.#numbers.set(key, this.#features.length)
    return this.#features.push({ name, value }) - 1
  }
}

/** Cases with equal features and outcome are one row. */
function* rowsOf(cases: readonly Case[], names: ItemNames): Mining<Row[]> {
  const rows = new Map<string, Row & { weight: number }>()
  for (const [place, one] of cases.entries()) {
    if (place % cases_in_a_turn === cases_in_a_turn - 1) yield
    const items = names.itemsOf(one.features)
    const { outcome } = one.step
    const key = `${outcome} ${items.join(' ')}`
    const row = rows.get(key)
    if (!row) rows.set(key, { items, outcome, weight: 1, cases: [one] })
    else {
      row.cases.push(one)
      row.weight++
    }
  }
  return [...rows.values()]
}

/** No frequent set contains a rare item, and without them many rows become equal. */
function withoutRareItems(rows: readonly Row[], support_min: number): (ItemRow & { of: Row[] })[] {
  const weights = new Map<number, number>()
  for (const { items, weight } of rows)
    for (const item of items) weights.set(item, (weights.get(item) ?? 0) + weight)
  const merged = new Map<string, ItemRow & { weight: number; of: Row[] }>()
  for (const row of rows) {
    const items = row.items.filter((item) => weights.get(item)! >= support_min)
    const merged_row = merged.get(items.join(' '))
    if (!merged_row) merged.set(items.join(' '), { items, weight: row.weight, of: [row] })
    else {
      merged_row.of.push(row)
      merged_row.weight += row.weight
    }
  }
  return [...merged.values()]
}

function holdersOf(rows: readonly Row[]): Map<number, Row[]> {
  const holders = new Map<number, Row[]>()
  for (const row of rows) {
    for (const item of row.items) {
      const holding = holders.get(item)
      if (holding) holding.push(row)
      else holders.set(item, [row])
    }
  }
  return holders
}

/** Whatever their outcome; searched among the rows with the rarest item. */
function rowsHolding(
  items: readonly number[],
  holders: ReadonlyMap<number, readonly Row[]>,
  budget: MiningBudget,
): Row[] {
  let rarest = holders.get(items[0]!)!
  for (const item of items) {
    const holding = holders.get(item)!
    if (holding.length < rarest.length) rarest = holding
  }
  budget.spend(rarest.length * items.length)
  return rarest.filter((row) => items.every((item) => row.items.includes(item)))
}
