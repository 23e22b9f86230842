// Rules of charters, goals and plans.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { openAiModel } from '@svc/adapters/model/openai'
import { asOwner } from '@svc/audit/test-audit-log'
import { startModel, type TestModel } from '../../../checks/neighbours/test-model.ts'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { transport } from '../../../checks/scenes/transport-domain.ts'
import { maestro } from './maestro.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
let model: TestModel
/** The model's answer; without it the model fails. */
let proposal: unknown

before(async () => {
  model = await startModel(() => (proposal ? { value: proposal } : { status: 400 }))
  const client = openAiModel({ url: model.url, name: 'small', key: undefined })
  stage = await rehearse(maestro, { needs: { model: () => client } })
})
after(async () => {
  await stage?.close()
  await model.close()
})

const world = {
  trucks: ['t1', 't2', 't3'],
  places: ['A', 'B', 'C', 'D'],
  at: { t1: 'A', t2: 'B', t3: 'D', p1: 'A', p2: 'B', p3: 'D' },
  near: { p1: ['t1', 't2', 't3'], p2: ['t2', 't1', 't3'], p3: ['t3', 't2', 't1'] },
}
const haul = { task: 'deliver_all', args: { first: 'p1', second: 'p2', third: 'p3', to: 'C' } }
const refine = (more: Fields = {}) =>
  stage.run('goal.refine', { goal: haul, state: world, ...transport, ...more })

test('scenario 19: a transport plan is valid, and its critical path is the longest path', async () => {
  const plan = await refine()
  assert.deepEqual([plan.feasible, plan.search.ended, plan.unrefined], [true, 'complete', []])
  assert.equal(plan.tasks.length, 9)
  const longest = new Map<string, number>()
  for (const { id, depends_on, duration } of plan.tasks)
    longest.set(id, duration.mean + Math.max(0, ...depends_on.map((one: string) => longest.get(one))))
  const length = Math.max(...longest.values())
  assert.equal(plan.makespan.mean, length, 'three trucks at the same time')
  assert.equal(plan.critical_path.length, 3)
  const critical = plan.tasks.filter(({ id }: Fields) => plan.critical_path.includes(id))
  assert.equal(
    critical.reduce((sum: number, { duration }: Fields) => sum + duration.mean, 0),
    length,
  )
  assert.ok(critical.every(({ slack, critical: is_critical }: Fields) => slack === 0 && is_critical))
  assert.ok(plan.makespan.p90 > plan.makespan.mean)
  assert.ok(plan.alternatives.length > 0 && plan.alternatives.length <= 3)
  const again = await refine()
  assert.deepEqual(
    [again.tasks, again.makespan],
    [plan.tasks, plan.makespan],
    'the same question, the same plan',
  )
})

test('changing a plan requires its newest version, and only plausible events are accepted', async () => {
  const { graph_ref } = await refine()
  const replan = (events: Fields[], expected_version = 1) =>
    stage.run('graph.replan', { graph_ref, expected_version, events })
  const refused = async (events: Fields[], reason: string) =>
    assertRefused(replan(events), 'invalid_payload', reason)
  await refused([{ kind: 'done', task_id: 't99' }], 'not_found')
  await refused([{ kind: 'done', task_id: 't3' }], 'dependency_open')
  await refused([{ kind: 'late', task_id: 't1' }], 'incomplete')
  await refused([{ kind: 'new_fact', at: '2031-01-01T00:00:00Z' }], 'future_event')
  await refused(
    [{ kind: 'resource_lost', data: { did: newIdentity(test_tenant, 'agent').did } }],
    'not_found',
  )
  const both = [1, 2].map(() => replan([{ kind: 'done', task_id: 't1' }]))
  const ended = await Promise.allSettled(both)
  assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const loser = both[ended.findIndex(({ status }) => status === 'rejected')]!
  await assertRefused(loser, 'invalid_payload', 'version_conflict')
})

const mission = {
  mission: 'Deliver what was ordered.',
  objectives: [{ id: 'on_time', statement: 'All is there in time.', deadline: '2026-11-15T12:00:00Z' }],
}

test('a charter is the next version of its name, warns of unmeasurable objectives, and fits the envelope', async () => {
  const first = await stage.run('charter.declare', { name: 'haulage', ...mission })
  assert.deepEqual(
    [first.version, first.warnings.map(({ kind }: Fields) => kind)],
    [1, ['unmeasurable_objective']],
  )
  assert.equal(
    (await stage.run('charter.declare', { name: 'haulage', ...mission })).charter_ref,
    first.charter_ref,
  )
  const second = await stage.run('charter.declare', {
    name: 'haulage',
    ...mission,
    mission: 'Deliver more.',
    supersedes: first.charter_ref,
  })
  assert.equal(second.version, 2)
  const alike = await Promise.all(
    [1, 2, 3].map(() => stage.run('charter.declare', { name: 'at-once', ...mission })),
  )
  assert.equal(new Set(alike.map(({ charter_ref }) => charter_ref)).size, 1)
  const refused = async (input: Fields, code: 'invalid_payload' | 'policy_denied', reason: string) =>
    assertRefused(stage.run('charter.declare', { name: 'haulage', ...mission, ...input }), code, reason)
  await refused({ supersedes: first.charter_ref }, 'invalid_payload', 'version_conflict')
  await refused({ constraints: [{ id: 'c', expr: 'plan.cost <' }] }, 'invalid_payload', 'domain')
  await refused({ resources: { budget: { usd: '1000000' } } }, 'policy_denied', 'charter exceeds envelope')
  await refused({ resources: { budget: { tokens: 1e15 } } }, 'policy_denied', 'charter exceeds envelope')
  const [row] = await asOwner(
    stage.database.url,
    async (owner) => (await owner.query('SELECT count(*)::int AS rows FROM maestro_charters')).rows,
  )
  assert.equal(row.rows, 3)
})

test('a plan respects its charter: agents, constraints and deadlines', async () => {
  const [ann, bob] = [newIdentity(test_tenant, 'agent').did, newIdentity(test_tenant, 'agent').did]
  const declare = async (more: Fields) =>
    (await stage.run('charter.declare', { name: 'crew', ...mission, ...more })).charter_ref
  const crew = [ann, bob].map((did) => ({ did, skills: ['haulage'] }))
  const charter_ref = await declare({ resources: { agents: crew } })
  const plan = await refine({ charter_ref })
  assert.deepEqual(new Set(plan.tasks.map(({ assignee }: Fields) => assignee)), new Set([ann, bob]))
  assert.deepEqual(plan.at_risk_objectives, [])
  const { steps } = plan.executable_manifest
  assert.equal(steps.length, 2 * plan.tasks.length, 'a message and a wait for each')
  const alone = await stage.run('graph.replan', {
    graph_ref: plan.graph_ref,
    expected_version: 1,
    events: [
      { kind: 'resource_lost', data: { did: bob } },
      { kind: 'new_deadline', data: { objective_id: 'on_time', deadline: '2026-11-15T10:30:00Z' } },
    ],
  })
  assert.deepEqual(new Set(alone.tasks.map(({ assignee }: Fields) => assignee)), new Set([ann]))
  const whole = plan.tasks.reduce((sum: number, { duration }: Fields) => sum + duration.mean, 0)
  assert.equal(alone.makespan.mean, whole, 'one after the other')
  const of_bob = plan.tasks.filter(({ assignee }: Fields) => assignee === bob).length
  assert.deepEqual([alone.diff.added, alone.diff.removed, alone.diff.reassigned.length], [[], [], of_bob])
  assert.deepEqual(
    alone.at_risk_objectives.map(({ id }: Fields) => id),
    ['on_time'],
  )
  const nobody = await stage.run('graph.replan', {
    graph_ref: plan.graph_ref,
    expected_version: 2,
    events: [{ kind: 'resource_lost', data: { did: ann } }],
  })
  assert.deepEqual([nobody.feasible, nobody.failing.name], [false, 'agents'])
  const cheap = await refine({
    charter_ref: await declare({ constraints: [{ id: 'cheap', expr: 'plan.cost < 20' }] }),
  })
  assert.deepEqual([cheap.feasible, cheap.failing.name, cheap.graph_ref], [false, 'cheap', undefined])
})

test('an impossible goal is reported with the first failed condition, and nothing is stored', async () => {
  const plan = await refine({ state: { ...world, at: { ...world.at, p2: 'nowhere' } } })
  assert.deepEqual([plan.feasible, plan.search.ended], [false, 'complete'])
  assert.deepEqual([plan.failing.task, plan.failing.args.package], ['deliver', 'p2'])
  assert.match(plan.failing.precondition, /state\.at/)
  const short = await refine({
    state: { ...world, at: { ...world.at, p2: 'nowhere' } },
    budget: { expansions: 3 },
  })
  assert.deepEqual([short.feasible, short.search.ended], [false, 'expansions'])
  const bad = stage.run('goal.refine', { goal: 'x', operators: [{ name: 'x', preconditions: 'state.(' }] })
  await assertRefused(bad, 'invalid_payload', 'domain')
  const hddl = `(define (domain lights) (:predicates (on)) (:action switch :parameters () :precondition (not (on)) :effect (on)))`
  const lit = await stage.run('goal.refine', { goal: 'switch', hddl })
  assert.deepEqual([lit.tasks.length, lit.methods_from], [1, 'given'])
  await assertRefused(
    stage.run('goal.refine', { goal: 'htn', hddl: hddl.slice(1) }),
    'invalid_payload',
    'domain',
  )
  const vague = await stage.run('goal.refine', { goal: 'Make everybody happy.' })
  assert.deepEqual([vague.feasible, vague.methods_from, vague.unrefined], [true, 'none', ['t1']])
})

test('methods proposed by a model count only if they are executable', async () => {
  const goal = { task: 'serve', args: { cup: 'blue' } }
  const operators = [
    { name: 'boil', effects: [{ set: 'water', to: 'hot' }] },
    { name: 'pour', preconditions: 'state.water == "hot"', effects: [{ set: 'cups.{cup}', to: 'tea' }] },
  ]
  const pour = { task: 'pour', args: [{ name: 'cup', cel: 'args.cup' }] }
  const methodOf = (subtasks: Fields[]) => ({ methods: [{ task: 'serve', preconditions: [], subtasks }] })
  const outcomes = []
  for (const methods of [
    methodOf([{ task: 'boil', args: [] }, pour]),
    methodOf([pour]),
    methodOf([{ task: 'x(', args: [] }]),
  ]) {
    proposal = methods
    const plan = await stage.run('goal.refine', { goal, operators, state: { water: 'cold' } })
    outcomes.push([
      plan.methods_from,
      plan.tasks.map(({ operator }: Fields) => operator),
      plan.unrefined.length,
    ])
  }
  assert.deepEqual(outcomes, [
    ['model', ['boil', 'pour'], 0],
    ['none', ['serve'], 1],
    ['none', ['serve'], 1],
  ])
})
