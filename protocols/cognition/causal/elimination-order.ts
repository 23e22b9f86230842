// The elimination order determines the table sizes. Tries three greedy orders and takes the cheapest.

import { cellsOf } from './factor.ts'

export interface EliminationPlan {
  readonly order: readonly number[]
  /** Cells of the largest table of any step. */
  readonly largest: number
  /** Cells of all steps together. */
  readonly total: number
  /** The largest number of neighbours of a variable when it was eliminated. */
  readonly width: number
}

type Weigh = (graph: FillGraph, node: number) => number

const heuristics: readonly Weigh[] = [
  (graph, node) => graph.fill[node]!,
  (graph, node) => graph.weightedFill(node),
  (graph, node) => graph.logCells(node),
]
/** 256 MiB: larger tables would starve other work of memory. */
export const live_cells_max = 2 ** 25
/** Work limit: beyond it a plan is given up, and a width only bounded. */
const steps_max = 400_000_000

/** Undefined if every order tried needs a table larger than this. */
export function planElimination(
  scopes: readonly (readonly number[])[],
  removed: Iterable<number>,
  cards: readonly number[],
  cells_max: number,
): EliminationPlan | undefined {
  const remaining = [...removed]
  let best: EliminationPlan | undefined
  for (const weigh of heuristics) {
    const plan = planGreedily(scopes, remaining, cards, best?.total ?? Infinity, cells_max, weigh)
    const is_better = plan !== undefined && plan.total < (best?.total ?? Infinity)
    if (is_better && peakCells(scopes, plan.order, cards) <= live_cells_max) best = plan
    // A tree, or nearly: no order is much better.
    if (best && best.width <= 1) break
  }
  return best
}

/** Cells of the tables that exist at once, besides the model's own. */
function peakCells(
  scopes: readonly (readonly number[])[],
  order: readonly number[],
  cards: readonly number[],
): number {
  let open = scopes.map((scope) => ({ scope, cells: 0 }))
  let [live, peak] = [0, 0]
  for (const variable of order) {
    const touched = open.filter(({ scope }) => scope.includes(variable))
    const scope = [...new Set(touched.flatMap((one) => one.scope))].filter((other) => other !== variable)
    const cells = cellsOf(scope, cards)
    live += cells
    peak = Math.max(peak, live)
    for (const one of touched) live -= one.cells
    open = open.filter(({ scope: own }) => !own.includes(variable))
    open.push({ scope, cells })
  }
  return peak
}

/** An upper bound on the treewidth: the width of the min-fill order, regardless of table sizes. */
export function boundTreewidth(scopes: readonly (readonly number[])[], cards: readonly number[]): number {
  const all = [...new Set(scopes.flat())]
  return planGreedily(scopes, all, cards, Infinity, Infinity, heuristics[0]!)!.width
}

function planGreedily(
  scopes: readonly (readonly number[])[],
  removed: readonly number[],
  cards: readonly number[],
  total_max: number,
  cells_max: number,
  weigh: Weigh,
): EliminationPlan | undefined {
  const graph = new FillGraph(scopes, cards)
  const open = new Set(removed.map((variable) => graph.nodeOf(variable)).filter((node) => node >= 0))
  const order: number[] = []
  let [largest, total, width] = [1, 0, 0]
  while (open.size > 0) {
    if (graph.steps > steps_max) {
      if (cells_max !== Infinity) return undefined
      return { order, largest, total, width: Math.max(width, graph.left() - 1) }
    }
    const node = lightest(graph, open, weigh)
    const cells = 2 ** graph.logCells(node)
    if (cells > cells_max * (1 + 1e-9)) return undefined
    largest = Math.max(largest, Math.round(cells))
    total += Math.round(cells)
    if (total > total_max) return undefined
    width = Math.max(width, graph.degree(node))
    graph.eliminate(node)
    open.delete(node)
    order.push(graph.variables[node]!)
  }
  return { order, largest, total, width }
}

/** Ties go to the smaller table, then to the first variable: deterministic. */
function lightest(graph: FillGraph, open: ReadonlySet<number>, weigh: Weigh): number {
  let best = -1
  let [weight, cells] = [Infinity, Infinity]
  for (const node of open) {
    const own = weigh(graph, node)
    if (own > weight) continue
    const own_cells = graph.logCells(node)
    const is_better = own < weight || own_cells < cells || (own_cells === cells && node < best)
    if (is_better) [best, weight, cells] = [node, own, own_cells]
  }
  return best
}

/** Which variables share a table, as bit rows, with the number of fill edges of each elimination. */
class FillGraph {
  readonly variables: readonly number[]
  readonly fill: Float64Array
  steps = 0
  readonly #places: ReadonlyMap<number, number>
  readonly #words: number
  readonly #rows: Int32Array[]
  readonly #log_cards: Float64Array
  readonly #log_cells: Float64Array
  readonly #gone: Uint8Array
  /** NaN if it must be recomputed. */
  readonly #weighted: Float64Array

  constructor(scopes: readonly (readonly number[])[], cards: readonly number[]) {
    this.variables = [...new Set(scopes.flat())].sort((a, b) => a - b)
    this.#places = new Map(this.variables.map((variable, place) => [variable, place]))
    const size = this.variables.length
    this.#words = (size + 31) >>> 5
    this.#rows = this.variables.map(() => new Int32Array(this.#words))
    this.#log_cards = Float64Array.from(this.variables, (variable) => Math.log2(cards[variable]!))
    this.#log_cells = Float64Array.from(this.#log_cards)
    this.#gone = new Uint8Array(size)
    this.#weighted = new Float64Array(size).fill(Number.NaN)
    for (const scope of scopes) {
      const nodes = scope.map((variable) => this.#places.get(variable)!)
      for (const [place, node] of nodes.entries())
        for (const other of nodes.slice(place + 1)) this.#connect(node, other)
    }
    this.fill = Float64Array.from(this.variables, (_, node) => this.#countFill(node))
  }

  nodeOf(variable: number): number {
    return this.#places.get(variable) ?? -1
  }
  left(): number {
    return this.#gone.reduce((left, gone) => left + (gone ? 0 : 1), 0)
  }
  /** The binary logarithm of the cells of the table with the variable and its neighbours. */
  logCells(node: number): number {
    return this.#log_cells[node]!
  }
  degree(node: number): number {
    return this.#rows[node]!.reduce((count, word) => count + bitsOf(word), 0)
  }

  /** The fill edges, weighted by the cells of the two variables. */
  weightedFill(node: number): number {
    if (this.fill[node] === 0) return 0
    if (!Number.isNaN(this.#weighted[node])) return this.#weighted[node]!
    const around = this.#neighbours(node)
    let weight = 0
    for (const [place, one] of around.entries())
      for (const other of around.slice(place + 1))
        if (!this.#meets(one, other)) weight += 2 ** (this.#log_cards[one]! + this.#log_cards[other]!)
    this.steps += around.length * around.length
    this.#weighted[node] = weight
    return weight
  }

  eliminate(node: number): void {
    const around = this.#neighbours(node)
    for (const [place, one] of around.entries()) {
      for (const other of around.slice(place + 1)) if (!this.#meets(one, other)) this.#join(one, other)
    }
    this.#gone[node] = 1
    for (const other of around) {
      this.#rows[other]![node >>> 5]! &= ~(1 << (node & 31))
      this.#log_cells[other]! -= this.#log_cards[node]!
    }
    for (const other of around) {
      this.fill[other] = this.#countFill(other)
      this.#weighted[other] = Number.NaN
    }
  }

  /** Common neighbours of a new edge's ends have one gap less. */
  #join(one: number, other: number): void {
    const [row, other_row] = [this.#rows[one]!, this.#rows[other]!]
    for (let word = 0; word < this.#words; word++) {
      for (let bits = row[word]! & other_row[word]!; bits !== 0; bits &= bits - 1) {
        const between = (word << 5) + 31 - Math.clz32(bits & -bits)
        this.fill[between]! -= 1
        this.#weighted[between] = Number.NaN
      }
    }
    this.steps += this.#words
    this.#connect(one, other)
  }

  #connect(one: number, other: number): void {
    if (one === other || this.#meets(one, other)) return
    this.#rows[one]![other >>> 5]! |= 1 << (other & 31)
    this.#rows[other]![one >>> 5]! |= 1 << (one & 31)
    this.#log_cells[one]! += this.#log_cards[other]!
    this.#log_cells[other]! += this.#log_cards[one]!
  }

  #meets(one: number, other: number): boolean {
    return ((this.#rows[one]![other >>> 5]! >>> (other & 31)) & 1) === 1
  }

  #neighbours(node: number): number[] {
    const members: number[] = []
    const row = this.#rows[node]!
    for (let word = 0; word < this.#words; word++) {
      for (let bits = row[word]!; bits !== 0; bits &= bits - 1)
        members.push((word << 5) + 31 - Math.clz32(bits & -bits))
    }
    return members
  }

  #countFill(node: number): number {
    const row = this.#rows[node]!
    const around = this.#neighbours(node)
    let missing = 0
    for (const other of around) {
      const other_row = this.#rows[other]!
      for (let word = 0; word < this.#words; word++) missing += bitsOf(row[word]! & ~other_row[word]!)
    }
    this.steps += around.length * this.#words
    // Each gap is counted from both ends, and every node is missing from its own row.
    return (missing - around.length) / 2
  }
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
