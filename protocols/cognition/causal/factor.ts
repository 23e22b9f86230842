// Tables over discrete variables: multiply and sum out. Row-major, the last variable fastest.

/** Throughout, `cards[variable]` is the number of states of a variable. */
export interface Factor {
  readonly scope: readonly number[]
  readonly values: Float64Array
}

/** Reports the progress of a long computation; throws to end it. */
export type Spend = (cells: number) => void

/** Below this, products may have underflowed: the table is recomputed in logarithms. */
const vanishing = 1e-150
const cells_between_reports = 65_536

export function cellsOf(scope: Iterable<number>, cards: readonly number[]): number {
  let cells = 1
  for (const variable of scope) cells *= cards[variable]!
  return cells
}

/** The rest of a table with some variables fixed. */
export function reduceFactor(
  factor: Factor,
  evidence: ReadonlyMap<number, number>,
  cards: readonly number[],
): Factor {
  if (!factor.scope.some((variable) => evidence.has(variable))) return factor
  const scope = factor.scope.filter((variable) => !evidence.has(variable))
  const strides = stridesOf(factor.scope, cards)
  let base = 0
  for (const [place, variable] of factor.scope.entries())
    base += (evidence.get(variable) ?? 0) * strides[place]!
  const scope_strides = scope.map((variable) => strides[factor.scope.indexOf(variable)]!)
  const values = new Float64Array(cellsOf(scope, cards))
  const counters = new Int32Array(scope.length)
  for (let cell = 0, at = base; cell < values.length; cell++) {
    values[cell] = factor.values[at]!
    for (let place = scope.length - 1; place >= 0; place--) {
      at += scope_strides[place]!
      if (++counters[place]! < cards[scope[place]!]!) break
      at -= scope_strides[place]! * counters[place]!
      counters[place] = 0
    }
  }
  return { scope, values }
}

/** The product of tables with one variable summed out. */
export function sumOut(
  factors: readonly Factor[],
  variable: number,
  cards: readonly number[],
  spend: Spend,
): Factor {
  const scope = scopeOf(factors).filter((other) => other !== variable)
  return { scope, values: combine(factors, [...scope, variable], true, cards, spend) }
}

/** The product of tables in the layout of the scope, which must include all their variables. */
export function multiply(
  factors: readonly Factor[],
  scope: readonly number[],
  cards: readonly number[],
  spend: Spend,
): Factor {
  return { scope, values: combine(factors, scope, false, cards, spend) }
}

/** Divides by the maximum, to avoid underflow; returns its logarithm. */
export function rescale(factor: Factor): number {
  let greatest = 0
  for (const value of factor.values) if (value > greatest) greatest = value
  if (greatest === 0 || greatest === 1) return 0
  for (let cell = 0; cell < factor.values.length; cell++) factor.values[cell]! /= greatest
  return Math.log(greatest)
}

export function sumOf(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** Ascending, so that the same tables always give the same layout. */
export function scopeOf(factors: readonly Factor[]): number[] {
  return [...new Set(factors.flatMap(({ scope }) => scope))].sort((a, b) => a - b)
}

function combine(
  factors: readonly Factor[],
  scope: readonly number[],
  sums_last: boolean,
  cards: readonly number[],
  spend: Spend,
): Float64Array {
  const inner = sums_last ? cards[scope.at(-1)!]! : 1
  const plan = layOut(factors, sums_last ? scope : [...scope, -1], cards)
  const values = fill(plan, inner, false, spend)
  let greatest = 0
  for (const value of values) if (value > greatest) greatest = value
  if (greatest >= vanishing || factors.some(({ values }) => values.every((value) => value === 0)))
    return values
  const logs = factors.map(({ scope, values }) => ({ scope, values: values.map((value) => Math.log(value)) }))
  return fill(layOut(logs, sums_last ? scope : [...scope, -1], cards), inner, true, spend)
}

interface Layout {
  readonly tables: readonly Float64Array[]
  /** Strides of every table per variable of the outer scope, and in the innermost one. */
  readonly steps: readonly Int32Array[]
  readonly inner_steps: Int32Array
  readonly sizes: readonly number[]
}

/** The last variable of the scope is the innermost loop; -1 for none. */
function layOut(factors: readonly Factor[], scope: readonly number[], cards: readonly number[]): Layout {
  const strides = factors.map((factor) => {
    const own = stridesOf(factor.scope, cards)
    return scope.map((variable) => own[factor.scope.indexOf(variable)] ?? 0)
  })
  return {
    tables: factors.map(({ values }) => values),
    steps: scope.slice(0, -1).map((_, place) => Int32Array.from(strides, (own) => own[place]!)),
    inner_steps: Int32Array.from(strides, (own) => own.at(-1)!),
    sizes: scope.slice(0, -1).map((variable) => cards[variable]!),
  }
}

function fill({ tables, steps, inner_steps, sizes }: Layout, inner: number, in_logs: boolean, spend: Spend) {
  const outer = sizes.reduce((cells, size) => cells * size, 1)
  const values = new Float64Array(outer)
  const offsets = new Int32Array(tables.length)
  const counters = new Int32Array(sizes.length)
  const cellAt = in_logs ? logCell : tables.length === 2 ? pairCell : productCell
  const report_every = Math.max(1, Math.floor(cells_between_reports / inner))
  for (let cell = 0; cell < outer; cell++) {
    if (cell % report_every === 0) spend(report_every * inner)
    values[cell] = cellAt(tables, offsets, inner_steps, inner)
    for (let place = sizes.length - 1; place >= 0; place--) {
      const step = steps[place]!
      if (++counters[place]! < sizes[place]!) {
        for (let table = 0; table < step.length; table++) offsets[table]! += step[table]!
        break
      }
      const back = sizes[place]! - 1
      for (let table = 0; table < step.length; table++) offsets[table]! -= step[table]! * back
      counters[place] = 0
    }
  }
  return in_logs ? outOfLogs(values) : values
}

type Cell = (
  tables: readonly Float64Array[],
  offsets: Int32Array,
  inner_steps: Int32Array,
  inner: number,
) => number

const productCell: Cell = (tables, offsets, inner_steps, inner) => {
  let sum = 0
  for (let state = 0; state < inner; state++) {
    let product = 1
    for (let table = 0; table < tables.length; table++)
      product *= tables[table]![offsets[table]! + state * inner_steps[table]!]!
    sum += product
  }
  return sum
}

/** Most products are of two tables. */
const pairCell: Cell = (tables, offsets, inner_steps, inner) => {
  const [one, other] = tables as [Float64Array, Float64Array]
  const [step, other_step] = [inner_steps[0]!, inner_steps[1]!]
  let sum = 0
  for (let state = 0, a = offsets[0]!, b = offsets[1]!; state < inner; state++, a += step, b += other_step)
    sum += one[a]! * other[b]!
  return sum
}

const logCell: Cell = (tables, offsets, inner_steps, inner) => {
  let greatest = -Infinity
  const logs: number[] = []
  for (let state = 0; state < inner; state++) {
    let log = 0
    for (let table = 0; table < tables.length; table++)
      log += tables[table]![offsets[table]! + state * inner_steps[table]!]!
    logs.push(log)
    if (log > greatest) greatest = log
  }
  if (greatest === -Infinity) return greatest
  return greatest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - greatest), 0))
}

/** Scales the maximum to 1: only proportions matter for such small numbers. */
function outOfLogs(logs: Float64Array): Float64Array {
  let greatest = -Infinity
  for (const log of logs) if (log > greatest) greatest = log
  return greatest === -Infinity ? new Float64Array(logs.length) : logs.map((log) => Math.exp(log - greatest))
}

function stridesOf(scope: readonly number[], cards: readonly number[]): number[] {
  const strides = new Array<number>(scope.length)
  let stride = 1
  for (let place = scope.length - 1; place >= 0; place--) {
    strides[place] = stride
    stride *= cards[scope[place]!]!
  }
  return strides
}
