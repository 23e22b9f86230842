// Scenarios 7 and 8 over HTTP: an immutable model answers observation, intervention and counterfactuals.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asia_bif } from '@svc/protocols/cognition/causal/test-published-networks'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let asia: string

before(async () => {
  service = await startInProcess()
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

test('a model is published once: the same content has one address, and a name never changes its model', async () => {
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
