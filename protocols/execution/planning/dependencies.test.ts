// Small domains of every kind: runs plans in every order they allow, by independently written rules.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { oneOrder } from '../../../checks/scenes/transport-world.ts'
import type { DomainSource } from './domain.ts'
import type { EffectSource } from './effect.ts'
import type { PlanEvent } from './plan-events.ts'
import type { Plain, PlanGraph, PlanTask } from './plan-graph.ts'
import { compute as refine } from './refine-job.ts'
import { compute as replan } from './replan-job.ts'

const unhurried = { elapsed_ms: () => 0 }
const frame = { staffed: false, agents: [], objectives: [], constraints: [] }

type World = Record<string, unknown>
type Check = { readonly text: string; readonly holds: (world: World) => boolean }

const inner = (world: World) => world.a as World | undefined
const checks: Check[] = [0, 1].flatMap((n) => [
  { text: `state.x == ${n}`, holds: ({ x }) => x === n },
  { text: `state.a.b == ${n}`, holds: (world) => inner(world)?.b === n },
])
checks.push(
  { text: '!has(state.a.c)', holds: (world) => inner(world) !== undefined && !('c' in inner(world)!) },
  { text: '"b" in state.a', holds: (world) => inner(world) !== undefined && 'b' in inner(world)! },
  { text: '!has(state.y)', holds: (world) => !('y' in world) },
)
const effects: EffectSource[] = [
  ...['x', 'y', 'a.b', 'a.c'].flatMap((path) => [
    { set: path, to: 0 },
    { set: path, to: 1 },
    { unset: path },
  ]),
  { increment: 'n' },
  { increment: 'a.n' },
  { set: 'y', to: { $cel: 'state.x' } },
]

function apply(effect: EffectSource, before: World, world: World): void {
  const path = 'set' in effect ? effect.set : 'unset' in effect ? effect.unset : effect.increment
  const [first, second] = path.split('.') as [string, string?]
  if ('unset' in effect && second && !world[first]) return
  if (second) world[first] ??= {}
  const [holder, name] = second ? [world[first] as World, second] : [world, first]
  if ('unset' in effect) delete holder[name]
  else if ('set' in effect) holder[name] = typeof effect.to === 'object' ? before.x : effect.to
  else holder[name] = ((holder[name] as number | undefined) ?? 0) + 1
}

interface Drawn {
  readonly domain: DomainSource
  readonly state: Plain
}

const few = <Of>(from: readonly Of[], maxLength: number) =>
  fc.uniqueArray(fc.constantFrom(...from), { maxLength })
const names = ['o0', 'o1', 'o2', 'o3']
const order = fc.constantFrom({}, { order: [] })
const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    operators: fc.tuple(...names.map(() => fc.tuple(few(checks, 2), few(effects, 3)))),
    parts: fc.array(fc.record({ when: few(checks, 1), of: few(names, 2), order }), {
      minLength: 2,
      maxLength: 4,
    }),
    all: fc.array(fc.constantFrom(...names, 'part'), { minLength: 2, maxLength: 5 }),
    order,
    state: fc.constantFrom({}, { x: 0 }, { x: 1, a: {} }, { x: 0, y: 1, a: { b: 1, c: 0 } }),
  })
  .map(({ operators, parts, all, order: how, state }) => ({
    state,
    domain: {
      operators: operators.map(([pre, post], at) => ({
        name: names[at]!,
        preconditions: pre.map(({ text }) => text),
        effects: post,
        duration: { opt: 5, likely: 5, pess: 5 },
      })),
      methods: [
        { task: 'all', subtasks: all.map((task) => ({ task })), ...how },
        ...parts.map(({ when, of, order: inside }) => ({
          task: 'part',
          preconditions: when.map(({ text }) => text),
          subtasks: of.map((task) => ({ task })),
          ...inside,
        })),
      ],
    },
  }))

function carryOut(tasks: readonly PlanTask[], { domain }: Drawn, start: Plain): World {
  const world = structuredClone(start) as World
  for (const { id, operator } of tasks) {
    const { preconditions, effects: changes } = domain.operators.find(({ name }) => name === operator)!
    for (const text of preconditions as string[])
      assert.ok(checks.find((one) => one.text === text)!.holds(world), `${id} ${operator}: ${text}`)
    const before = structuredClone(world)
    for (const effect of changes!) apply(effect, before, world)
  }
  return world
}

function planOf({ domain, state }: Drawn, goal = 'all'): PlanGraph | undefined {
  const how = { expansions_max: 3_000, deadline_ms: 1, starts_at_ms: 0, seed: 1 } as const
  const refined = refine({ goal: { task: goal, args: {} }, domain, state, frame, ...how }, unhurried)
  assert.ok('expansions' in refined, JSON.stringify(refined))
  return refined.graph
}

function fix(graph: PlanGraph, events: readonly PlanEvent[]) {
  const how = {
    policy: 'minimal_change',
    freeze_window_ms: 0,
    expansions_max: 3_000,
    deadline_ms: 1,
  } as const
  const repaired = replan({ graph, events, now: 1, ...how }, unhurried)
  assert.ok('feasible' in repaired, JSON.stringify(repaired))
  return repaired
}

const doneOf = (tasks: readonly PlanTask[]): PlanEvent[] =>
  tasks.map(({ id }) => ({ kind: 'done', task_id: id, at: 1, data: {} }))

test('every order a plan allows is executable and ends in the same state, also after a repair', () => {
  const chance = fc.infiniteStream(fc.nat())
  fc.assert(
    fc.property(drawn, chance, fc.nat(), fc.boolean(), (one, chances, cut, breaks) => {
      const graph = planOf(one)
      if (!graph?.tasks.length) return
      const first = oneOrder(graph.tasks, chances)
      assert.deepEqual(carryOut(first, one, one.state), carryOut(graph.tasks, one, one.state))
      const finished = first.slice(0, cut % first.length)
      const there = carryOut(finished, one, one.state)
      const trouble: PlanEvent[] = breaks
        ? [{ kind: 'failed', task_id: first[finished.length]!.id, at: 1, data: {} }]
        : [{ kind: 'new_fact', at: 1, data: { effects: [] } }]
      const repaired = fix(graph, [...doneOf(finished), ...trouble])
      assert.deepEqual(repaired.graph.state, there)
      if (!repaired.feasible) return assert.ok(breaks)
      const left = repaired.graph.tasks.filter(({ is_done }) => !is_done)
      assert.deepEqual(carryOut(oneOrder(left, chances), one, there), carryOut(left, one, there))
    }),
    { numRuns: 150 },
  )
})

const waitsOf = ({ tasks }: Pick<PlanGraph, 'tasks'>) => {
  const operators = new Map(tasks.map(({ id, operator }) => [id, operator]))
  return Object.fromEntries(
    tasks.map(({ operator, depends_on }) => [operator, depends_on.map((id) => operators.get(id))]),
  )
}
const unordered = (...tasks: string[]) => ({
  task: 'all',
  subtasks: tasks.map((task) => ({ task })),
  order: [],
})

test('a reader of a container waits for the task that created it, unless another dependency does', () => {
  const domain = {
    operators: [
      { name: 'look', preconditions: '!has(state.a.x)' },
      { name: 'make', effects: [{ set: 'a.b', to: 1 }] },
      { name: 'use', preconditions: 'state.a.c == 1' },
      { name: 'add', effects: [{ set: 'a.c', to: 1 }] },
    ],
    methods: [unordered('look', 'make', 'use', 'add')],
  }
  const waits = waitsOf(planOf({ domain, state: {} })!)
  assert.deepEqual(waits, { make: [], look: ['make'], add: [], use: ['add'] })
})

test('facts a method depends on come first, even without steps, and in later versions of the plan', () => {
  const domain = {
    operators: [{ name: 'enable', effects: [{ set: 'x', to: 1 }] }, { name: 'leaf' }, { name: 'after' }],
    methods: [
      unordered('work', 'checked', 'enable'),
      { task: 'work', preconditions: 'state.x == 1', subtasks: [{ task: 'leaf' }] },
      { task: 'checked', subtasks: [{ task: 'is_on' }, { task: 'after' }] },
      { task: 'is_on', preconditions: 'state.x == 1', subtasks: [] },
    ],
  }
  const expected = { enable: [], leaf: ['enable'], after: ['enable'] }
  const graph = planOf({ domain, state: { x: 0 } })!
  assert.deepEqual(waitsOf(graph), expected)
  const replanned = fix(graph, [{ kind: 'new_fact', at: 1, data: { effects: [{ set: 'y', to: 1 }] } }])
  assert.deepEqual(waitsOf(replanned.graph), expected)
})

test('a step that only removes a fact does not stand for the container that a later one looks into', () => {
  const step = (name: string, preconditions: readonly string[], effects_of: readonly object[]) => ({
    name,
    preconditions,
    effects: effects_of,
    duration: { opt: 5, likely: 5, pess: 5 },
  })
  const graph = planOf({
    state: {},
    domain: {
      operators: [
        step('clear', ['!has(state.y)'], [{ unset: 'a.b' }]),
        step('make', [], [{ increment: 'a.n' }]),
        step('look', ['!has(state.a.c)'], [{ set: 'y', to: 0 }]),
      ],
      methods: [unordered('clear', 'make', 'look')],
    },
  } as unknown as Drawn)
  assert.deepEqual(waitsOf(graph!).look, ['clear', 'make'])
})
