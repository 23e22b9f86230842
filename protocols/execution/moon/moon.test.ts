// The rules of manifests: what is refused when one is submitted or started.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { workflowProtocol } from '../../../checks/scenes/workflow-protocol.ts'
import { moon } from './moon.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let stage: Rehearsal
before(async () => {
  stage = await rehearse(moon, { others: [workflowProtocol({ log: [], failing: new Map() })] })
})
after(() => stage?.close())

const submit = (manifest: Fields): Promise<Fields> => stage.run('submit_manifest', { manifest })
const step = (name: string, more: Fields = {}) => ({
  kind: 'Protocol',
  name,
  protocol: 'STEPS',
  operation: 'act',
  payload: { name },
  ...more,
})

const wrong: readonly [string, Fields, string][] = [
  ['a cycle', { steps: [step('a', { depends_on: ['b'] }), step('b', { depends_on: ['a'] })] }, 'cycle'],
  ['an unknown operation', { steps: [step('a', { operation: 'fly' })] }, 'unknown_operation'],
  [
    'a reference of the wrong type',
    {
      steps: [step('a'), step('b', { payload: { name: { $ref: 'steps.a.data.value' } } })],
    },
    'type_error',
  ],
  [
    'a reference to a later step',
    {
      steps: [step('a', { payload: { name: { $ref: 'steps.b.data.name' } } }), step('b')],
    },
    'not_an_ancestor',
  ],
  ['an invalid expression', { steps: [step('a', { when: 'input.' })] }, 'expression'],
  ['an answer where there is none', { steps: [step('a', { when: 'data.ok' })] }, 'expression'],
  ['a success that is no truth value', { steps: [step('a', { success_when: '1 + 1' })] }, 'expression'],
  [
    'an error named as one of the engine',
    { steps: [step('a', { errors: [{ type: 'timeout', when: 'data.late' }] })] },
    'error_type',
  ],
  [
    'a retry after an unknown error',
    { steps: [step('a', { retry: { max: 1, on: ['declined'] } })] },
    'error_type',
  ],
  [
    'a retry after a refusal',
    { steps: [step('a', { retry: { max: 1, on: ['policy_denied'] } })] },
    'error_type',
  ],
  ['an invalid schedule', { steps: [step('a')], schedule: { cron: 'whenever' } }, 'schedule'],
  [
    'an unknown compensation',
    { steps: [step('a')], compensation: { a: step('u', { operation: 'fly' }) } },
    'unknown_operation',
  ],
  [
    'a compensation with an invalid payload',
    { steps: [step('a')], compensation: { a: step('u', { payload: { name: { $cel: 'steps.b.' } } }) } },
    'expression',
  ],
  ['an output of an unknown step', { steps: [step('a')], output: 'steps.b.data' }, 'unknown_step'],
  [
    'a compensation of an unknown step',
    { steps: [step('a')], compensation: { b: step('b') } },
    'compensation',
  ],
]
for (const [what, manifest, reason] of wrong) {
  test(`a manifest with ${what} is refused before it can run`, async () => {
    await assertRefused(submit({ name: 'wrong', version: '1.0.0', ...manifest }), 'invalid_payload', reason)
  })
}

test('one version has one content, and an input must match the schema', async () => {
  const manifest = {
    name: 'typed',
    version: '1.0.0',
    steps: [step('a')],
    input_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  }
  const first = await submit(manifest)
  const same = await submit(manifest)
  assert.deepEqual([first.is_new, same.is_new, same.manifest_ref], [true, false, first.manifest_ref])
  await assertRefused(submit({ ...manifest, steps: [step('b')] }), 'invalid_payload', 'version_conflict')
  const start = (n: unknown) =>
    stage.run('execute_workflow', { name: 'typed', version: '1.0.0', input: { n } })
  await assertRefused(start('x'), 'invalid_payload', 'input_schema')
  assert.equal((await start(1)).state, 'pending')
})

test('an invalid schema is refused on submission', async () => {
  const input_schema = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }
  const manifest = { name: 'odd-schema', version: '1.0.0', steps: [step('a')], input_schema }
  await assertRefused(submit(manifest), 'invalid_payload', 'input_schema')
})
