// Seeded random networks for tests and benchmarks.
import type { ModelContent } from './network.ts'

export interface Shape {
  readonly nodes: number
  readonly parents_max: number
  readonly states_max: number
  /** Parents are among this many preceding variables: a small number keeps tables small. */
  readonly reach?: number
  /** Only zeros and ones below the roots. */
  readonly is_certain?: boolean
  /** One number in this many is zero. */
  readonly zero_one_in?: number
}

/** 37 variables of two to four states, as in the ALARM network. */
export const alarm_shape: Shape = { nodes: 37, parents_max: 4, states_max: 4, reach: 7 }
/** 56 variables, some with many states, as in HAILFINDER. */
export const hailfinder_shape: Shape = { nodes: 56, parents_max: 4, states_max: 11, reach: 6 }

export function randomContent(shape: Shape, next: () => number): ModelContent {
  const { nodes, parents_max, states_max, reach = nodes } = shape
  const below = (count: number) => Math.floor(next() * count)
  const names = Array.from({ length: nodes }, (_, place) => `v${place}`)
  const states = names.map(() => Array.from({ length: 2 + below(states_max - 1) }, (_, at) => `s${at}`))
  const variables = names.map((name, place) => {
    const near = Array.from({ length: Math.min(place, reach) }, (_, back) => place - 1 - back)
    const parents = shuffled(near, below).slice(0, below(parents_max + 1))
    const rows = parents.reduce((product, parent) => product * states[parent]!.length, 1)
    const is_certain = (shape.is_certain ?? false) && parents.length > 0
    const cpt = Array.from({ length: rows }, () => row(states[place]!.length, is_certain, shape, below, next))
    return { name, states: states[place]!, parents: parents.map((parent) => names[parent]!), cpt: cpt.flat() }
  })
  return { variables, bidirected: [] }
}

function row(
  states: number,
  is_certain: boolean,
  { zero_one_in = Infinity }: Shape,
  below: (count: number) => number,
  next: () => number,
): number[] {
  const sure = below(states)
  if (is_certain) return Array.from({ length: states }, (_, state) => (state === sure ? 1 : 0))
  const weights = Array.from({ length: states }, (_, state) =>
    state !== sure && next() * zero_one_in < 1 ? 0 : 0.05 + next(),
  )
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

function shuffled(members: number[], below: (count: number) => number): number[] {
  for (let at = members.length - 1; at > 0; at--) {
    const other = below(at + 1)
    ;[members[at], members[other]] = [members[other]!, members[at]!]
  }
  return members
}

/** mulberry32: good enough for shapes. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
