// Checks plans with an independent simulator that moves trucks in any order the plan allows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { transport } from '../../../checks/scenes/transport-domain.ts'
import { carryOut, type Haulage, haulage, oneOrder } from '../../../checks/scenes/transport-world.ts'
import type { DomainSource } from './domain.ts'
import type { Minimize } from './objective.ts'
import type { PlanGraph } from './plan-graph.ts'
import { compute, type Refined, type RefineTask } from './refine-job.ts'

const unhurried = { elapsed_ms: () => 0 }
const frame = { staffed: false, agents: [], objectives: [], constraints: [] }

function refine(
  goal: RefineTask['goal'],
  domain: DomainSource,
  state: object,
  more: Partial<RefineTask> = {},
) {
  const refined = compute(
    {
      goal,
      domain,
      state: state as RefineTask['state'],
      frame,
      expansions_max: 20_000,
      deadline_ms: 10_000,
      starts_at_ms: 0,
      seed: 1,
      ...more,
    },
    unhurried,
  )
  assert.ok(!('faults' in refined), JSON.stringify(refined))
  return refined as Exclude<Refined, { faults: unknown }>
}

test('any order a plan allows delivers everything', () => {
  fc.assert(
    fc.property(haulage, fc.infiniteStream(fc.nat()), (drawn: Haulage, chance) => {
      const { graph, ended } = refine(drawn.goal, drawn.domain, drawn.state)
      assert.equal(ended, 'complete')
      const places = carryOut(oneOrder(graph!.tasks, chance), drawn.state)
      for (const [parcel, to] of drawn.wanted) assert.equal(places[parcel], to)
    }),
    { numRuns: 10 },
  )
})

const step = (name: string, more = {}) => ({ name, ...more })

test('subtasks are ordered by a list, by pairs, or not at all', () => {
  const operators = ['a', 'b', 'c'].map((name) => step(name))
  const subtasks = operators.map(({ name }) => ({ id: name, task: name }))
  const waits = (order?: string[] | string[][]) => {
    const methods = [{ task: 'all', subtasks, ...(order && { order }) }]
    const { graph } = refine({ task: 'all', args: {} }, { methods, operators }, {})
    const names = new Map(graph!.tasks.map(({ id, operator }) => [id, operator]))
    return Object.fromEntries(
      graph!.tasks.map(({ operator, depends_on }) => [
        operator,
        depends_on
          .map((id) => names.get(id))
          .sort()
          .join(''),
      ]),
    )
  }
  assert.deepEqual(waits(), { a: '', b: 'a', c: 'b' })
  assert.deepEqual(waits([]), { a: '', b: '', c: '' })
  assert.deepEqual(waits(['c', 'a']), { a: 'c', b: '', c: '' })
  assert.deepEqual(
    waits([
      ['a', 'c'],
      ['b', 'c'],
    ]),
    { a: '', b: '', c: 'ab' },
  )
})

test('tasks that change facts others read are ordered, even if no method says so', () => {
  const operators = [
    step('write', { effects: [{ set: 'x', to: 1 }] }),
    step('read', { preconditions: 'state.x == 1' }),
    step('count', { effects: [{ increment: 'n' }] }),
  ]
  const subtasks = ['read', 'write', 'count', 'count'].map((task, at) => ({ id: `${task}${at}`, task }))
  const domain = { operators, methods: [{ task: 'all', subtasks, order: [] }] }
  const { graph } = refine({ task: 'all', args: {} }, domain, { x: 0 })
  const [write, read] = ['write', 'read'].map(
    (name) => graph!.tasks.find(({ operator }) => operator === name)!,
  )
  assert.deepEqual([write!.depends_on, read!.depends_on], [[], [write!.id]])
  assert.ok(
    graph!.tasks.filter(({ operator }) => operator === 'count').every((one) => one.depends_on.length === 0),
  )
})

test('a task that recurs to itself ends, and so does infinite recursion', () => {
  const again = {
    operators: [step('never', { preconditions: 'false' })],
    methods: [] as DomainSource['methods'],
  }
  const loop = { ...again, methods: [{ task: 'x', subtasks: [{ task: 'x' }] }] }
  const refined = refine({ task: 'x', args: {} }, loop, {})
  assert.deepEqual([refined.graph, refined.ended], [undefined, 'complete'])
  const deeper = {
    ...again,
    methods: [{ task: 'x', subtasks: [{ task: 'x', args: { n: { $cel: 'args.n + 1' } } }] }],
  }
  const deep = refine({ task: 'x', args: { n: 0 } }, deeper, {}, { expansions_max: 1_000 })
  assert.equal(deep.graph, undefined)
})

test('a plan is found at any depth, and the search reports where it ended', () => {
  const countdown: DomainSource = {
    operators: [step('tick', { effects: [{ increment: 'n', by: -1 }] })],
    methods: [
      { task: 'down', preconditions: 'state.n <= 0', subtasks: [] },
      { task: 'down', preconditions: 'state.n > 0', subtasks: [{ task: 'tick' }, { task: 'down' }] },
    ],
  }
  const { graph } = refine({ task: 'down', args: {} }, countdown, { n: 50 })
  assert.equal(graph!.tasks.length, 50)
  const short = refine({ task: 'down', args: {} }, countdown, { n: 50 }, { expansions_max: 20 })
  assert.deepEqual([short.graph, short.ended], [undefined, 'expansions'])
  const late = compute(
    { ...({} as RefineTask), ...lateTask(countdown) },
    { elapsed_ms: () => 11 },
  ) as Exclude<Refined, { faults: unknown }>
  assert.deepEqual([late.graph, late.ended], [undefined, 'deadline'])
})

/** One way through so many tasks. */
function manyTasks(count: number): RefineTask {
  const subtasks = Array.from({ length: count }, (_, n) => ({ id: `s${n}`, task: 'load', args: { n } }))
  const duration = { opt: 1_000, likely: 2_000, pess: 9_000 }
  return {
    goal: { task: 'all', args: {} },
    domain: { operators: [step('load', { duration })], methods: [{ task: 'all', subtasks }] },
    state: {},
    frame,
    expansions_max: 1_000,
    deadline_ms: 1_000,
    starts_at_ms: 0,
    seed: 1,
  }
}
type Told = Exclude<Refined, { faults: unknown }>

/** Tells each time a plan is made of its tasks: its agents are looked at once for its schedule, and once to keep them. */
function watched(task: RefineTask, onLook: () => void): RefineTask {
  const get = () => {
    onLook()
    return []
  }
  return { ...task, frame: Object.defineProperty({ ...task.frame }, 'agents', { enumerable: true, get }) }
}

test('a plan is scheduled once, whether it is judged, finished or told', () => {
  let looks = 0
  const { graph, ended } = compute(
    watched(manyTasks(20), () => looks++),
    unhurried,
  ) as Told
  assert.deepEqual([graph!.tasks.length, ended, looks], [20, 'complete', 2])
})

test('a plan found at the last moment is told, with a percentile of fewer samples', () => {
  const { schedule } = compute(manyTasks(200), unhurried) as Told
  let elapsed_ms = 0
  const late = compute(
    watched(manyTasks(200), () => {
      elapsed_ms = 1_001
    }),
    { elapsed_ms: () => elapsed_ms },
  ) as Told
  assert.deepEqual([late.graph?.tasks.length, late.ended], [200, 'deadline'])
  const [whole, hurried] = [schedule!.makespan.p90, late.schedule!.makespan.p90]
  assert.notEqual(hurried, whole)
  assert.ok(Math.abs(hurried / whole - 1) < 0.05, `${hurried} and ${whole}`)
})

function lateTask(domain: DomainSource): RefineTask {
  return {
    goal: { task: 'down', args: {} },
    domain,
    state: { n: 9 },
    frame,
    expansions_max: 1_000,
    deadline_ms: 10,
    starts_at_ms: 0,
    seed: 1,
  }
}

test('all faults of a domain are reported with their position', () => {
  const operators = [
    step('a', { preconditions: 'state.(' }),
    step('a'),
    step('b', { duration: { opt: 2, likely: 1, pess: 3 } }),
    step('c', { protocol: 'MIND' }),
  ]
  const methods = [
    { task: 'a', subtasks: [] },
    { task: 'x', subtasks: [{ id: 'p', task: 'q' }], order: [['p', 'r']] },
    {
      task: 'x',
      subtasks: [
        { id: 'p', task: 'q' },
        { id: 'r', task: 'q' },
      ],
      order: [
        ['p', 'r'],
        ['r', 'p'],
      ],
    },
  ]
  const refined = compute({ ...lateTask({ operators, methods }) }, unhurried)
  assert.ok('faults' in refined)
  const pointers = refined.faults.map(({ pointer }) => pointer)
  assert.deepEqual(pointers, [
    '/operators/0',
    '/operators/2',
    '/operators/3',
    '/methods/0/task',
    '/methods/1',
    '/methods/2',
  ])
})

test('the fastest or the cheapest of several plans is chosen on request', () => {
  const operators = [
    step('slow', { duration: { opt: 9, likely: 9, pess: 9 }, cost: 1 }),
    step('fast', { duration: { opt: 1, likely: 1, pess: 1 }, cost: 5 }),
  ]
  const methods = ['slow', 'fast'].map((task) => ({ task: 'go', subtasks: [{ task }] }))
  const chosen = (minimize: Minimize) =>
    (
      refine({ task: 'go', args: {} }, { operators, methods }, {}, { frame: { ...frame, minimize } })
        .graph as PlanGraph
    ).tasks[0]!.operator
  assert.deepEqual([chosen('steps'), chosen('makespan'), chosen('cost')], ['fast', 'fast', 'slow'])
  assert.ok(transport.methods.length > 0)
})

test('a search keeps its deadline while rejecting branches, and does not call too large a plan impossible', () => {
  const choose = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => ({ name, from: 'state.list' }))
  const wide = {
    operators: [],
    methods: [{ task: 'down', choose, preconditions: 'false', subtasks: [] }],
  }
  let looks = 0
  const state = { list: Array.from({ length: 100 }, (_, at) => at) }
  const patient = { ...lateTask(wide), state, expansions_max: 1_000_000 }
  const late = compute(patient, { elapsed_ms: () => ++looks / 10 })
  assert.ok('ended' in late && late.ended === 'deadline')
  const tried = compute({ ...lateTask(wide), state }, unhurried)
  assert.ok(
    'ended' in tried && tried.ended === 'expansions',
    'ways that are rejected use up the steps as well',
  )
  const countdown: DomainSource = {
    operators: [step('tick', { effects: [{ increment: 'n', by: -1 }] })],
    methods: [
      { task: 'down', preconditions: 'state.n <= 0', subtasks: [] },
      { task: 'down', preconditions: 'state.n > 0', subtasks: [{ task: 'tick' }, { task: 'down' }] },
    ],
  }
  const long = refine({ task: 'down', args: {} }, countdown, { n: 600 })
  assert.deepEqual([long.graph, long.ended], [undefined, 'size'])
  const chain = {
    operators: [step('end')],
    methods: [
      { task: 'all', subtasks: Array.from({ length: 100 }, (_, i) => ({ task: 'x', args: { i, n: 0 } })) },
      { task: 'x', preconditions: 'args.n >= 110', subtasks: [{ task: 'end' }] },
      { task: 'x', subtasks: [{ task: 'x', args: { i: { $cel: 'args.i' }, n: { $cel: 'args.n + 1' } } }] },
    ],
  }
  const deep = refine({ task: 'all', args: {} }, chain, {}, { expansions_max: 23_000 })
  assert.deepEqual([deep.graph, deep.failing && 'constraint' in deep.failing], [undefined, true])
})

test('choices may be written as integers', () => {
  const chosen = {
    operators: [step('go', { preconditions: 'args.n > 1' })],
    methods: [
      {
        task: 'x',
        choose: [{ name: 'n', from: '[1, 2, 3]' }],
        subtasks: [{ task: 'go', args: { n: { $cel: 'args.n' } } }],
      },
    ],
  }
  assert.deepEqual(refine({ task: 'x', args: {} }, chosen, {}).graph!.tasks[0]!.args, { n: 2 })
})
