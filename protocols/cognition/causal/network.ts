// A published model: variables, causes and conditional probabilities. Invalid models are refused.
import { type RefusalDetails, refuse } from '@svc/contract/refusal'
import { findCycle } from './cycle.ts'
import type { Factor } from './factor.ts'

export const variables_max = 2000
export const states_max = 256
export const parameters_max = 2 ** 24
const row_sum_tolerance = 1e-9

/** As stored, hashed and sent: names, not indexes. */
export interface ModelContent {
  readonly variables: readonly {
    readonly name: string
    readonly states: readonly string[]
    readonly parents: readonly string[]
    /** The table's conditions, if they are not the observed parents. */
    readonly cpt_given?: readonly string[]
    /** One row per combination of the conditions' states, the last varying fastest. */
    readonly cpt?: ArrayLike<number>
    readonly latent?: boolean
  }[]
  readonly bidirected: readonly (readonly [string, string])[]
}

export interface Variable {
  readonly name: string
  readonly states: readonly string[]
  readonly parents: readonly number[]
  /** Not observed: it may be computed with, but nobody can adjust for it. */
  readonly is_latent: boolean
  /** Over its conditions, itself last; absent if nothing is known of a latent variable. */
  readonly table?: Factor
}

export interface Network {
  readonly variables: readonly Variable[]
  readonly cards: readonly number[]
  /** Pairs with a shared unobserved cause. */
  readonly bidirected: readonly (readonly [number, number])[]
  readonly places: ReadonlyMap<string, number>
}

/** Refuses with the fault and its location. */
export function buildNetwork(content: ModelContent): Network {
  const places = placesOf(content)
  const cards = content.variables.map(({ states }) => states.length)
  const parents = content.variables.map(({ parents }, place) =>
    resolve(parents, places, `/variables/${place}/parents`),
  )
  requireAcyclic(parents, content, 'parents')
  requireRoom(content)
  const without_table = new Set(
    content.variables.flatMap(({ cpt, latent }, place) => (latent && !cpt ? [place] : [])),
  )
  const variables = content.variables.map((variable, place): Variable => {
    const { name, states, latent: is_latent = false } = variable
    const own = parents[place]!
    if (!variable.cpt) {
      if (is_latent) return { name, states, is_latent, parents: own }
      throw fault('cpt_shape', `${name} has no cpt; give one, or say latent`, `/variables/${place}`)
    }
    const table_parents = givenOf(variable, place, places, own, without_table)
    return { name, states, is_latent, parents: own, table: tableOf(variable, place, table_parents, cards) }
  })
  requireAcyclic(
    variables.map(({ table }) => table?.scope.slice(0, -1) ?? []),
    content,
    'cpt_given',
  )
  return { variables, cards, places, bidirected: pairsOf(content, places) }
}

/** All tables: their product is the joint distribution of the observable variables. */
export function tablesOf({ variables }: Network): Factor[] {
  return variables.flatMap(({ table }) => table ?? [])
}

/** Nothing is hidden, and each table is causal: every intervention can be computed directly. */
export function isWhole({ variables, bidirected }: Network): boolean {
  const follows = ({ table, parents }: Variable) =>
    table?.scope.slice(0, -1).every((parent) => parents.includes(parent)) ?? false
  return bidirected.length === 0 && variables.every(follows)
}

export function fault(reason: string, message: string, pointer: string, more: RefusalDetails = {}) {
  return refuse('invalid_payload', `The model cannot be used: ${message}.`, {
    reason,
    path: pointer,
    faults: [{ pointer, message }],
    ...more,
  })
}

function placesOf({ variables }: ModelContent): Map<string, number> {
  if (variables.length === 0 || variables.length > variables_max)
    throw fault(
      'too_large',
      `it has ${variables.length} variables, 1 to ${variables_max} may be`,
      '/variables',
    )
  const places = new Map<string, number>()
  for (const [place, { name, states }] of variables.entries()) {
    if (places.has(name)) throw fault('duplicate', `${name} is named twice`, `/variables/${place}/name`)
    places.set(name, place)
    const pointer = `/variables/${place}/states`
    if (new Set(states).size !== states.length) throw fault('duplicate', `${name} has a state twice`, pointer)
    if (states.length < 2 || states.length > states_max)
      throw fault('cpt_shape', `${name} has ${states.length} states, 2 to ${states_max} may be`, pointer)
  }
  return places
}

function resolve(names: readonly string[], places: ReadonlyMap<string, number>, pointer: string): number[] {
  if (new Set(names).size !== names.length) throw fault('duplicate', 'a variable is listed twice', pointer)
  return names.map((name, at) => {
    const place = places.get(name)
    if (place === undefined) throw fault('not_found', `there is no variable ${name}`, `${pointer}/${at}`)
    return place
  })
}

function requireRoom({ variables }: ModelContent): void {
  const parameters = variables.reduce((sum, { cpt }) => sum + (cpt?.length ?? 0), 0)
  if (parameters > parameters_max)
    throw fault('too_large', `it has ${parameters} parameters, ${parameters_max} may be`, '/variables')
}

function givenOf(
  { name, cpt_given }: ModelContent['variables'][number],
  place: number,
  places: ReadonlyMap<string, number>,
  parents: readonly number[],
  without_table: ReadonlySet<number>,
): readonly number[] {
  if (!cpt_given) return parents.filter((parent) => !without_table.has(parent))
  const pointer = `/variables/${place}/cpt_given`
  const table_parents = resolve(cpt_given, places, pointer)
  const wrong = table_parents.find((other) => other === place || without_table.has(other))
  if (wrong === undefined) return table_parents
  throw fault('cpt_shape', `the cpt of ${name} cannot be conditioned on itself or on what is latent`, pointer)
}

function tableOf(
  { name, cpt = [] }: ModelContent['variables'][number],
  place: number,
  table_parents: readonly number[],
  cards: readonly number[],
): Factor {
  const pointer = `/variables/${place}/cpt`
  const states = cards[place]!
  const rows = table_parents.reduce((product, other) => product * cards[other]!, 1)
  if (cpt.length !== rows * states)
    throw fault(
      'cpt_shape',
      `the cpt of ${name} has ${cpt.length} numbers and needs ${rows * states}: ${rows} rows of ${states}` +
        '; a latent variable without a cpt is not counted',
      pointer,
    )
  const values = Float64Array.from(cpt)
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let cell = row * states; cell < (row + 1) * states; cell++) {
      // Also rejects NaN.
      if (!(values[cell]! >= 0 && values[cell]! <= 1))
        throw fault(
          'cpt_sum',
          `the cpt of ${name} holds ${values[cell]}, no probability`,
          `${pointer}/${cell}`,
        )
      sum += values[cell]!
    }
    if (Math.abs(sum - 1) > row_sum_tolerance)
      throw fault('cpt_sum', `row ${row} of the cpt of ${name} sums to ${sum}, not to 1`, pointer, {
        row,
        sum,
      })
  }
  return { scope: [...table_parents, place], values }
}

function requireAcyclic(before: readonly (readonly number[])[], content: ModelContent, field: string): void {
  const cycle = findCycle(before)
  if (!cycle) return
  const names = cycle.map((place) => content.variables[place]!.name)
  throw fault('cycle', `${[...names, names[0]].join(' -> ')} is a cycle`, `/variables/${cycle[0]}/${field}`, {
    cycle: names,
  })
}

function pairsOf({ bidirected }: ModelContent, places: ReadonlyMap<string, number>): [number, number][] {
  const pairs = new Map<string, [number, number]>()
  for (const [at, pair] of bidirected.entries()) {
    const [one, other] = resolve(pair, places, `/bidirected/${at}`) as [number, number]
    const sorted: [number, number] = one < other ? [one, other] : [other, one]
    pairs.set(sorted.join(), sorted)
  }
  return [...pairs.values()].sort(([a, b], [c, d]) => a - c || b - d)
}
