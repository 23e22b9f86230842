// Scenarios 7 and 8 over HTTP: a model is published once and for all, and asked what follows from seeing, doing and having done otherwise.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject } from '@svc/contract/schema'
import { asia_bif } from '@svc/protocols/cognition/causal/test-published-networks'
import { keepContent } from '@svc/protocols/cognition/content/store'
import { marc } from '@svc/protocols/cognition/marc/marc'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

/** Keeps snapshots as MIND does. */
const snapshots = protocol({
  id: 'SNAPSHOTS',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'What a test needs to keep.',
  operations: {
    keep: operation({
      summary: 'Keep a snapshot.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['embedder', 'vault'],
      input: AnyObject,
      output: AnyObject,
      example: {},
      async handle({ ref, ...body }, context) {
        return { ...(await keepContent(context, { ref: String(ref), kind: 'snapshot', body })) }
      },
    }),
  },
})

let service: InProcessService
let rival: Addresses
let asia: string

before(async () => {
  service = await startInProcess({ more_protocols: [snapshots] })
  rival = await service.newCaller({ tenant_id: 'rival' })
  asia = (await publish({ name: 'asia', version: '1.0.0', format: 'bif', source: asia_bif })).model_ref
})
after(() => service.stop())

const ask = (operation: string, input: unknown, who: Addresses = service): Promise<Answer> =>
  dispatch(who, { protocol: 'MARC', operation, input, tenant_id: who.tenant_id })
const publish = async (input: unknown): Promise<Fields> =>
  assertSuccess(await ask('publish_model', input)).output
const analyse = async (input: Fields): Promise<Fields> =>
  assertSuccess(await ask('causal_analysis', { model_ref: asia, ...input })).output
const refused = async (operation: string, input: unknown, reason: string, who: Addresses = service) =>
  assertRefusal(await ask(operation, input, who), { code: 'invalid_payload', stage: 7, reason })

function assertNear(found: number, wanted: number, within = 5e-7): void {
  assert.ok(Math.abs(found - wanted) <= within, `${found} is not ${wanted}`)
}

const binary = (name: string, parents: string[], cpt: number[], more: Fields = {}) => ({
  name,
  states: ['0', '1'],
  parents,
  cpt,
  ...more,
})
/** x and y share a hidden cause; y as it was seen to depend on m and x. */
const front_door = [
  binary('x', [], [0.5, 0.5]),
  binary('m', ['x'], [0.9, 0.1, 0.2, 0.8]),
  binary('y', ['m'], [0.8, 0.2, 0.6, 0.4, 0.5, 0.5, 0.1, 0.9], { cpt_given: ['m', 'x'] }),
]

test('a model is published once: the same content has one address, a name leads to it for ever', async () => {
  const again = await publish({ name: 'asia', version: '1.0.0', format: 'bif', source: asia_bif })
  assert.deepEqual(again, {
    model_ref: asia,
    variables: 8,
    edges: 8,
    parameters: 36,
    treewidth_bound: 2,
    warnings: [],
  })
  const other_name = {
    name: 'clinic',
    version: '2.0.0-beta.1',
    format: 'bif',
    source: `// same\n${asia_bif}`,
  }
  const provenance = ['mind://cell/0190a1b2']
  assert.equal((await publish({ ...other_name, supersedes: asia, provenance })).model_ref, asia)
  const changed = { name: 'asia', version: '1.0.0', variables: front_door }
  await refused('publish_model', changed, 'version_conflict')
  const [one, other] = await Promise.all(
    [front_door, front_door.slice(0, 2)].map((variables) =>
      ask('publish_model', { name: 'race', version: '1.0.0', variables }),
    ),
  )
  assert.deepEqual([one!.status, other!.status].sort(), [200, 422])
  const records = await service.records(service.tenant_id)
  const events = records.filter(({ event_type }) => event_type === 'ModelPublished')
  assert.equal(events.length, 3)
  assert.ok(events.every(({ meta }) => typeof meta.model_ref === 'string' && meta.parameters !== undefined))
  const { output } = assertSuccess(
    await dispatch(service, {
      protocol: 'MARS',
      operation: 'query_registry',
      tenant_id: service.tenant_id,
      input: { kind: 'model' },
    }),
  )
  assert.ok(JSON.stringify(output).includes(asia))
})

test('intervention is not observation', async () => {
  const outcome = { variable: 'lung', state: 'yes' }
  const answer = await analyse({ outcome, query: 'observational', given: { xray: 'yes' } })
  assertNear(answer.probability, 0.4887, 5e-5)
  assert.deepEqual(
    [answer.exact, answer.identifiable, answer.binding, answer.strategy],
    [true, true, false, undefined],
  )
  const done = await analyse({ outcome, do: { xray: 'yes' } })
  assertNear(done.probability, 0.055, 1e-12)
  assert.equal(done.strategy, 'mutilation')
  const short_breath = { variable: 'dysp', state: 'yes' }
  assertNear((await analyse({ outcome: short_breath, do: { smoke: 'yes' } })).probability, 0.552808)
  const { effect } = await analyse({ outcome: short_breath, query: 'ate', do: { smoke: 'yes' } })
  assertNear(effect.ate, 0.233675)
  assert.deepEqual(effect.baseline, { smoke: 'no' })
  const bronchitis = await analyse({ outcome: short_breath, do: { bronc: 'yes' } })
  assertNear(bronchitis.probability, 0.806483)
  assert.deepEqual(bronchitis.adjustment_set, ['smoke'])
  assert.ok(bronchitis.usage.tokens_in > 0 && bronchitis.elimination_order.length > 0)
  const whole = await analyse({
    outcome: { variable: 'dysp' },
    query: 'observational',
    given: { bronc: 'yes' },
  })
  assertNear(whole.distribution.yes, 0.807967)
  assertNear(whole.distribution.yes + whole.distribution.no, 1, 1e-12)
})

test('what is too wide is sampled, with its interval and its seed, the same each time', async () => {
  const question = { outcome: { variable: 'dysp', state: 'yes' }, do: { smoke: 'yes' }, max_factor: 2 }
  const [drawn, again] = [await analyse(question), await analyse(question)]
  assert.deepEqual([drawn.exact, drawn.probability, drawn.ci95], [false, again.probability, again.ci95])
  const [low, high] = drawn.ci95
  assert.ok(low < drawn.probability && drawn.probability < high && high - low < 0.01)
  assertNear(drawn.probability, 0.552808, 3 * (high - low))
  assert.equal(drawn.sampling.samples, 200_000)
})

test('an effect that hidden causes hide is refused with the hedge; through a front door it is told', async () => {
  const bow = [binary('x', [], [0.5, 0.5]), binary('y', ['x'], [0.8, 0.2, 0.3, 0.7])]
  const bidirected = [['x', 'y']]
  const { model_ref } = await publish({ name: 'bow', version: '1.0.0', variables: bow, bidirected })
  const question = { outcome: { variable: 'y', state: '1' }, do: { x: '1' } }
  const error = await refused('causal_analysis', { model_ref, ...question }, 'not_identifiable')
  assert.deepEqual((error.details as Fields).hedge, { F: ['x', 'y'], F_prime: ['y'] })
  const front = await publish({ name: 'front', version: '1.0.0', variables: front_door, bidirected })
  assert.deepEqual(front.warnings, [])
  const answer = await analyse({ model_ref: front.model_ref, ...question })
  assert.deepEqual([answer.strategy, answer.adjustment_set, answer.identifiable], ['frontdoor', ['m'], true])
  assertNear(answer.probability, 0.2 * (0.5 * 0.2 + 0.5 * 0.4) + 0.8 * (0.5 * 0.5 + 0.5 * 0.9), 1e-12)
  await refused(
    'causal_analysis',
    { model_ref: front.model_ref, ...question, query: 'counterfactual' },
    'needs_scm',
  )
})

test('what would have been is told where the model leaves nothing to chance but its roots', async () => {
  const variables = [
    binary('u', [], [0.7, 0.3]),
    binary('x', [], [0.5, 0.5]),
    binary('y', ['x', 'u'], [1, 0, 1, 0, 1, 0, 0, 1]),
  ]
  const { model_ref } = await publish({ name: 'scm', version: '1.0.0', variables })
  const question = { model_ref, outcome: { variable: 'y', state: '1' }, query: 'counterfactual' }
  // It failed without x: only where u is 1 would x have helped, and without y nothing is known of u.
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

test('a snapshot that names a model is asked like the model', async () => {
  const [pointing, other] = ['mind://snapshot/pointing', 'mind://snapshot/other']
  for (const input of [
    { ref: pointing, model_ref: asia },
    { ref: other, facts: [] },
  ])
    assertSuccess(await dispatch(service, { protocol: 'SNAPSHOTS', operation: 'keep', input }))
  const question = { outcome: { variable: 'lung', state: 'yes' }, do: { xray: 'yes' } }
  const answer = await analyse({ ...question, model_ref: undefined, world_model_snapshot: pointing })
  assert.equal(answer.model_ref, asia)
  assertNear(answer.probability, 0.055, 1e-12)
  await refused('causal_analysis', { ...question, world_model_snapshot: other }, 'not_found')
  await refused('causal_analysis', { ...question, world_model_snapshot: pointing }, 'not_found', rival)
})

test('questions that make no sense are refused by their reason', async () => {
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
  const answer = await ask('causal_analysis', poor)
  assertRefusal(answer, { code: 'policy_denied', stage: 7, reason: 'token budget exhausted' })
})

test('models that break their own rules are refused by their reason, and nothing of them is kept', async () => {
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

test('the example of one operation is what the example of the other asks about', async () => {
  const { model_ref } = await publish(marc.operations.publish_model.example)
  const { probability } = await analyse(marc.operations.causal_analysis.example as Fields)
  assert.equal(model_ref, (marc.operations.causal_analysis.example as Fields).model_ref)
  assertNear(probability, 0.2 * 0.99 + 0.8 * 0.9, 1e-12)
})
