// Starts a plan, breaks something, and runs the repaired plan in a simulator.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { carryOut, type Haulage, haulage, oneOrder } from '../../../checks/scenes/transport-world.ts'
import type { DomainSource } from './domain.ts'
import { compareTasks } from './plan-change.ts'
import type { PlanEvent } from './plan-events.ts'
import type { Frame, PlanGraph, PlanTask } from './plan-graph.ts'
import { compute as refine } from './refine-job.ts'
import { compute, type Replan, type ReplanTask } from './replan-job.ts'

const unhurried = { elapsed_ms: () => 0 }
const minute_ms = 60_000
const crew = ['ann', 'bob'].map((did) => ({ did, skills: ['haulage'], capacity: 1 }))
const free: Frame = { staffed: false, agents: [], objectives: [], constraints: [] }
const staffed: Frame = { ...free, staffed: true, agents: crew }

function planOf({ goal, domain, state }: Pick<Haulage, 'goal' | 'domain'> & { state: object }, frame = free) {
  const task = { expansions_max: 20_000, deadline_ms: 1, starts_at_ms: 0, seed: 1 } as const
  const refined = refine(
    { goal, domain, state: state as Haulage['state'] & {}, frame, ...task } as never,
    unhurried,
  )
  assert.ok('graph' in refined && refined.graph)
  return refined.graph as PlanGraph
}

function replan(graph: PlanGraph, events: PlanEvent[], more: Partial<ReplanTask> = {}): Replan {
  const now = Math.max(...events.map(({ at }) => at))
  const how = {
    now,
    policy: 'minimal_change',
    freeze_window_ms: 0,
    expansions_max: 20_000,
    deadline_ms: 1,
  } as const
  const replanned = compute({ graph, events, ...how, ...more }, unhurried)
  assert.ok('feasible' in replanned, JSON.stringify(replanned))
  return replanned
}

const doneEvents = (tasks: readonly PlanTask[], at: number): PlanEvent[] =>
  tasks.map(({ id }) => ({ kind: 'done', task_id: id, at, data: {} }))

function assertSound(
  { graph, schedule }: Replan,
  before: PlanGraph,
  finished: readonly PlanTask[],
  now: number,
) {
  const tasks = new Map(graph.tasks.map((task) => [task.id, task]))
  for (const { id } of finished) assert.ok(tasks.get(id)!.is_done)
  for (const { id, depends_on, start, finish, is_done, es, ls, slack, assignee } of tasks.values()) {
    assert.ok(ls >= es && slack >= 0 && finish <= schedule.makespan.mean)
    if (is_done) continue
    assert.ok(finish >= now)
    for (const one of depends_on) assert.ok(start >= tasks.get(one)!.finish, `${id} waits for ${one}`)
    if (graph.staffed) assert.ok(graph.agents.some(({ did }) => did === assignee))
  }
  for (const { did } of graph.agents) {
    const own = [...tasks.values()].filter((task) => !task.is_done && task.assignee === did)
    own.sort((a, b) => a.start - b.start || a.finish - b.finish)
    for (const [at, task] of own.entries()) if (at > 0) assert.ok(task.start >= own[at - 1]!.finish)
  }
  const { stability, diff } = compareTasks(before.tasks, graph.tasks)
  assert.ok(stability >= 0 && stability <= 1)
  assert.ok(diff.removed.every((id) => !finished.some((task) => task.id === id)))
}

test('a repaired plan is executable from any state of done and broken tasks', () => {
  const trouble = fc.constantFrom('failed', 'truck', 'late', 'agent', 'none' as const)
  fc.assert(
    fc.property(
      haulage,
      trouble,
      fc.nat(),
      fc.boolean(),
      fc.infiniteStream(fc.nat()),
      (drawn, what, cut, optimal, chance) => {
        const before = planOf(drawn, what === 'agent' ? staffed : free)
        const order = oneOrder(before.tasks, chance)
        const finished = order.slice(0, cut % (order.length + 1))
        const next = order[finished.length]
        if (!next) return
        const at = 30 * minute_ms
        const trucks = drawn.state.trucks.slice(1)
        const events: Record<typeof what, PlanEvent[]> = {
          failed: [{ kind: 'failed', task_id: next.id, at, data: {} }],
          truck: [{ kind: 'resource_lost', at, data: { effects: [{ set: 'trucks', to: trucks }] } }],
          late: [{ kind: 'late', task_id: next.id, at, data: { remaining_ms: 99 * minute_ms } }],
          agent: [{ kind: 'resource_lost', at, data: { did: 'ann' } }],
          none: [{ kind: 'new_fact', at, data: { effects: [{ set: 'weather', to: 'fair' }] } }],
        }
        const policy = optimal ? 'optimal' : 'minimal_change'
        const after = replan(before, [...doneEvents(finished, at), ...events[what]], { policy })
        assertSound(after, before, finished, at)
        if (what === 'none' || what === 'agent' || what === 'late') assert.ok(after.feasible)
        if (!after.feasible) return
        const there = {
          ...drawn.state,
          at: carryOut(finished, drawn.state),
          ...(what === 'truck' && { trucks }),
        }
        const left = after.graph.tasks.filter(({ is_done }) => !is_done)
        const places = carryOut(oneOrder(left, chance), there)
        for (const [parcel, to] of drawn.wanted) assert.equal(places[parcel], to)
      },
    ),
    { numRuns: 10 },
  )
})

const ways: DomainSource = {
  operators: ['mix', 'oven', 'pan', 'serve'].map((name) => ({
    name,
    duration: { opt: 10, likely: 10, pess: 10 },
    ...(name === 'serve' && { preconditions: 'state.hot' }),
    ...((name === 'oven' || name === 'pan') && { effects: [{ set: 'hot', to: true }] }),
  })),
  methods: [
    { task: 'dinner', subtasks: [{ task: 'mix' }, { task: 'heat' }, { task: 'serve' }] },
    { task: 'heat', subtasks: [{ task: 'oven' }] },
    { task: 'heat', subtasks: [{ task: 'pan' }] },
  ],
}
const dinner = () => planOf({ goal: { task: 'dinner', args: {} }, domain: ways, state: {} })
const operatorsOf = ({ graph }: Replan) => graph.tasks.map(({ operator }) => operator)

test('a failed task is replaced by the next method of its parent; nothing else changes', () => {
  const before = dinner()
  const [mix, oven] = before.tasks
  const events: PlanEvent[] = [
    ...doneEvents([mix!], 10),
    { kind: 'failed', task_id: oven!.id, at: 12, data: {} },
  ]
  const once = replan(before, events)
  assert.deepEqual(operatorsOf(once), ['mix', 'pan', 'serve'])
  const { diff, stability } = compareTasks(before.tasks, once.graph.tasks)
  assert.deepEqual([diff.added, diff.removed, stability], [['t4'], ['t2'], 4 / 6])
  assert.deepEqual(once.graph.tasks.at(-1)!.depends_on, ['t4'])
  const twice = replan(once.graph, [{ kind: 'failed', task_id: 't4', at: 20, data: {} }])
  assert.deepEqual([twice.feasible, operatorsOf(twice)], [false, ['mix', 'serve']])
  assert.ok(twice.failing && 'why' in twice.failing)
})

test('a cancelled task is left out, and its dependents are repaired or infeasible', () => {
  const before = dinner()
  const calledOff = replan(before, [{ kind: 'cancelled', task_id: 't1', at: 0, data: {} }])
  assert.deepEqual([calledOff.feasible, operatorsOf(calledOff)], [true, ['oven', 'serve']])
  const without = replan(before, [{ kind: 'cancelled', task_id: 't2', at: 0, data: {} }])
  assert.deepEqual([without.feasible, operatorsOf(without)], [true, ['mix', 'pan', 'serve']])
})

test('started tasks stay, a late task delays its dependents, and a freeze keeps assignees and starts', () => {
  const before = dinner()
  const late = replan(before, [{ kind: 'late', task_id: 't1', at: 5, data: { remaining_ms: 20 } }])
  assert.deepEqual(
    late.graph.tasks.map(({ start, finish }) => [start, finish]),
    [
      [0, 25],
      [25, 35],
      [35, 45],
    ],
  )
  const early = replan(before, doneEvents([before.tasks[0]!], 2))
  assert.deepEqual(early.graph.tasks[1]!.start, 2)
  const frozen = replan(before, doneEvents([before.tasks[0]!], 2), { freeze_window_ms: 10 })
  assert.deepEqual(frozen.graph.tasks[1]!.start, 10)
})

test('done tasks of an abandoned branch are stored as past, over several changes', () => {
  const domain: DomainSource = {
    operators: ['a1', 'a2', 'b', 'c'].map((name, cost) => ({ name, cost: cost < 2 ? 0 : cost })),
    methods: [
      { task: 'x', subtasks: [{ task: 'a1' }, { task: 'a2' }] },
      { task: 'x', subtasks: [{ task: 'b' }] },
      { task: 'x', subtasks: [{ task: 'c' }] },
    ],
  }
  const before = planOf({ goal: { task: 'x', args: {} }, domain, state: {} })
  const first = replan(before, [
    ...doneEvents([before.tasks[0]!], 1),
    { kind: 'failed', task_id: 't2', at: 2, data: {} },
  ])
  assert.deepEqual(operatorsOf(first), ['a1', 'b'])
  const second = replan(first.graph, [{ kind: 'failed', task_id: 't3', at: 3, data: {} }])
  assert.deepEqual(operatorsOf(second), ['a1', 'c'])
  assert.deepEqual(
    second.graph.tree.filter(({ past }) => past).map(({ task_id }) => task_id),
    ['t1'],
  )
  const third = replan(second.graph, doneEvents(second.graph.tasks.slice(1), 4))
  assert.ok(third.feasible && third.graph.tasks.every(({ is_done }) => is_done))
})

test('a repaired plan respects its charter like a new one: budget and final constraints', () => {
  const domain: DomainSource = {
    operators: [0.1, 5, 0.3].map((cost, at) => ({
      name: `way${at}`,
      cost,
      effects: [{ set: 'there', to: true }],
    })),
    methods: [0, 1, 2].map((at) => ({ task: 'go', subtasks: [{ task: `way${at}` }] })),
  }
  const limits = { ...free, budget_usd: 0.3, constraints: [{ id: 'arrives', expr: 'state.there' }] }
  const before = planOf({ goal: { task: 'go', args: {} }, domain, state: { there: false } }, limits)
  const failed = (task_id: string): PlanEvent => ({ kind: 'failed', task_id, at: 0, data: {} })
  for (const policy of ['minimal_change', 'optimal'] as const) {
    const once = replan(before, [failed('t1')], { policy })
    assert.deepEqual([once.feasible, operatorsOf(once)], [true, ['way2']])
    const twice = replan(once.graph, [failed(once.graph.tasks[0]!.id)], { policy })
    assert.equal(twice.feasible, false)
    assert.ok(twice.failing && 'constraint' in twice.failing && twice.failing.constraint === 'budget')
  }
})

test('frozen tasks count in the 90th percentile, and a busy agent gets no task that needs its full capacity', () => {
  const before = dinner()
  const frozen = replan(before, doneEvents([before.tasks[0]!], 2), { freeze_window_ms: 10 })
  assert.deepEqual(frozen.schedule.makespan, { mean: 30, p90: 30 })
  const duration = { opt: 10, likely: 10, pess: 10 }
  const domain: DomainSource = {
    operators: [
      { name: 'watch', duration, skill: 'haulage', load: 0.3 },
      { name: 'carry', duration, skill: 'haulage' },
    ],
    methods: [{ task: 'both', subtasks: [{ task: 'watch' }, { task: 'carry' }], order: [] }],
  }
  const alone = { ...staffed, agents: crew.slice(0, 1) }
  const plan = planOf({ goal: { task: 'both', args: {} }, domain, state: {} }, alone)
  const later = replan(plan, [{ kind: 'late', task_id: 't1', at: 15, data: { remaining_ms: 5 } }])
  assert.deepEqual(
    later.graph.tasks.map(({ start, finish }) => [start, finish]),
    [
      [0, 20],
      [20, 30],
    ],
  )
})

test('a late start means a late end, and reported durations stay valid in later versions', () => {
  const before = dinner()
  const times = ({ graph }: Replan) => graph.tasks.map(({ start, finish }) => [start, finish])
  const waited = replan(before, doneEvents([before.tasks[0]!], 30))
  assert.deepEqual(times(waited).slice(1), [
    [30, 40],
    [40, 50],
  ])
  const late: PlanEvent[] = [1, 2].map((at) => ({
    kind: 'late',
    task_id: `t${at}`,
    at: 5,
    data: { remaining_ms: 20 },
  }))
  const replanned = replan(before, late)
  const again = replan(replanned.graph, [{ kind: 'new_fact', at: 12, data: { effects: [] } }])
  assert.deepEqual(times(again), times(replanned))
  assert.deepEqual(times(replanned), [
    [0, 25],
    [25, 45],
    [45, 55],
  ])
})
