// The best plan within the budget: compared with every plan there is, by rules written here anew.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DomainSource, MethodSource, OperatorSource } from './domain.ts'
import { compareRanks, type Minimize, objectiveValue, rankOf } from './objective.ts'
import type { Frame } from './plan-graph.ts'
import { compute, type Refined, type RefineTask } from './refine-job.ts'
import { compute as replan } from './replan-job.ts'

const unhurried = { elapsed_ms: () => 0 }
const free: Frame = { staffed: false, agents: [], objectives: [], constraints: [] }
type Planned = Exclude<Refined, { faults: unknown }>

function refine(domain: DomainSource, more: Partial<RefineTask> = {}, host = unhurried): Planned {
  const task = {
    goal: { task: 'go', args: {} },
    state: {},
    frame: free,
    deadline_ms: 10,
    starts_at_ms: 0,
    seed: 1,
  }
  const refined = compute({ ...task, domain, expansions_max: 100_000, ...more }, host)
  assert.ok(!('faults' in refined), JSON.stringify(refined))
  return refined
}

const operatorsOf = ({ graph }: Pick<Planned, 'graph'>) => graph?.tasks.map(({ operator }) => operator)
const lasting = (ms: number) => ({ opt: ms, likely: ms, pess: ms })
const minimizes = fc.constantFrom<Minimize>(
  'makespan',
  'cost',
  'steps',
  { makespan: 1, cost: 3 },
  { steps: 2, cost: 1 },
)

/** Two places to choose a way for, each way a bag of independent steps. */
const ways = fc.array(fc.array(fc.record({ ms: fc.nat(9), cost: fc.nat(9) }), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
})

function domainOf(choices: readonly { ms: number; cost: number }[][][], is_ordered: boolean): DomainSource {
  const operators: OperatorSource[] = []
  const methods: MethodSource[] = []
  for (const [at, some] of choices.entries())
    for (const [way, steps] of some.entries()) {
      const names = steps.map((_, step) => `o${at}_${way}_${step}`)
      for (const [step, { ms, cost }] of steps.entries())
        operators.push({ name: names[step]!, duration: lasting(ms), cost })
      methods.push({ task: `part${at}`, subtasks: names.map((task) => ({ task })) })
    }
  const parts = choices.map((_, at) => ({ id: `p${at}`, task: `part${at}` }))
  methods.push({ task: 'go', subtasks: parts, ...(!is_ordered && { order: [] }) })
  return { operators, methods }
}

test('the plan is the best of all there are, and none of its alternatives dominates it', () => {
  fc.assert(
    fc.property(fc.tuple(ways, ways), fc.boolean(), minimizes, (choices, is_ordered, minimize) => {
      const domain = domainOf(choices, is_ordered)
      const { graph, schedule, objective, alternatives, ended } = refine(domain, {
        frame: { ...free, minimize },
      })
      const sum = (steps: { ms: number; cost: number }[], of: 'ms' | 'cost') =>
        steps.reduce((total, step) => total + step[of], 0)
      const all = choices[0].flatMap((a) =>
        choices[1].map((b) => ({
          makespan: is_ordered ? sum([...a, ...b], 'ms') : Math.max(sum(a, 'ms'), sum(b, 'ms')),
          cost: sum([...a, ...b], 'cost'),
          steps: a.length + b.length,
        })),
      )
      const best = Math.min(...all.map((one) => objectiveValue(minimize, one)))
      assert.deepEqual([objective!.value, objective!.proven_best, ended], [best, true, 'complete'])
      const own = { makespan: schedule!.makespan.mean, cost: schedule!.cost, steps: graph!.tasks.length }
      for (const { makespan_ms: makespan, cost, value, tasks } of alternatives) {
        const other = { makespan, cost, steps: tasks.length }
        assert.equal(value, objectiveValue(minimize, other))
        assert.ok(compareRanks(rankOf(minimize, own), rankOf(minimize, other)) <= 0)
        const is_no_worse = makespan <= own.makespan && cost <= own.cost && tasks.length <= own.steps
        const is_better = makespan < own.makespan || cost < own.cost || tasks.length < own.steps
        assert.ok(!(is_no_worse && is_better), 'dominated by its own alternative')
      }
    }),
    { numRuns: 150 },
  )
})

test('of plans that weigh the same the shorter counts, whatever floating point makes of their sums', () => {
  const operators = [
    { name: 'longer', duration: lasting(8), cost: 3 },
    { name: 'shorter', duration: lasting(1), cost: 4 },
  ]
  const methods = operators.map(({ name }) => ({ task: 'go', subtasks: [{ task: name }] }))
  const frame = { ...free, minimize: { makespan: 0.1, cost: 0.7 } }
  const planned = refine({ operators, methods }, { frame })
  assert.deepEqual([operatorsOf(planned), planned.objective?.value], [['shorter'], 2.9])
})

/** Jobs on two machines, one after the other: the order of the same steps decides how long it takes. */
function flowShop(jobs: readonly (readonly [number, number])[]): DomainSource {
  const operators = jobs.flatMap((times, job) =>
    times.map((ms, machine) => ({
      name: `j${job}_${machine}`,
      duration: lasting(ms),
      effects: [{ set: `machine${machine}`, to: 'used' }],
    })),
  )
  const methods: MethodSource[] = jobs.map((_, job) => ({
    task: `job${job}`,
    subtasks: [{ task: `j${job}_0` }, { task: `j${job}_1` }],
  }))
  methods.push({
    task: 'go',
    subtasks: jobs.map((_, job) => ({ id: `j${job}`, task: `job${job}` })),
    order: [],
  })
  return { operators, methods }
}

function permutations<Of>(list: readonly Of[]): Of[][] {
  if (list.length === 0) return [[]]
  return list.flatMap((one, at) => permutations(list.toSpliced(at, 1)).map((rest) => [one, ...rest]))
}

test('the order of the same steps is part of what is best', () => {
  const job = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  fc.assert(
    fc.property(fc.array(job, { minLength: 2, maxLength: 3 }), (jobs) => {
      // For two machines some order that is the same on both is best.
      const lengths = permutations(jobs).map((order) => {
        let [first, second] = [0, 0]
        for (const [a, b] of order) {
          first += a
          second = Math.max(first, second) + b
        }
        return second
      })
      const { objective } = refine(flowShop(jobs), { state: { machine0: '', machine1: '' } })
      assert.deepEqual([objective!.value, objective!.proven_best], [Math.min(...lengths), true])
    }),
    { numRuns: 30 },
  )
})

const trucks = ['t1', 't2', 't3', 't4', 't5']
const fleet: DomainSource = {
  operators: [
    { name: 'haul', effects: [{ set: 'loaded', to: { $cel: 'args.truck' } }], cost: 5, duration: lasting(5) },
  ],
  methods: [
    {
      task: 'go',
      choose: [{ name: 'truck', from: 'state.trucks' }],
      subtasks: [{ task: 'haul', args: { truck: { $cel: 'args.truck' } } }],
    },
  ],
}

test('of five trucks only the last keeps the constraint, and it is found', () => {
  const exprs = ['state.tons[state.loaded] >= 20', 'state.tons[state.loaded] >= 20 && plan.tasks == 1']
  for (const expr of exprs)
    for (const minimize of ['makespan', 'cost', 'steps'] as const) {
      const frame = { ...free, minimize, constraints: [{ id: 'fits', expr }] }
      const tons = { t1: 3, t2: 5, t3: 7, t4: 12, t5: 20 }
      const { graph, objective } = refine(fleet, { frame, state: { trucks, tons } })
      assert.deepEqual([graph?.tasks[0]?.args.truck, objective?.proven_best], ['t5', true], expr)
      const none = refine(fleet, { frame, state: { trucks, tons: { ...tons, t5: 19 } } })
      assert.deepEqual([none.graph, none.reason, none.ended], [undefined, 'limits', 'complete'])
    }
})

test('what costs too much is out of budget: in dollars, in steps, in time, and in the work of an expression', () => {
  const state = { trucks }
  const poor = refine(fleet, { state, frame: { ...free, budget_usd: 4 } })
  assert.deepEqual([poor.graph, poor.reason, poor.ended], [undefined, 'out_of_budget', 'complete'])
  assert.ok(poor.failing && 'constraint' in poor.failing && poor.failing.constraint === 'budget')
  const few = refine(fleet, { state, expansions_max: 1 })
  assert.deepEqual([few.graph, few.reason, few.ended], [undefined, 'out_of_budget', 'expansions'])
  const late = refine(fleet, { state }, { elapsed_ms: () => 11 })
  assert.deepEqual([late.graph, late.reason, late.ended], [undefined, 'out_of_budget', 'deadline'])
  const from = 'state.trucks.filter(t, state.trucks.exists(u, state.trucks.exists(v, u == t && v == "none")))'
  const choosy = { ...fleet, methods: [{ ...fleet.methods[0]!, choose: [{ name: 'truck', from }] }] }
  const many = { trucks: Array.from({ length: 60 }, (_, at) => `t${at}`) }
  const costly = refine(choosy, { state: many })
  assert.deepEqual([costly.graph, costly.reason, costly.ended], [undefined, 'out_of_budget', 'expression'])
  assert.match(costly.failing!.why, /units of work/)
  const other = { ...choosy, methods: [...choosy.methods, { task: 'go', subtasks: [] }] }
  const { objective, ended } = refine(other, { state: many })
  assert.deepEqual([objective!.proven_best, ended], [false, 'expression'], 'what was left out may be better')
})

test('the search goes on until its deadline, or until the best is proven, and says which', () => {
  const choices = Array.from({ length: 5 }, (_, at) =>
    Array.from({ length: 4 }, (_, way) => [{ ms: 40 - way * 10 + at, cost: way }]),
  )
  const domain = domainOf(choices, true)
  const values = [4_000, 40_000, 400_000, 4_000_000].map((looks_max) => {
    let looks = 0
    const host = { elapsed_ms: () => ++looks }
    const { objective, ended } = refine(
      domain,
      { deadline_ms: looks_max / 10, expansions_max: Number.POSITIVE_INFINITY },
      host,
    )
    assert.equal(objective!.proven_best, ended === 'complete')
    if (ended === 'deadline') assert.equal(looks, looks_max / 10)
    return { value: objective!.value, ended }
  })
  assert.deepEqual(values[0]!.ended, 'deadline')
  assert.deepEqual(values.at(-1), { value: 60, ended: 'complete' })
  assert.ok(values.every(({ value }, at) => at === 0 || value <= values[at - 1]!.value))
})

test('the clock is looked at before every branch, because one can take long', () => {
  const way = Array.from({ length: 100 }, (_, at) => ({ name: `step${at}` }))
  const methods = [{ task: 'go', subtasks: way.map(({ name }) => ({ task: name })), order: [] }]
  let looks = 0
  const { ended, expansions } = refine({ operators: way, methods }, {}, { elapsed_ms: () => ++looks })
  assert.deepEqual([ended, looks], ['deadline', 11])
  assert.ok(expansions <= looks)
})

test('a search that has a plan ends early enough to finish it', () => {
  const choices = Array.from({ length: 5 }, () =>
    Array.from({ length: 4 }, (_, way) => [{ ms: 40 - way, cost: way }]),
  )
  let elapsed_ms = 0
  const host = { elapsed_ms: () => (elapsed_ms += 5) }
  const { graph, ended } = refine(domainOf(choices, true), { deadline_ms: 500 }, host)
  assert.deepEqual([graph?.tasks.length, ended, elapsed_ms], [5, 'deadline', 500])
})

test('arguments that are too large to keep with every task are refused, or no way to plan', () => {
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { in: nested(levels - 1, inner) }
  const grow = {
    task: 'go',
    subtasks: [{ task: 'step', args: { all: nested(30, { $cel: 'args' }) } }],
  }
  const domain = { operators: [{ name: 'step' }], methods: [grow, { task: 'go', subtasks: [] }] }
  const goal = (levels: number) => ({ task: 'go', args: { x: nested(levels, 1) } })
  const planned = refine({ ...domain, methods: [grow] }, { goal: goal(20) })
  assert.deepEqual(operatorsOf(planned), ['step'])
  const other = refine(domain, { goal: goal(50) })
  assert.deepEqual([operatorsOf(other), other.objective?.proven_best], [[], true])
  const none = refine({ ...domain, methods: [grow] }, { goal: goal(50) })
  assert.deepEqual([none.reason, none.ended], ['no_plan', 'complete'])
  assert.match(none.failing!.why, /too large/)
  const task = { goal: goal(70), state: {}, frame: free, deadline_ms: 10, starts_at_ms: 0, domain }
  const refused = compute(task, unhurried)
  assert.ok('faults' in refused)
  assert.deepEqual(
    refused.faults.map(({ pointer }) => pointer),
    ['/goal/args'],
  )
})

test('a plan with more facts than an expression may answer can be changed', () => {
  const list = Array.from({ length: 100_001 }, (_, at) => at)
  const { graph } = refine({ operators: [{ name: 'go' }], methods: [] }, { state: { list } })
  const replanned = replan(
    {
      graph: graph!,
      events: [{ kind: 'done', task_id: 't1', at: 0, data: {} }],
      now: 0,
      policy: 'minimal_change',
      freeze_window_ms: 0,
      deadline_ms: 10,
    },
    unhurried,
  )
  assert.ok('feasible' in replanned && replanned.feasible)
  assert.deepEqual(replanned.graph.state, { list })
})

test('a repaired plan keeps its objective, also where it was planned for another', () => {
  const operators = [
    { name: 'first', duration: lasting(1), cost: 1 },
    { name: 'quick', duration: lasting(2), cost: 9 },
    { name: 'cheap', duration: lasting(9), cost: 2 },
  ]
  const methods = operators.map(({ name }) => ({ task: 'go', subtasks: [{ task: name }] }))
  const outcomes = (['makespan', 'cost', { makespan: 1, cost: 1 }] as const).map((minimize) => {
    const { graph } = refine({ operators, methods }, { frame: { ...free, minimize } })
    const replanned = replan(
      {
        graph: graph!,
        events: [{ kind: 'failed', task_id: 't1', at: 0, data: {} }],
        now: 0,
        policy: 'minimal_change',
        freeze_window_ms: 0,
        deadline_ms: 10,
      },
      unhurried,
    )
    assert.ok('objective' in replanned)
    return [operatorsOf(replanned), replanned.objective.value, replanned.objective.proven_best]
  })
  assert.deepEqual(outcomes, [
    [['quick'], 2, true],
    [['cheap'], 2, true],
    [['quick'], 11, true],
  ])
})
