// Counterfactuals by a twin network: the observed and the intervened world share their exogenous variables.
import type { Factor } from './factor.ts'
import { type CausalGraph, descendantsOf } from './graph.ts'
import type { Network } from './network.ts'

const certain_within = 1e-12

export interface TwinNetwork {
  readonly tables: readonly Factor[]
  readonly cards: readonly number[]
  /** The counterpart of this variable in the intervened world. */
  otherOf(variable: number): number
}

/** A variable not determined by its causes; undefined if all are, so that counterfactuals are defined. */
export function findChance({ variables }: Network): string | undefined {
  return variables.find(
    ({ parents, table }) =>
      !table ||
      (parents.length > 0 && !table.values.every((value) => Math.min(value, 1 - value) <= certain_within)),
  )?.name
}

/** Only descendants of an intervention are duplicated; the rest is shared by both worlds. */
export function twinOf(network: Network, graph: CausalGraph, done: Iterable<number>): TwinNetwork {
  const { variables, cards } = network
  const copied = [...descendantsOf(graph, done)].sort((a, b) => a - b)
  const copies = new Map(copied.map((variable, place) => [variable, variables.length + place]))
  const otherOf = (variable: number) => copies.get(variable) ?? variable
  const here = variables.map(({ table }) => table!)
  const there = copied.map((variable): Factor => {
    const { scope, values } = here[variable]!
    return { scope: scope.map(otherOf), values }
  })
  return { tables: [...here, ...there], cards: [...cards, ...copied.map((one) => cards[one]!)], otherOf }
}
