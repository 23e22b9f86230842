// What would have been: two worlds that share what nobody decides, one as it was seen, one in which something was done.
import type { Factor } from './factor.ts'
import { type CausalGraph, descendantsOf } from './graph.ts'
import type { Network } from './network.ts'

const certain_within = 1e-12

export interface TwinNetwork {
  readonly tables: readonly Factor[]
  readonly cards: readonly number[]
  /** The variable that stands for this one in the world in which something was done. */
  otherOf(variable: number): number
}

/** A variable whose state does not follow from its causes; undefined where all do, so that the model says what would have been. */
export function findChance({ variables }: Network): string | undefined {
  return variables.find(
    ({ parents, table }) =>
      !table ||
      (parents.length > 0 && !table.values.every((value) => Math.min(value, 1 - value) <= certain_within)),
  )?.name
}

/** Only what follows from an intervention is there twice; the rest is the same in both worlds. */
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
