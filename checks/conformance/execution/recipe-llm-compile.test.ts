// recipe-llm-compile lets its holder have a model write a recipe, which never starts by itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type Reply, startModel, type TestModel } from '../../neighbours/test-model.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'

const name = 'recipe-llm-compile'
const budget = { tokens: 100_000 }
const read_audit_log = {
  kind: 'Protocol',
  name: 'post',
  protocol: 'MAX',
  operation: 'audit_query',
  payload: { after_seq: 0, limit: 10 },
}
let say: Reply
let model: TestModel
let service: InProcessService
let author: Addresses
let versions = 0

before(async () => {
  model = await startModel(() => say)
  service = await startInProcess({ config: { model: { url: model.url, name: 'small', key: undefined } } })
  author = await service.newCaller({ capabilities: ['svc.*.*', name] })
})
after(async () => {
  await service.stop()
  await model.close()
})

const recipe = (value: unknown): Reply => ({ value: { recipe: JSON.stringify(value) } })
const intent = () => ({
  text: 'Read the last ten records.',
  name: 'ten-records',
  version: `1.0.${++versions}`,
})
const submit = (who: Addresses, input: object) =>
  dispatch(who, { protocol: 'MOON', operation: 'submit_manifest', input })
const start = (who: Addresses, manifest_ref: unknown) =>
  dispatch(who, { protocol: 'MOON', operation: 'execute_workflow', input: { manifest_ref, wait_ms: 20_000 } })

test('an intent becomes a checked manifest that starts only after it is submitted', async () => {
  say = recipe({ steps: [read_audit_log] })
  const wish = intent()
  const answer = assertSuccess(await submit(author, { intent: wish, budget }))
  const { manifest_ref, proposed, required_capabilities } = answer.output
  const manifest = { name: wish.name, version: wish.version, steps: [read_audit_log] }
  assert.deepEqual(proposed, { manifest, model: 'small' })
  assert.deepEqual(required_capabilities, ['svc.max.audit_query'])
  assert.deepEqual([answer.metadata.usage.tokens_in, answer.metadata.usage.tokens_out], [21, 7])
  assert.ok(model.asked.at(-1)?.messages.some(({ content }) => content.includes(wish.text)))
  const denied = { code: 'policy_denied', stage: 7, reason: 'manifest inactive' } as const
  assertRefusal(await start(author, manifest_ref), denied)
  const submitted = assertSuccess(await submit(author, { manifest })).output
  assert.deepEqual([submitted.manifest_ref, submitted.is_new], [manifest_ref, false])
  assert.equal(assertSuccess(await start(author, manifest_ref)).output.state, 'succeeded')
  const records = await service.records(service.tenant_id, { event_types: ['ManifestSubmitted'] })
  assert.deepEqual(
    records.map(({ meta }) => [meta.is_active, meta.compiled_by]),
    [
      [false, 'small'],
      [true, undefined],
    ],
  )
})

test('without the exact unconditional capability it is refused, and no model is called', async () => {
  const requests_before = model.asked.length
  const condition = { name, caveats: ['time:00-24'] }
  const bounded = { name, caveats: [], limits: { max_per_hour: 1 } }
  const expired = { name, caveats: [], expires_at: '2020-01-01T00:00:00Z' }
  for (const capabilities of [[], [condition], [bounded], [expired]]) {
    const caller = await service.newCaller({ capabilities: ['svc.*.*', 'svc.moon.*', ...capabilities] })
    const answer = await submit(caller, { intent: intent(), budget })
    const expected = { code: 'missing_capability', stage: 7, reason: 'missing capability' } as const
    const { error, record } = await assertRefusedAndRecorded(service, answer, expected)
    assert.equal(error.details.requested_capability, name)
    assert.match(error.message, /needs the capability recipe-llm-compile/)
    assert.equal(record.meta.requested_capability, name)
  }
  assert.equal(model.asked.length, requests_before)
})

test('proposals of the model follow the rules of any manifest, with fewer fields allowed', async () => {
  const table: [Reply, string, string][] = [
    [
      recipe({ steps: [{ ...read_audit_log, operation: 'no_such' }] }),
      'invalid_payload',
      'unknown_operation',
    ],
    [recipe({ steps: [{ ...read_audit_log, payload: { limit: 'ten' } }] }), 'invalid_payload', 'type_error'],
    [recipe({ steps: [] }), 'adapter_error', 'unusable proposal'],
    [
      recipe({ steps: [read_audit_log], schedule: { cron: '* * * * *' } }),
      'adapter_error',
      'unusable proposal',
    ],
    [recipe({ steps: [read_audit_log], name: 'another' }), 'adapter_error', 'unusable proposal'],
    [{ value: { recipe: '{"steps": [' } }, 'adapter_error', 'unusable proposal'],
    [{ value: { other: 1 } }, 'adapter_error', 'model unavailable'],
    [{ status: 400 }, 'adapter_error', 'model unavailable'],
  ]
  for (const [reply, code, reason] of table) {
    say = reply
    assertRefusal(await submit(author, { intent: intent(), budget }), { code, stage: 7, reason } as never)
  }
})

test('an intent needs tokens, is not activated, and does not come with a manifest', async () => {
  say = recipe({ steps: [read_audit_log] })
  const manifest = { name: 'both', version: '1.0.0', steps: [read_audit_log] }
  const table: [object, string, string][] = [
    [{ intent: intent() }, 'policy_denied', 'token budget exhausted'],
    [{ intent: intent(), budget, activate: true }, 'invalid_payload', 'never_auto_run'],
    [{ intent: intent(), budget, manifest }, 'invalid_payload', 'one_of'],
    [{}, 'invalid_payload', 'one_of'],
  ]
  for (const [input, code, reason] of table)
    assertRefusal(await submit(author, input), { code, stage: 7, reason } as never)
})

test('without a model an intent is refused; a manifest is still accepted', async () => {
  const plain = await startInProcess({ caller: { capabilities: ['svc.*.*', name] } })
  try {
    const expected = { code: 'policy_denied', stage: 7, reason: 'no model' } as const
    assertRefusal(await submit(plain, { intent: intent(), budget }), expected)
    const manifest = { name: 'plain', version: '1.0.0', steps: [read_audit_log] }
    const { metadata } = assertSuccess(await submit(plain, { manifest }))
    assert.equal(metadata.usage.tokens_in, 0)
  } finally {
    await plain.stop()
  }
})
