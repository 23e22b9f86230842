// Effects with hidden causes: by adjustment, the front-door criterion, or the ID algorithm.
import { refuse } from '@svc/contract/refusal'
import { adjustmentFor, findFrontDoor } from './adjustment.ts'
import { asOne, sumOver, type Working, workOut } from './estimand.ts'
import { reduceFactor, scopeOf, sumOf } from './factor.ts'
import { type CausalGraph, graphOf, observableGraphOf } from './graph.ts'
import { type Estimand, type Identified, identify } from './identify.ts'
import { type Network, tablesOf } from './network.ts'

const total_tolerance = 1e-6

export type Strategy = 'mutilation' | 'backdoor' | 'frontdoor' | 'id'
export type States = ReadonlyMap<number, number>

export interface Found {
  readonly strategy: Strategy
  readonly adjustment_set?: readonly number[]
  readonly front_door_set?: readonly number[]
  /** Undefined if the evidence is impossible under the intervention. */
  readonly distribution: Float64Array | undefined
}

type Limits = Pick<Working, 'cells_max' | 'spend' | 'measure'>

/** Refused, with the hedge, if the effect is not identifiable from observations. */
export function estimateEffect(
  network: Network,
  target: number,
  done: States,
  states: States,
  limits: Limits,
): Found {
  const graph = graphOf(network)
  const { way, found } = findWay(graph, target, done, states, network)
  const evidence = new Map([...found.set].map((node) => [node, done.get(node) ?? states.get(node)!]))
  const { cards } = network
  const working: Working = { ...limits, cards, joint: tablesOf(network), known: evidence }
  const factors = workOut(found.estimand, working)
  const totals = sumOver(factors, found.outcomes, working)
  // Variables the estimand leaves free may take any value for which it is defined.
  const free = scopeOf(totals)
  const cell = asOne(totals, free, working).values.findIndex((sum) => Math.abs(sum - 1) <= total_tolerance)
  if (cell < 0) throw undefinedEffect(network, done)
  const put = new Map([...states, ...statesAt(cell, free, cards)])
  put.delete(target)
  const reduced = factors.map((factor) => reduceFactor(factor, put, cards))
  const rest = scopeOf(reduced).filter((node) => node !== target)
  const { values } = asOne(sumOver(reduced, rest, working), [target], working)
  const shares = states.has(target)
    ? values.map((value, state) => (state === states.get(target) ? value : 0))
    : values
  const sum = sumOf(shares)
  return { ...way, distribution: sum > 0 ? shares.map((value) => value / sum) : undefined }
}

interface Way {
  readonly way: Pick<Found, 'strategy' | 'adjustment_set' | 'front_door_set'>
  readonly found: Identified
}

/** The most familiar method first; all give the same result. */
function findWay(graph: CausalGraph, target: number, done: States, states: States, network: Network): Way {
  const causes = new Set(done.keys())
  const effects = new Set([target, ...states.keys()])
  const adjustment = adjustmentFor(network, causes, effects)
  if (adjustment) {
    const estimand = adjusting(graph.nodes, causes, effects, adjustment)
    const way = { strategy: 'backdoor', adjustment_set: adjustment } as const
    return { way, found: { estimand, outcomes: [...effects], set: causes } }
  }
  const [cause] = causes
  const observable = observableGraphOf(network, new Set([...causes, ...effects]))
  const mediators = causes.size === 1 ? findFrontDoor(observable, cause!, effects) : undefined
  if (mediators) {
    const estimand = throughTheFront(graph.nodes, cause!, effects, mediators)
    const way = { strategy: 'frontdoor', front_door_set: mediators } as const
    return { way, found: { estimand, outcomes: [...effects], set: causes } }
  }
  const identified = identify(graph, new Set([target]), causes, without(states, target))
  if ('hedge' in identified) throw notIdentifiable(network, target, done, identified.hedge)
  return { way: { strategy: 'id' }, found: identified }
}

/** Sum over w of P(effects | causes, w) P(w). */
function adjusting(
  domain: readonly number[],
  causes: ReadonlySet<number>,
  effects: ReadonlySet<number>,
  adjustment: readonly number[],
): Estimand {
  const of = [chained(domain, [...effects], [...causes, ...adjustment]), chained(domain, adjustment, [])]
  const product: Estimand = { kind: 'product', of }
  return adjustment.length === 0 ? product : { kind: 'sum', over: adjustment, of: product }
}

/** Sum over m of P(m | x) times the sum over x' of P(effects | m, x') P(x'). */
function throughTheFront(
  domain: readonly number[],
  cause: number,
  effects: ReadonlySet<number>,
  mediators: readonly number[],
): Estimand {
  const behind: Estimand = {
    kind: 'chain',
    of: { kind: 'joint' },
    domain,
    links: [{ variable: cause, given: [] }, ...linksOf([...effects], [...mediators, cause])],
  }
  const of = [chained(domain, mediators, [cause]), { kind: 'sum', over: [cause], of: behind } as const]
  return { kind: 'sum', over: mediators, of: { kind: 'product', of } }
}

function chained(
  domain: readonly number[],
  members: readonly number[],
  conditions: readonly number[],
): Estimand {
  return { kind: 'chain', of: { kind: 'joint' }, domain, links: linksOf(members, conditions) }
}

function linksOf(members: readonly number[], conditions: readonly number[]) {
  return members.map((variable, place) => ({ variable, given: [...conditions, ...members.slice(0, place)] }))
}

function statesAt(cell: number, scope: readonly number[], cards: readonly number[]): [number, number][] {
  let rest = cell
  return scope
    .map((_, place) => scope[scope.length - 1 - place]!)
    .map((variable) => {
      const state = rest % cards[variable]!
      rest = Math.floor(rest / cards[variable]!)
      return [variable, state]
    })
}

function without(states: States, target: number): Set<number> {
  return new Set([...states.keys()].filter((node) => node !== target))
}

function notIdentifiable(
  { variables }: Network,
  target: number,
  done: States,
  { forest, inner }: { forest: readonly number[]; inner: readonly number[] },
) {
  const nameOf = (node: number) => variables[node]!.name
  const causes = [...done.keys()].map(nameOf).join(', ')
  return refuse(
    'invalid_payload',
    `The effect of ${causes} on ${nameOf(target)} cannot be told from what is observed: hidden causes could make it anything ` +
      `that fits; publish a model that observes more among ${forest.map(nameOf).join(', ')}.`,
    {
      reason: 'not_identifiable',
      path: '/do',
      identifiable: false,
      hedge: { F: forest.map(nameOf), F_prime: inner.map(nameOf) },
    },
  )
}

function undefinedEffect({ variables }: Network, done: States) {
  const causes = [...done].map(
    ([node, state]) => `${variables[node]!.name}=${variables[node]!.states[state]}`,
  )
  return refuse(
    'invalid_payload',
    `In the observed distribution ${causes.join(', ')} never happens in some circumstances that do, so its effect there is ` +
      'not defined; ask for a state that is observed in all of them.',
    { reason: 'zero_probability_evidence', path: '/do' },
  )
}
