// Scenario 19, plan and replan, over HTTP. The rules are tested beside the code.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { transport } from '../../scenes/transport-domain.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const minute_ms = 60_000
let clock: ManualClock
let service: InProcessService

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  service = await startInProcess({ clock })
})
after(() => service.stop())

const ask = (operation: string, input: unknown, who: Addresses = service): Promise<Answer> =>
  dispatch(who, { protocol: 'MAESTRO', operation, input })
const done = async (operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(operation, input)).output

const world = {
  trucks: ['t1', 't2', 't3'],
  places: ['A', 'B', 'C', 'D'],
  at: { t1: 'A', t2: 'B', t3: 'D', p1: 'A', p2: 'B', p3: 'D' },
  near: { p1: ['t1', 't2', 't3'], p2: ['t2', 't1', 't3'], p3: ['t3', 't2', 't1'] },
}
const haul = { task: 'deliver_all', args: { first: 'p1', second: 'p2', third: 'p3', to: 'C' } }
test('scenario 19: a truck is lost; finished tasks stay, the rest is replanned; other tenants cannot find the plan', async () => {
  const plan = await done('goal.refine', { goal: haul, state: world, ...transport })
  const loaded = plan.tasks.find(({ operator, args }: Fields) => operator === 'load' && args.package === 'p1')
  clock.advance(6 * minute_ms)
  const lost = plan.tasks.find(({ operator, args }: Fields) => operator === 'load' && args.package === 'p2')
  const fixed = await done('graph.replan', {
    graph_ref: plan.graph_ref,
    expected_version: 1,
    events: [
      { kind: 'done', task_id: loaded.id },
      {
        kind: 'resource_lost',
        data: { effects: [{ set: 'trucks', to: ['t1', 't3'] }] },
      },
    ],
  })
  assert.deepEqual([fixed.feasible, fixed.version], [true, 2])
  const tasks = new Map<string, Fields>(fixed.tasks.map((task: Fields) => [task.id, task]))
  assert.equal(tasks.get(loaded.id)!.status, 'done')
  assert.ok(fixed.diff.removed.includes(lost.id))
  for (const { id, depends_on, start } of tasks.values())
    for (const one of depends_on) assert.ok(start >= tasks.get(one)!.finish, `${id} waits for ${one}`)
  const unaffected = plan.tasks.filter(({ args }: Fields) => args.truck !== 't2')
  assert.ok(
    unaffected.every(({ id }: Fields) => tasks.has(id)),
    'what the other trucks do stays',
  )
  const rest = fixed.tasks.filter(({ status }: Fields) => status === 'pending')
  assert.ok(rest.every(({ args }: Fields) => args.truck !== 't2'))
  assert.ok(fixed.stability >= 0.6 && fixed.stability < 1, String(fixed.stability))
  const events = await service.records(service.tenant_id, { event_types: ['PlanReplanned'] })
  assert.deepEqual([events.length, events[0]!.meta.version], [1, 2])
  assert.ok(!JSON.stringify(events[0]!.meta).includes('deliver'), 'no content in the record')
  const stranger = await service.newCaller({ tenant_id: 'other' })
  const theirs = await ask(
    'graph.replan',
    { graph_ref: plan.graph_ref, expected_version: 2, events: [{ kind: 'new_fact' }] },
    stranger,
  )
  assertRefusal(theirs, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
})

test('the rest of a plan runs on MOON', async () => {
  const remember = (name: string, text: string) => ({
    name,
    protocol: 'MIND',
    operation: 'store_memory',
    payload: { kind: 'semantic', payload: { text, by: { $cel: 'args.by' } } },
  })
  const plan = await done('goal.refine', {
    goal: { task: 'note', args: { by: 'the plan' } },
    methods: [
      {
        task: 'note',
        subtasks: ['first', 'second'].map((task) => ({ task, args: { by: { $cel: 'args.by' } } })),
      },
    ],
    operators: [remember('first', 'One thing.'), remember('second', 'Another thing.')],
  })
  const moon = async (operation: string, input: unknown): Promise<Fields> =>
    assertSuccess(await dispatch(service, { protocol: 'MOON', operation, input })).output
  const { manifest_ref } = await moon('submit_manifest', { manifest: plan.executable_manifest })
  const run = await moon('execute_workflow', { manifest_ref, wait_ms: 20_000 })
  assert.deepEqual([run.state, run.steps.length], ['succeeded', 2], JSON.stringify(run))
})

test('the best plan of an objective is found, says so, and keeps its objective when it is replanned', async () => {
  const trucks = ['t1', 't2', 't3', 't4', 't5']
  const hauling = {
    goal: { task: 'move', args: {} },
    state: { trucks, tons: { t1: 3, t2: 5, t3: 7, t4: 12, t5: 20 } },
    methods: [
      {
        task: 'move',
        choose: [{ name: 'truck', from: 'state.trucks' }],
        subtasks: [{ task: 'haul', args: { truck: { $cel: 'args.truck' } } }],
      },
      { task: 'move', subtasks: [{ task: 'hire' }] },
    ],
    operators: [
      { name: 'haul', effects: [{ set: 'loaded', to: { $cel: 'state.tons[args.truck]' } }], cost: 10 },
      { name: 'hire', effects: [{ set: 'loaded', to: 99 }], cost: 500 },
    ],
  }
  const { charter_ref } = await done('charter.declare', {
    name: 'heavy',
    mission: 'Move it in one go.',
    objectives: [{ id: 'moved', statement: 'It is moved.' }],
    constraints: [{ id: 'fits', expr: 'state.loaded >= 20' }],
  })
  const plan = await done('goal.refine', { ...hauling, charter_ref, minimize: { cost: 2, steps: 1 } })
  assert.deepEqual(plan.tasks[0].args, { truck: 't5' })
  assert.deepEqual(plan.objective, { minimize: { cost: 2, steps: 1 }, value: 21, proven_best: true })
  assert.ok(plan.alternatives.every(({ value }: Fields) => value >= 21))
  const failed = {
    graph_ref: plan.graph_ref,
    expected_version: 1,
    events: [{ kind: 'failed', task_id: 't1' }],
  }
  const replanned = await done('graph.replan', failed)
  assert.deepEqual(replanned.objective, { ...plan.objective, value: 1001 })
  const { reason, search } = await done('goal.refine', { ...hauling, charter_ref, budget: { expansions: 1 } })
  assert.deepEqual([reason, search.ended], ['out_of_budget', 'expansions'])
})
