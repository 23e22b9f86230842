// Effects from observational data, against the full model with hidden causes, which the algorithm never sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { estimateEffect, type Found } from './effect.ts'
import { graphOf } from './graph.ts'
import { identify } from './identify.ts'
import { buildNetwork, type ModelContent, type Network } from './network.ts'
import { enumerate, worldsOf } from './test-brute-force.ts'
import { numbersFrom } from './test-random-network.ts'

const limits = { cells_max: 2 ** 20, spend: () => {}, measure: () => {} }
type Named = Record<string, string>

function effectOf(network: Network, outcome: string, done: Named, evidence: Named = {}): Found {
  const placed = (named: Named) =>
    new Map(Object.entries(named).map(([name, state]) => [network.places.get(name)!, Number(state)]))
  return estimateEffect(network, network.places.get(outcome)!, placed(done), placed(evidence), limits)
}

/** Binary variables; `a>b` is an arrow, `a-b` a shared hidden cause. */
function whole(drawing: string, next: () => number): { model: ModelContent; hidden: string[] } {
  const edges = drawing.split(' ')
  const names = [...new Set(edges.flatMap((edge) => edge.split(/[->]/)))]
  const parents = new Map(names.map((name): [string, string[]] => [name, []]))
  const hidden: string[] = []
  for (const edge of edges) {
    const [one, other] = edge.split(/[->]/) as [string, string]
    if (edge.includes('>')) parents.get(other)!.push(one)
    else if (edge.includes('-')) {
      const name = `hidden${hidden.push(edge)}`
      for (const end of [one, other]) parents.get(end)!.push(name)
      hidden[hidden.length - 1] = name
      parents.set(name, [])
    }
  }
  const variables = [...parents].map(([name, own]) => {
    const cpt = Array.from({ length: 2 ** own.length }, () => 0.1 + 0.8 * next()).flatMap((p) => [p, 1 - p])
    return { name, states: ['0', '1'], parents: own, cpt }
  })
  return { model: { variables, bidirected: [] }, hidden }
}

/** The observed model: each variable's distribution given all before it. */
function observed({ model, hidden }: ReturnType<typeof whole>, as_latent: boolean): ModelContent {
  const visible = model.variables.filter(({ name }) => !hidden.includes(name))
  const order = causesFirst(visible, hidden)
  const worlds = [...worldsOf(model)]
  const variables = visible.map(({ name, states, parents }) => {
    const before = order.slice(0, order.indexOf(name))
    const cpt = Array.from({ length: 2 ** before.length }, (_, row) => {
      const there = worlds.filter(({ states: own }) =>
        before.every((other, place) => own[other] === String((row >> (before.length - 1 - place)) & 1)),
      )
      const share = (some: typeof there) => some.reduce((sum, { probability }) => sum + probability, 0)
      const one = share(there.filter(({ states: own }) => own[name] === '1')) / share(there)
      return [1 - one, one]
    })
    const causes = as_latent ? parents : parents.filter((parent) => !hidden.includes(parent))
    return { name, states, parents: causes, cpt_given: before, cpt: cpt.flat() }
  })
  if (!as_latent) {
    const pairs = hidden.map((name) =>
      visible.filter(({ parents }) => parents.includes(name)).map((one) => one.name),
    )
    return { variables, bidirected: pairs as [string, string][] }
  }
  const latent = hidden.map((name) => ({ name, states: ['0', '1'], parents: [], latent: true }))
  return { variables: [...variables, ...latent], bidirected: [] }
}

function causesFirst(observed: ModelContent['variables'], hidden: readonly string[]): string[] {
  const order: string[] = []
  while (order.length < observed.length)
    order.push(
      observed.find(
        ({ name, parents }) =>
          !order.includes(name) && parents.every((one) => hidden.includes(one) || order.includes(one)),
      )!.name,
    )
  return order
}

function assertTruth(
  scene: ReturnType<typeof whole>,
  network: Network,
  estimated: Found,
  question: [string, Named, Named?],
) {
  const [outcome, done, evidence = {}] = question
  const truth = enumerate(scene.model, outcome, done, evidence)!
  for (const [place, state] of network.variables[network.places.get(outcome)!]!.states.entries())
    assert.ok(
      Math.abs(estimated.distribution![place]! - truth[state]!) < 1e-9,
      `${estimated.strategy} is wrong`,
    )
}

const known_ways = [
  ['z>x z>y x>y', 'backdoor'],
  ['x>y z>x z-y', 'backdoor'],
  ['x>m m>y x-y', 'frontdoor'],
  ['x>m x>n m>y n>y x-y', 'frontdoor'],
  // The napkin graph, and one whose hidden causes intersect.
  ['w>z z>x x>y w-x w-y', 'id'],
  ['x>z z>y w>x w-z w-y x>n n>y', 'backdoor'],
  ['x>a a>b b>y x-b a-y', 'id'],
] as const
test('identifiable effects are computed, by the most familiar method', () => {
  for (const [drawing, strategy] of known_ways) {
    const scene = whole(drawing, numbersFrom(3))
    for (const as_latent of [false, true]) {
      const network = buildNetwork(observed(scene, as_latent))
      const estimated = strategyOrHedge(network, 'y', { x: '1' })
      assert.ok('strategy' in estimated, drawing)
      assert.equal(estimated.strategy, strategy, drawing)
      assertTruth(scene, network, estimated, ['y', { x: '1' }])
    }
  }
})

function strategyOrHedge(
  network: Network,
  outcome: string,
  done: Named,
  evidence: Named = {},
): Found | Refusal {
  try {
    return effectOf(network, outcome, done, evidence)
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown
    throw thrown
  }
}

const hedges = [
  ['x>y x-y', ['x', 'y'], ['y']],
  ['x>z z>y x-z', ['x', 'z'], ['z']],
  ['x>z z>y x-z z-y', ['x', 'y', 'z'], ['y', 'z']],
  ['x>y z>y x-z z-y', ['x', 'y', 'z'], ['y', 'z']],
  ['x>y z-x z-y z>x', ['x', 'y', 'z'], ['y']],
] as const
test('effects that are not identifiable are refused with the hedge', () => {
  for (const [drawing, forest, inner] of hedges) {
    const network = buildNetwork(observed(whole(drawing, numbersFrom(5)), false))
    const refused = strategyOrHedge(network, 'y', { x: '1' })
    assert.ok(refused instanceof Refusal, drawing)
    assert.equal(refused.details.reason, 'not_identifiable')
    const { F, F_prime } = refused.details.hedge as { F: string[]; F_prime: string[] }
    assert.deepEqual([[...F].sort(), [...F_prime].sort()], [forest, inner], drawing)
  }
})

/** Up to five observed variables, arrows in the order of their names, hidden causes anywhere. */
const drawings = fc
  .tuple(fc.integer({ min: 3, max: 5 }), fc.array(fc.nat(99), { minLength: 20, maxLength: 20 }), fc.integer())
  .map(([nodes, chances, seed]) => {
    const names = 'abcde'.slice(0, nodes).split('')
    const pairs = names.flatMap((one, place) => names.slice(place + 1).map((other) => [one, other] as const))
    const arrows = pairs.filter((_, at) => chances[at]! < 55).map(([one, other]) => `${one}>${other}`)
    const hidden = pairs.filter((_, at) => chances[at + 10]! < 30).map(([one, other]) => `${one}-${other}`)
    return { drawing: [...names, ...arrows, ...hidden].join(' '), names, seed }
  })

test('every identified effect matches the hidden model', () => {
  const strategies = new Set<string>()
  fc.assert(
    fc.property(drawings, ({ drawing, names, seed }) => {
      const next = numbersFrom(seed)
      const scene = whole(drawing, next)
      const pick = () => names[Math.floor(next() * names.length)]!
      const [outcome, cause, other, observed_name] = [pick(), pick(), pick(), pick()] as const
      const done = Object.fromEntries(
        [cause, other].filter((one) => one !== outcome).map((one) => [one, '1']),
      )
      const evidence = observed_name in done || observed_name === outcome ? {} : { [observed_name]: '0' }
      if (Object.keys(done).length === 0) return
      const network = buildNetwork(observed(scene, seed % 2 === 0))
      const estimated = strategyOrHedge(network, outcome, done, evidence)
      const outcome_told =
        estimated instanceof Refusal ? String(estimated.details.reason) : estimated.strategy
      strategies.add(outcome_told)
      if (estimated instanceof Refusal) assert.equal(estimated.details.reason, 'not_identifiable')
      else assertTruth(scene, network, estimated, [outcome, done, evidence])
      // The ID algorithm alone gives the same result.
      const graph = graphOf(network)
      const places = (named: Named) => new Set(Object.keys(named).map((name) => network.places.get(name)!))
      const target = new Set([network.places.get(outcome)!])
      const by_id = identify(graph, target, places(done), places(evidence))
      assert.equal('hedge' in by_id, estimated instanceof Refusal)
    }),
    { numRuns: 60 },
  )
  assert.ok(
    strategies.has('not_identifiable') && strategies.has('backdoor') && strategies.size >= 3,
    [...strategies].join(),
  )
})

test('an effect under impossible evidence is undefined', () => {
  const network = buildNetwork({
    variables: [
      { name: 'z', states: ['0', '1'], parents: [], cpt: [0.5, 0.5] },
      { name: 'x', states: ['0', '1'], parents: ['z'], cpt: [1, 0, 0.5, 0.5] },
      { name: 'y', states: ['0', '1'], parents: ['x', 'z'], cpt: [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6] },
      { name: 'w', states: ['0', '1'], parents: ['y'], cpt: [0.5, 0.5, 0.2, 0.8] },
    ],
    bidirected: [['z', 'w']],
  })
  const refused = strategyOrHedge(network, 'y', { x: '1' })
  assert.ok(refused instanceof Refusal && refused.details.reason === 'zero_probability_evidence')
  const defined = strategyOrHedge(network, 'y', { x: '0' })
  assert.ok(!(defined instanceof Refusal) && Math.abs(defined.distribution![1]! - 0.85) < 1e-12)
})
