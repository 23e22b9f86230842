// The rules of manifests: what is refused when one is submitted or started.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '@svc/database/sql'
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

test('a schema that would check nothing is refused with its place, of inputs and of signals', async () => {
  const odd: readonly [string, Fields][] = [
    ['/type', { type: 'strin' }],
    ['/properties', { type: 'object', properties: 5 }],
    ['/required', { required: 'x' }],
    ['/enum', { enum: 3 }],
    ['/minimum', { minimum: 'a' }],
    ['/properties/a/type', { properties: { a: { type: 'strin' } } }],
  ]
  for (const [place, schema] of odd) {
    const named = { name: 'odd-forms', version: '1.0.0' }
    const input = await assertRefused(
      submit({ ...named, steps: [step('a')], input_schema: schema }),
      'invalid_payload',
      'input_schema',
    )
    assert.match(input.message, new RegExp(` /input_schema${place} has a value of the wrong form`))
    const gate = {
      kind: 'Gate',
      condition: 'true',
      await: { signal: 'go', schema },
      on_true: [],
      on_false: [],
    }
    const signal = await assertRefused(submit({ ...named, steps: [gate] }), 'invalid_payload', 'signal')
    assert.match(signal.message, new RegExp(` /steps/0/await/schema${place} has a value of the wrong form`))
    assert.equal(signal.details.path, '/manifest/steps/0/await/schema')
  }
})

test('a step that runs a manifest which does not exist yet is a warning', async () => {
  const child = (manifest: string, version = '1.0.0') => ({ kind: 'Run', manifest, version })
  const submitted = (name: string, ...steps: Fields[]) => submit({ name, version: '1.0.0', steps })
  await submitted('child-there', step('a'))
  const { warnings } = await submitted(
    'parent',
    child('child-there'),
    child('parent'),
    { kind: 'Parallel', steps: [child('child-missing')] },
    child('child-there', '2.0.0'),
  )
  assert.deepEqual(warnings, [
    '/steps/2/steps/0/manifest There is no manifest child-missing 1.0.0 yet; submit it before this one is run.',
    '/steps/3/manifest There is no manifest child-there 2.0.0 yet; submit it before this one is run.',
  ])
})

test('undoing a run that is being undone is refused with what to do', async () => {
  await submit({ name: 'turning', version: '1.0.0', steps: [step('a')] })
  const { run_ref } = await stage.run('execute_workflow', { name: 'turning', version: '1.0.0' })
  const undo = () =>
    assertRefused(stage.run('execute_workflow', { action: 'undo', run_ref }), 'policy_denied')
  assert.match((await undo()).message, /this one is pending\. Cancel it with compensate\.$/)
  const run_id = run_ref.slice('moon://run/'.length)
  await stage.as('acme', (db) =>
    sql`UPDATE moon_run SET state = 'compensating' WHERE run_id = ${run_id}`.execute(db),
  )
  assert.match((await undo()).message, /this one is compensating\. Wait until it has ended\.$/)
})
