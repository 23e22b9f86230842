// Parses the Bayesian Interchange Format (0.15) in one pass: network, variable and probability blocks.
import { BifTokens } from './bif-tokens.ts'
import { fault, type ModelContent, parameters_max, states_max, variables_max } from './network.ts'

/** Rows of published networks are rounded: up to this error they are renormalized. */
const rounding_max = 1e-2
const rounding_told = 1e-9

interface Block {
  readonly name: string
  readonly parents: readonly string[]
  readonly line: number
  readonly table?: readonly number[]
  readonly rows: readonly { readonly states: readonly string[]; readonly values: readonly number[] }[]
  readonly otherwise?: readonly number[]
}

export interface ReadModel {
  readonly content: ModelContent
  readonly warnings: readonly string[]
}

export function readBif(source: string): ReadModel {
  const tokens = new BifTokens(source)
  const variables = new Map<string, readonly string[]>()
  const blocks = new Map<string, Block>()
  while (!tokens.isAtEnd()) {
    const word = tokens.word()
    if (word === 'network') skipNetwork(tokens)
    else if (word === 'variable') readVariable(tokens, variables)
    else if (word === 'probability') {
      const block = readProbability(tokens)
      if (blocks.has(block.name)) throw tokens.fault(`the probability of ${block.name} is given twice`)
      blocks.set(block.name, block)
    } else throw tokens.fault(`${word} begins no block; network, variable or probability does`)
  }
  return assemble(variables, blocks)
}

function skipNetwork(tokens: BifTokens): void {
  if (!tokens.is('{')) tokens.word()
  tokens.take('{')
  while (!tokens.is('}')) tokens.skipStatement()
  tokens.take('}')
}

function readVariable(tokens: BifTokens, variables: Map<string, readonly string[]>): void {
  const name = tokens.word()
  if (variables.has(name)) throw tokens.fault(`the variable ${name} is there twice`)
  if (variables.size >= variables_max) throw tokens.fault(`more than ${variables_max} variables are too many`)
  tokens.take('{')
  let states: readonly string[] | undefined
  while (!tokens.is('}')) {
    if (!tokens.isWord('type')) {
      tokens.skipStatement()
      continue
    }
    tokens.word()
    const kind = tokens.word()
    if (kind !== 'discrete')
      throw tokens.fault(`the variable ${name} is ${kind}; only discrete ones can be read`)
    tokens.take('[')
    const count = Number(tokens.word())
    tokens.take(']')
    tokens.take('{')
    states = tokens.list('}', states_max)
    tokens.take('}')
    tokens.take(';')
    // The limit of a table is on all its numbers, which would be none for any number of rows.
    if (count === 0) throw tokens.fault(`the variable ${name} has no states`)
    if (states.length !== count) throw tokens.fault(`${name} has ${states.length} states and says ${count}`)
  }
  tokens.take('}')
  if (!states) throw tokens.fault(`the variable ${name} has no type`)
  variables.set(name, states)
}

function readProbability(tokens: BifTokens): Block {
  const { line } = tokens
  tokens.take('(')
  const name = tokens.word()
  // Old writers omit the bar between a variable and its parents.
  if (tokens.is('|')) tokens.take('|')
  else if (tokens.is(',')) tokens.take(',')
  const parents = tokens.list(')', variables_max)
  const twice = parents.find((parent, place) => parents.indexOf(parent) < place)
  if (twice !== undefined) throw tokens.fault(`${name} names its parent ${twice} twice`)
  tokens.take(')')
  tokens.take('{')
  let table: number[] | undefined
  let otherwise: number[] | undefined
  const rows: { states: readonly string[]; values: number[] }[] = []
  while (!tokens.is('}')) {
    if (tokens.is('(')) {
      tokens.take('(')
      const states = tokens.list(')', variables_max)
      tokens.take(')')
      rows.push({ states, values: tokens.numbers(states_max) })
    } else if (tokens.isWord('table')) {
      tokens.word()
      table = tokens.numbers(parameters_max)
    } else if (tokens.isWord('default')) {
      tokens.word()
      otherwise = tokens.numbers(states_max)
    } else tokens.skipStatement()
  }
  tokens.take('}')
  return { name, parents, line, rows, ...(table ? { table } : {}), ...(otherwise ? { otherwise } : {}) }
}

function assemble(
  variables: ReadonlyMap<string, readonly string[]>,
  blocks: ReadonlyMap<string, Block>,
): ReadModel {
  const rounding = { rows: 0, greatest: 0 }
  const stray = [...blocks.keys()].find((name) => !variables.has(name))
  if (stray !== undefined)
    throw fault('not_found', `a probability is given for ${stray}, no variable`, '/source')
  let parameters = 0
  const made = [...variables].map(([name, states]) => {
    const block = blocks.get(name)
    if (!block) throw fault('cpt_shape', `there is no probability of ${name}`, '/source')
    const cpt = cptOf(block, states, variables, parameters_max - parameters)
    parameters += cpt.length
    normalise(cpt, states.length, block, rounding)
    return { name, states, parents: block.parents, cpt }
  })
  const warnings =
    rounding.rows === 0
      ? []
      : [
          `${rounding.rows} rows did not sum to 1 and were normalised; the largest deviation was ` +
            `${rounding.greatest.toExponential(1)}.`,
        ]
  return { content: { variables: made, bidirected: [] }, warnings }
}

function cptOf(
  block: Block,
  states: readonly string[],
  variables: ReadonlyMap<string, readonly string[]>,
  numbers_max: number,
): Float64Array {
  const parent_states = block.parents.map((parent) => {
    const own = variables.get(parent)
    if (own) return new Map(own.map((state, place) => [state, place]))
    throw at(block, 'not_found', `depends on ${parent}, which is no variable`)
  })
  const rows = parent_states.reduce((product, places) => product * places.size, 1)
  // Before any is made: a short text may claim tables that fill the memory.
  if (rows * states.length > numbers_max)
    throw at(
      block,
      'too_large',
      `has ${rows * states.length} numbers, and all together may have ${parameters_max}`,
    )
  if (block.table) return fromTable(block, block.table, rows, states.length)
  const cpt = new Float64Array(rows * states.length)
  const filled = new Uint8Array(rows)
  if (block.otherwise) {
    requireRow(block, block.otherwise, states.length)
    for (let row = 0; row < rows; row++) cpt.set(block.otherwise, row * states.length)
  }
  for (const { states: where, values } of block.rows) {
    if (where.length !== parent_states.length)
      throw at(block, 'cpt_shape', `has a row for (${where.join(', ')})`)
    requireRow(block, values, states.length)
    let row = 0
    for (const [place, places] of parent_states.entries()) {
      const state = places.get(where[place]!)
      if (state === undefined)
        throw at(block, 'not_found', `has a row for ${where[place]}, no state of ${block.parents[place]}`)
      row = row * places.size + state
    }
    if (filled[row]) throw at(block, 'duplicate', `has the row (${where.join(', ')}) twice`)
    filled[row] = 1
    cpt.set(values, row * states.length)
  }
  if (!block.otherwise && filled.includes(0)) throw at(block, 'cpt_shape', 'does not say all its rows')
  return cpt
}

/** A table varies the variable's own states slowest; with some writers fastest, which the sums reveal. */
function fromTable(block: Block, table: readonly number[], rows: number, states: number): Float64Array {
  if (table.length !== rows * states)
    throw at(block, 'cpt_shape', `has ${table.length} numbers and needs ${rows * states}`)
  const slowest = Float64Array.from(
    table,
    (_, cell) => table[(cell % states) * rows + Math.floor(cell / states)]!,
  )
  if (rows === 1 || sumsToOne(slowest, states)) return slowest
  const fastest = Float64Array.from(table)
  return sumsToOne(fastest, states) ? fastest : slowest
}

function sumsToOne(cpt: Float64Array, states: number): boolean {
  for (let row = 0; row < cpt.length; row += states)
    if (Math.abs(rowSum(cpt, row, states) - 1) > rounding_max) return false
  return true
}

function normalise(
  cpt: Float64Array,
  states: number,
  block: Block,
  rounding: { rows: number; greatest: number },
): void {
  for (let row = 0; row < cpt.length; row += states) {
    const sum = rowSum(cpt, row, states)
    const off = Math.abs(sum - 1)
    if (!(off <= rounding_max)) throw at(block, 'cpt_sum', `has a row that sums to ${sum}, not to 1`)
    if (off <= rounding_told) continue
    rounding.rows++
    rounding.greatest = Math.max(rounding.greatest, off)
    for (let cell = row; cell < row + states; cell++) cpt[cell]! /= sum
  }
}

function rowSum(cpt: Float64Array, row: number, states: number): number {
  let sum = 0
  for (let cell = row; cell < row + states; cell++) sum += cpt[cell]!
  return sum
}

function requireRow(block: Block, values: readonly number[], states: number): void {
  if (values.length !== states)
    throw at(block, 'cpt_shape', `has a row of ${values.length} numbers for ${states} states`)
}

function at({ name, line }: Block, reason: string, message: string) {
  return fault(reason, `the probability of ${name} (line ${line}) ${message}`, '/source', { line })
}
