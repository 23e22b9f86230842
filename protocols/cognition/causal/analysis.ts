// A causal query from names to result: observation, intervention, comparison and counterfactual.
import { refuse } from '@svc/contract/refusal'
import { adjustmentFor } from './adjustment.ts'
import { findChance, twinOf } from './counterfactual.ts'
import { estimateEffect, type States, type Strategy } from './effect.ts'
import { eliminate, pruneBarren } from './elimination.ts'
import { live_cells_max } from './elimination-order.ts'
import { tooWide } from './estimand.ts'
import { type Factor, reduceFactor, type Spend } from './factor.ts'
import { graphOf } from './graph.ts'
import { sample } from './likelihood-weighting.ts'
import { isWhole, type Network, tablesOf } from './network.ts'

export interface Asked {
  readonly target: number
  readonly done: States
  readonly given: States
  readonly cells_max: number
  /** The seed for sampling, if needed. */
  readonly seed: string
  readonly spend: Spend
}

export interface Answered {
  readonly distribution: Float64Array
  readonly exact: boolean
  /** Half-width of the 95 % interval per state, if sampled. */
  readonly margins?: Float64Array
  readonly strategy?: Strategy
  readonly adjustment_set?: readonly number[]
  readonly front_door_set?: readonly number[]
  readonly elimination_order?: readonly number[]
  readonly largest_factor: number
}

/** P(target | given). */
export function observe(network: Network, question: Asked): Answered {
  return infer(tablesOf(network), network.cards, question.target, question.given, question)
}

/** P(target | do(done), given): evidence is observed after the intervention. */
export function intervene(network: Network, question: Asked): Answered {
  if (question.done.size === 0) return observe(network, question)
  if (!isWhole(network)) return estimate(network, question)
  const { target, done, given } = question
  const tables = tablesOf(network).filter(({ scope }) => !done.has(scope.at(-1)!))
  const mutilated = tables.map((table) => reduceFactor(table, done, network.cards))
  const answer = infer(mutilated, network.cards, target, given, question)
  const effects = new Set([target, ...given.keys()])
  const adjustment_set = adjustmentFor(network, new Set(done.keys()), effects)
  return { ...answer, strategy: 'mutilation', ...(adjustment_set ? { adjustment_set } : {}) }
}

/** P(target, had this been done | what was observed). */
export function imagine(network: Network, question: Asked): Answered {
  const chance = isWhole(network) ? findChance(network) : 'some hidden variable'
  if (chance !== undefined)
    throw refuse(
      'invalid_payload',
      `A counterfactual needs a model in which only root variables are left to chance, and in this one ${chance} is, too; ` +
        'give it a cpt of zeros and ones over a root variable of its own.',
      { reason: 'needs_scm', path: '/query', variable: chance },
    )
  const { target, done, given } = question
  const twin = twinOf(network, graphOf(network), done.keys())
  const set = new Map([...done].map(([variable, state]) => [twin.otherOf(variable), state]))
  const tables = twin.tables
    .filter(({ scope }) => !set.has(scope.at(-1)!))
    .map((table) => reduceFactor(table, set, twin.cards))
  const answer = infer(tables, twin.cards, twin.otherOf(target), given, question)
  // A variable of the other world is shown under its name in this one.
  const names = new Map(network.variables.map((_, variable) => [twin.otherOf(variable), variable]))
  const order = answer.elimination_order?.map((variable) => names.get(variable) ?? variable)
  return { ...answer, ...(order ? { elimination_order: order } : {}), strategy: 'mutilation' }
}

function estimate(network: Network, question: Asked): Answered {
  const { cells_max, spend } = question
  let [largest_factor, made] = [1, 0]
  const measure = (cells: number) => {
    largest_factor = Math.max(largest_factor, cells)
    made += cells
    if (made > live_cells_max) throw tooWide(live_cells_max)
  }
  const estimated = estimateEffect(network, question.target, question.done, question.given, {
    cells_max,
    spend,
    measure,
  })
  const { strategy, adjustment_set, front_door_set, distribution } = estimated
  if (!distribution) throw impossible()
  return {
    distribution,
    exact: true,
    strategy,
    largest_factor,
    ...(adjustment_set ? { adjustment_set } : {}),
    ...(front_door_set ? { front_door_set } : {}),
  }
}

function infer(
  tables: readonly Factor[],
  cards: readonly number[],
  target: number,
  states: States,
  { cells_max, seed, spend }: Asked,
): Answered {
  const exact = eliminate(tables, target, states, cards, cells_max, spend)
  if (exact) {
    const { distribution, plan } = exact
    if (!distribution) throw impossible()
    return { distribution, exact: true, elimination_order: plan.order, largest_factor: plan.largest }
  }
  const needed = pruneBarren(tables, [target, ...states.keys()])
  const sampled = sample(needed, target, states, cards, seed, spend)
  if (!sampled) throw unseen(cells_max)
  return { ...sampled, exact: false, largest_factor: cells_max }
}

function impossible() {
  return refuse(
    'invalid_payload',
    'The evidence has probability zero in this model under this intervention; remove contradictory evidence.',
    { reason: 'zero_probability_evidence', path: '/given' },
  )
}

function unseen(cells_max: number) {
  return refuse(
    'invalid_payload',
    `An exact answer takes tables of more than ${cells_max} cells, and none of the worlds drawn agrees with what is given; ` +
      'raise max_factor, or give less.',
    { reason: 'too_large', path: '/max_factor' },
  )
}
