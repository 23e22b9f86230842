// The rules of publish_model and causal_analysis.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { notes } from '../../../checks/scenes/notes-protocol.ts'
import { asia_bif } from '../causal/test-published-networks.ts'
import { marc } from './marc.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const rival = { did: `did:oas:rival:agent:${'b'.repeat(64)}`, tenant_id: 'rival' }
let stage: Rehearsal
let asia: string

before(async () => {
  const ports = { identity: localAdminResolver() }
  stage = await rehearse(marc, { others: [notes], tenants: [test_tenant, 'rival'], ports })
  asia = (await publish({ name: 'asia', version: '1.0.0', format: 'bif', source: asia_bif })).model_ref
})
after(() => stage.close())

const run = (operation: string, input: unknown, as?: object): Promise<Fields> =>
  stage.run(operation, input, as)
const publish = (input: unknown) => run('publish_model', input)
const analyse = (input: Fields) => run('causal_analysis', { model_ref: asia, ...input })
const refused = (operation: string, input: unknown, reason: string, as?: object) =>
  assertRefused(run(operation, input, as), 'invalid_payload', reason)

function assertNear(actual: number, expected: number, within = 5e-7): void {
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`)
}

const binary = (name: string, parents: string[], cpt: number[], more: Fields = {}) => ({
  name,
  states: ['0', '1'],
  parents,
  cpt,
  ...more,
})
/** x and y share a hidden cause; y as observed to depend on m and x. */
const front_door = [
  binary('x', [], [0.5, 0.5]),
  binary('m', ['x'], [0.9, 0.1, 0.2, 0.8]),
  binary('y', ['m'], [0.8, 0.2, 0.6, 0.4, 0.5, 0.5, 0.1, 0.9], { cpt_given: ['m', 'x'] }),
]

test('a query too large for an exact result is sampled, with interval and seed, reproducibly', async () => {
  const question = { outcome: { variable: 'dysp', state: 'yes' }, do: { smoke: 'yes' }, max_factor: 2 }
  const [drawn, again] = [await analyse(question), await analyse(question)]
  assert.deepEqual([drawn.exact, drawn.probability, drawn.ci95], [false, again.probability, again.ci95])
  const [low, high] = drawn.ci95
  assert.ok(low < drawn.probability && drawn.probability < high && high - low < 0.01)
  assertNear(drawn.probability, 0.552808, 3 * (high - low))
  assert.equal(drawn.sampling.samples, 200_000)
})

test('a confounded effect is refused with its hedge; by the front-door criterion it is computed', async () => {
  const bow = [binary('x', [], [0.5, 0.5]), binary('y', ['x'], [0.8, 0.2, 0.3, 0.7])]
  const bidirected = [['x', 'y']]
  const { model_ref } = await publish({ name: 'bow', version: '1.0.0', variables: bow, bidirected })
  const question = { outcome: { variable: 'y', state: '1' }, do: { x: '1' } }
  const error = await refused('causal_analysis', { model_ref, ...question }, 'not_identifiable')
  assert.deepEqual((error.details as Fields).hedge, { F: ['x', 'y'], F_prime: ['y'] })
  const front = await publish({ name: 'front', version: '1.0.0', variables: front_door, bidirected })
  assert.deepEqual(front.warnings, [])
  const answer = await analyse({ model_ref: front.model_ref, ...question })
  assert.deepEqual([answer.strategy, answer.front_door_set, answer.identifiable], ['frontdoor', ['m'], true])
  assert.equal(answer.adjustment_set, undefined, 'a mediator is nothing to adjust for')
  assertNear(answer.probability, 0.2 * (0.5 * 0.2 + 0.5 * 0.4) + 0.8 * (0.5 * 0.5 + 0.5 * 0.9), 1e-12)
  await refused(
    'causal_analysis',
    { model_ref: front.model_ref, ...question, query: 'counterfactual' },
    'needs_scm',
  )
})

test('counterfactuals are computed if only the roots of a model are random', async () => {
  const variables = [
    binary('u', [], [0.7, 0.3]),
    binary('x', [], [0.5, 0.5]),
    binary('y', ['x', 'u'], [1, 0, 1, 0, 1, 0, 0, 1]),
  ]
  const { model_ref } = await publish({ name: 'scm', version: '1.0.0', variables })
  const question = { model_ref, outcome: { variable: 'y', state: '1' }, query: 'counterfactual' }
  // It failed without x: x helps only if u is 1, and without observing y nothing is known of u.
  assertNear((await analyse({ ...question, do: { x: '1' }, given: { x: '0' } })).probability, 0.3, 1e-12)
  assertNear(
    (await analyse({ ...question, do: { x: '0' }, given: { x: '1', y: '1' } })).probability,
    0,
    1e-12,
  )
  assertNear((await analyse({ ...question, do: { x: '1' }, given: { y: '1' } })).probability, 1, 1e-12)
  await refused(
    'causal_analysis',
    { ...question, model_ref: asia, outcome: { variable: 'dysp' }, do: { smoke: 'yes' } },
    'needs_scm',
  )
})

test('a snapshot that names a model answers like the model', async () => {
  const [pointing, other] = ['mind://snapshot/pointing', 'mind://snapshot/other']
  await run('NOTES.keep', { ref: pointing, kind: 'snapshot', body: { model_ref: asia } })
  await run('NOTES.keep', { ref: other, kind: 'snapshot', body: { facts: [] } })
  const question = { outcome: { variable: 'lung', state: 'yes' }, do: { xray: 'yes' } }
  const answer = await analyse({ ...question, model_ref: undefined, world_model_snapshot: pointing })
  assert.equal(answer.model_ref, asia)
  assertNear(answer.probability, 0.055, 1e-12)
  await refused('causal_analysis', { ...question, world_model_snapshot: other }, 'not_found')
  await refused('causal_analysis', { ...question, world_model_snapshot: pointing }, 'not_found', rival)
})

test('invalid queries are refused with their reason', async () => {
  const question = { model_ref: asia, outcome: { variable: 'dysp', state: 'yes' } }
  const wrong: [Fields, string][] = [
    [{ do: { smoke: 'yes' }, given: { smoke: 'no' } }, 'overlap'],
    [{ do: { dysp: 'yes' } }, 'overlap'],
    [{ given: { lung: 'yes', either: 'no' } }, 'zero_probability_evidence'],
    [{ do: { smoke: 'maybe' } }, 'not_found'],
    [{ given: { nobody: 'yes' } }, 'not_found'],
    [{ outcome: { variable: 'dysp', state: 'often' } }, 'not_found'],
    [{ query: 'ate' }, 'question'],
    [{ query: 'observational', do: { smoke: 'yes' } }, 'question'],
    [{ query: 'ate', do: { smoke: 'yes' }, outcome: { variable: 'dysp' } }, 'state_required'],
    [{ world_model_snapshot: 'mind://snapshot/none' }, 'question'],
    [{ model_ref: undefined, world_model_snapshot: 'mind://snapshot/none' }, 'not_found'],
    [{ model_ref: `marc://model/${'0'.repeat(64)}` }, 'not_found'],
  ]
  for (const [change, reason] of wrong) await refused('causal_analysis', { ...question, ...change }, reason)
  const [nobodys, theirs] = [`marc://model/${'0'.repeat(64)}`, asia]
  const errors = []
  for (const model_ref of [nobodys, theirs])
    errors.push(await refused('causal_analysis', { ...question, model_ref }, 'not_found', rival))
  assert.equal(errors[0]!.message.replace(nobodys, ''), errors[1]!.message.replace(theirs, ''))
  const poor = { ...question, budget: { tokens: 1, deadline_ms: 1000 } }
  await assertRefused(run('causal_analysis', poor), 'policy_denied', 'token budget exhausted')
})

test('invalid models are refused with their reason, and nothing of them is stored', async () => {
  const [x, m, y] = front_door as unknown as [Fields, Fields, Fields]
  const cases: [Fields, string][] = [
    [{ variables: [binary('x', ['m'], [1, 0, 0, 1]), m, y] }, 'cycle'],
    [{ variables: [{ ...x, cpt: [0.5, 0.4] }] }, 'cpt_sum'],
    [{ variables: [{ ...x, cpt: [1] }] }, 'cpt_shape'],
    [{ variables: [{ ...x, cpt: undefined }] }, 'cpt_shape'],
    [{ variables: [{ ...x, parents: ['nobody'] }] }, 'not_found'],
    [{ variables: [x, x] }, 'duplicate'],
    [{ variables: [x], bidirected: [['x', 'z']] }, 'not_found'],
    [{ variables: [x], supersedes: `marc://model/${'0'.repeat(64)}` }, 'not_found'],
    [{ format: 'bif', source: 'variable x {' }, 'bif_syntax'],
    [{ format: 'bif', variables: [x] }, 'format'],
  ]
  for (const [change, reason] of cases)
    await refused('publish_model', { name: 'broken', version: '1.0.0', ...change }, reason)
  const rows = [[0.5, 0.5]]
  const answer = await publish({
    name: 'broken',
    version: '1.0.0',
    variables: [{ ...x, parents: undefined, cpt: rows }],
  })
  assert.equal(answer.parameters, 2)
})

test('the example of causal_analysis uses the example of publish_model', async () => {
  const { model_ref } = await publish(marc.operations.publish_model.example)
  const { probability } = await analyse(marc.operations.causal_analysis.example as Fields)
  assert.equal(model_ref, (marc.operations.causal_analysis.example as Fields).model_ref)
  assertNear(probability, 0.2 * 0.99 + 0.8 * 0.9, 1e-12)
})
