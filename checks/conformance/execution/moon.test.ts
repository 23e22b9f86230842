// MOON over HTTP: manifests are checked before they run, and each step takes effect once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { type Effects, workflowProtocol } from '../../scenes/workflow-protocol.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const external_effects: Effects = { log: [], failing: new Map() }
let service: InProcessService
let names = 0

before(async () => {
  service = await startInProcess({ more_protocols: [workflowProtocol(external_effects)] })
})
after(() => service.stop())

const ask = (operation: string, input: unknown) => dispatch(service, { protocol: 'MOON', operation, input })
const run = async (input: Fields): Promise<Fields> =>
  assertSuccess(await ask('execute_workflow', input)).output
const step = (name: string, more: Fields = {}) => ({
  kind: 'Protocol',
  name,
  protocol: 'STEPS',
  operation: 'act',
  payload: { name },
  ...more,
})

async function submit(manifest: Fields): Promise<string> {
  const named = { name: `flow-${++names}`, version: '1.0.0', ...manifest }
  return assertSuccess(await ask('submit_manifest', { manifest: named })).output.manifest_ref as string
}

async function runOf(manifest: Fields, more: Fields = {}): Promise<Fields> {
  return run({ manifest_ref: await submit(manifest), wait_ms: 20_000, ...more })
}

const stateOf = ({ steps }: Fields, path: string) => steps.find((one: Fields) => one.path === path)?.state

test('a run starts by name and version with a valid input; step answers reach its output', async () => {
  await submit({
    name: 'typed',
    steps: [
      step('one', { payload: { name: 'one', value: { $ref: 'input.start' }, confidence: 0.9 } }),
      step('two', { payload: { name: 'two', value: { $ref: 'steps.one.data.value' } } }),
      step('three', { payload: { name: 'three', value: { $cel: 'steps.two.data.value * 2' } } }),
    ],
    input_schema: { type: 'object', required: ['start'], properties: { start: { type: 'integer' } } },
    output: 'steps.three.data.value',
  })
  const ended = await run({ name: 'typed', version: '1.0.0', input: { start: 5 }, wait_ms: 20_000 })
  assert.equal(ended.state, 'succeeded')
  assert.equal(ended.output, 15)
  assert.equal(ended.confidence_score, 0.9)
})

test('a gate takes one branch, and the other costs no confidence', async () => {
  const steps = [
    step('look', { payload: { name: 'look', value: { $ref: 'input.value' } } }),
    {
      kind: 'Gate',
      name: 'big',
      condition: 'steps.look.data.value > 10',
      on_true: [step('large')],
      on_false: [step('small')],
    },
    step('last'),
  ]
  const ended = await runOf({ steps }, { input: { value: 41 } })
  assert.equal(ended.state, 'succeeded')
  assert.deepEqual([stateOf(ended, 'big/large'), stateOf(ended, 'big/small')], ['succeeded', 'skipped'])
  assert.equal(ended.confidence_score, 1)
})

test('errors are retried at the cost of confidence; refusals are not', async () => {
  external_effects.failing.set('shaky', { times: 2, code: 'adapter_error' })
  const shaky = await runOf({ steps: [step('shaky', { retry: { max: 3, backoff_ms: 1 } })] })
  assert.equal(shaky.state, 'succeeded')
  assert.equal(shaky.steps[0].attempt, 3)
  assert.ok(Math.abs(shaky.confidence_score - 0.95 ** 2) < 1e-9)

  external_effects.failing.set('busy', { times: 3, code: 'rate_limited' })
  const busy = await runOf({ steps: [step('busy')] })
  assert.deepEqual([busy.state, busy.steps[0].attempt, busy.confidence_score], ['succeeded', 1, 1])

  external_effects.failing.set('banned', { times: 1, code: 'policy_denied' })
  const banned = await runOf({ steps: [step('banned', { retry: { max: 5, backoff_ms: 1 } }), step('never')] })
  assert.deepEqual([banned.state, banned.error_code], ['failed', 'policy_denied'])
  assert.equal(banned.steps[0].attempt, 1)
  assert.ok(!external_effects.log.includes('never'))
})

test('an optional step that fails is skipped and lowers the confidence of later steps', async () => {
  external_effects.failing.set('extra', { times: 1, code: 'policy_denied' })
  const ended = await runOf({ steps: [step('must'), step('extra', { optional: true }), step('end')] })
  assert.equal(ended.state, 'succeeded')
  assert.equal(stateOf(ended, 'extra'), 'skipped')
  assert.ok(Math.abs(ended.confidence_score - 0.95) < 1e-9)
})

test('a failed run compensates its steps in reverse order', async () => {
  external_effects.failing.set('third', { times: 1, code: 'policy_denied' })
  external_effects.log.length = 0
  const ended = await runOf({
    steps: [step('first'), step('second'), step('third')],
    compensation: {
      first: step('undo', { name: 'undo-first', payload: { name: 'undo first' } }),
      second: step('undo', {
        name: 'undo-second',
        payload: { name: { $cel: '"undo " + steps.second.data.name' } },
      }),
    },
  })
  assert.deepEqual([ended.state, ended.error_code], ['compensated', 'policy_denied'])
  assert.deepEqual(external_effects.log, ['first', 'second', 'undo second', 'undo first'])
})

test('a run waits for its signal or its time', async () => {
  const manifest_ref = await submit({
    steps: [
      {
        kind: 'Gate',
        name: 'approval',
        await: { signal: 'approved', after_ms: 60_000 },
        condition: 'signal != null && signal.by == "ann"',
        on_true: [step('pay')],
        on_false: [],
      },
      {
        kind: 'Gate',
        name: 'nap',
        await: { after_ms: 20 },
        condition: 'signal == null',
        on_true: [step('woke')],
        on_false: [],
      },
    ],
  })
  const started = await run({ manifest_ref })
  const waiting = await settle(started.run_ref, ({ state }) => state === 'waiting')
  assert.equal(waiting.waiting_on, 'signal')
  await run({
    action: 'signal',
    run_ref: started.run_ref,
    signal: { name: 'approved', payload: { by: 'ann' } },
  })
  const ended = await run({ action: 'status', run_ref: started.run_ref, wait_ms: 20_000 })
  assert.equal(ended.state, 'succeeded')
  assert.deepEqual([stateOf(ended, 'approval/pay'), stateOf(ended, 'nap/woke')], ['succeeded', 'succeeded'])
  assertRefusal(
    await ask('execute_workflow', {
      action: 'signal',
      run_ref: started.run_ref,
      signal: { name: 'approved' },
    }),
    {
      code: 'policy_denied',
      stage: 7,
      reason: 'run succeeded',
    },
  )
})

test('after an unknown outcome of an external call, the run waits for a report and does not repeat the call', async () => {
  external_effects.failing.set('wire', { times: 1, code: 'adapter_error' })
  external_effects.log.length = 0
  const manifest_ref = await submit({
    steps: [step('wire', { operation: 'outside', retry: { max: 5, backoff_ms: 1 } }), step('post')],
  })
  const started = await run({ manifest_ref })
  const waiting = await settle(started.run_ref, ({ state }) => state === 'waiting')
  assert.deepEqual([stateOf(waiting, 'wire'), waiting.waiting_on], ['indeterminate', 'signal'])
  const payload = { path: 'wire', performed: true, data: { name: 'wire', confidence: 0.5, value: 7 } }
  await run({ action: 'signal', run_ref: started.run_ref, signal: { name: 'outcome', payload } })
  const ended = await run({ action: 'status', run_ref: started.run_ref, wait_ms: 20_000 })
  assert.equal(ended.state, 'succeeded')
  assert.deepEqual(external_effects.log, ['post'])
})

test('the same run key gives the same run', async () => {
  const manifest_ref = await submit({ steps: [step('once')] })
  external_effects.log.length = 0
  const runs = await Promise.all(
    [1, 2, 3].map(() => run({ manifest_ref, run_key: 'the only one', wait_ms: 20_000 })),
  )
  assert.equal(new Set(runs.map(({ run_ref }) => run_ref)).size, 1)
  assert.deepEqual(external_effects.log, ['once'])
})

test('a cancelled run starts nothing more, and compensates if requested', async () => {
  const manifest_ref = await submit({
    steps: [
      step('done'),
      {
        kind: 'Gate',
        name: 'wait',
        await: { signal: 'go' },
        condition: 'true',
        on_true: [step('later')],
        on_false: [],
      },
    ],
    compensation: { done: step('undone', { payload: { name: 'undone' } }) },
  })
  external_effects.log.length = 0
  for (const [compensate, state] of [
    [false, 'cancelled'],
    [true, 'compensated'],
  ] as const) {
    const { run_ref } = await run({ manifest_ref })
    await settle(run_ref, (view) => view.state === 'waiting')
    await run({ action: 'cancel', run_ref, compensate })
    const ended = await run({ action: 'status', run_ref, wait_ms: 20_000 })
    assert.equal(ended.state, state)
  }
  assert.deepEqual(external_effects.log, ['done', 'done', 'undone'])
})

test('a retry keeps steps that succeeded', async () => {
  external_effects.failing.set('weak', { times: 1, code: 'policy_denied' })
  const ended = await runOf({ steps: [step('strong'), step('weak')] })
  assert.equal(ended.state, 'failed')
  external_effects.log.length = 0
  const again = await run({ action: 'retry', run_ref: ended.run_ref })
  const done = await run({ action: 'status', run_ref: again.run_ref, wait_ms: 20_000 })
  assert.equal(done.state, 'succeeded')
  assert.deepEqual(external_effects.log, ['weak'])
  const all = await run({ action: 'retry', run_ref: ended.run_ref, from_step: 'strong' })
  await run({ action: 'status', run_ref: all.run_ref, wait_ms: 20_000 })
  assert.deepEqual(external_effects.log, ['weak', 'strong', 'weak'])
})

test('a governance gate is evaluated, and its decision is in the audit log', async () => {
  const question = { party_a: 'dev', party_b: 'nobody', capability: 'svc.mind.recall_memory' }
  const gate = { at_step: 'guarded', kind: 'MOAT-treaty', on_pass: 'Continue', question }
  const guarded = (on_fail: string) => ({
    steps: [step('guarded')],
    governance_gates: [{ ...gate, on_fail }],
  })
  external_effects.log.length = 0
  const stopped = await runOf(guarded('Abort'))
  assert.deepEqual([stopped.state, stopped.error_code], ['failed', 'policy_denied'])
  assert.deepEqual(external_effects.log, [])
  const overridden = await runOf(guarded('Continue'))
  assert.equal(overridden.state, 'succeeded')
  const records = await service.records(service.tenant_id)
  const checks = records.filter(
    ({ event_type, meta }) => event_type === 'AuthorizationCheck' && (meta as Fields).gate,
  )
  assert.deepEqual(
    checks.map(({ outcome, meta: { decision, reason } }) => [decision, outcome, reason]).sort(),
    [
      ['override', 'success', undefined],
      ['stopped', 'refused', 'gate not passed'],
    ],
  )
})

test('a gate that could not be asked is refused when it is submitted, and what it asks is among the capabilities', async () => {
  const gate = { at_step: 'guarded', kind: 'MACE-quorum', on_pass: 'Continue', on_fail: 'Abort' }
  const guarded = (more: Fields) => ({
    manifest: {
      name: 'guarded',
      version: '1.0.0',
      steps: [step('guarded')],
      governance_gates: [{ ...gate, ...more }],
    },
  })
  for (const more of [{}, { question: { motion: 'm' } }, { kind: 'MOAT-treaty', question: { party_a: 7 } }]) {
    const { message } = assertRefusal(await ask('submit_manifest', guarded(more)), {
      code: 'invalid_payload',
      stage: 7,
      reason: 'type_error',
    })
    assert.match(message, /\/governance_gates\/0\/question/)
  }
  const question = { motion_id: '7d4b3c1e-52a9-4f06-9e3b-1c8f6a2d5e70' }
  const { required_capabilities } = assertSuccess(await ask('submit_manifest', guarded({ question }))).output
  assert.ok((required_capabilities as string[]).includes('svc.mace.tally'))
})

test('a sub-recipe is a submitted recipe, and an audit step writes a record', async () => {
  const inner = {
    name: 'inner',
    version: '1.0.0',
    steps: [step('leaf', { payload: { name: { $ref: 'input.who' } } })],
  }
  const { recipe_id } = assertSuccess(await ask('submit_manifest', { manifest: inner })).output
  external_effects.log.length = 0
  const ended = await runOf(
    {
      steps: [
        { kind: 'SubRecipe', name: 'part', recipe_id, params: { who: { $ref: 'input.name' } } },
        { kind: 'Parallel', name: 'both', steps: [step('left'), step('right')] },
        { kind: 'Audit', event_type: 'custom.flow_done', metadata: { why: 'to be told' } },
      ],
      audit_checkpoints: ['left'],
    },
    { input: { name: 'from outside' } },
  )
  assert.equal(ended.state, 'succeeded')
  assert.equal(external_effects.log[0], 'from outside')
  const event_types = (await service.records(service.tenant_id)).map(({ event_type }) => event_type as string)
  for (const tag of [
    'custom.flow_done',
    'StepCompleted',
    'WorkflowStarted',
    'WorkflowFinished',
    'ManifestSubmitted',
  ])
    assert.ok(event_types.includes(tag), tag)
})

test('runs of one queue go one at a time, and a schedule starts runs by itself', async () => {
  const manifest_ref = await submit({
    steps: [
      { kind: 'Gate', name: 'hold', await: { signal: 'go' }, condition: 'true', on_true: [], on_false: [] },
    ],
    concurrency: { key: 'input.customer', max: 1 },
  })
  const first = await run({ manifest_ref, input: { customer: 1 } })
  await settle(first.run_ref, ({ state }) => state === 'waiting')
  const [second, other] = [
    await run({ manifest_ref, input: { customer: 1 } }),
    await run({ manifest_ref, input: { customer: 2 } }),
  ]
  await settle(other.run_ref, ({ state }) => state === 'waiting')
  assert.equal((await run({ action: 'status', run_ref: second.run_ref })).state, 'pending')
  for (const { run_ref } of [first, other, second])
    await run({ action: 'signal', run_ref, signal: { name: 'go' } })
  for (const { run_ref } of [first, other, second])
    assert.equal((await run({ action: 'status', run_ref, wait_ms: 20_000 })).state, 'succeeded')

  await submit({ steps: [step('by-the-clock')], schedule: { cron: '* * * * * *' } })
  await eventually(() => assert.ok(external_effects.log.includes('by-the-clock')))
})

/** Polls: a run reaches the state by itself. */
async function settle(run_ref: string, is_there: (view: Fields) => boolean): Promise<Fields> {
  for (let look = 0; look < 2000; look++) {
    const view = await run({ action: 'status', run_ref })
    if (is_there(view)) return view
  }
  throw new Error(`run ${run_ref} did not get there`)
}

test('what a step answered is shown to the identity it calls as, and to no colleague without the charter', async () => {
  const { run_ref } = await runOf({ steps: [step('one', { payload: { name: 'one', value: 7 } })] })
  const input = { kind: 'runs', run_ref, include_detail: true }
  const listed: Fields = assertSuccess(await ask('list', input)).output
  assert.deepEqual(
    listed.runs[0].detail.answers.map(({ path, data }: Fields) => [path, data.value]),
    [['one', 8]],
  )
  const colleague = await service.newCaller({ capabilities: ['svc.moon.*'] })
  const others: Fields = assertSuccess(
    await dispatch(colleague, { protocol: 'MOON', operation: 'list', input }),
  ).output
  assert.equal(others.runs[0].detail.steps.length, 1)
  assert.equal(others.runs[0].detail.answers, undefined)
})

test('a run of another manifest does not stand in for one with the same key', async () => {
  const [one, other] = [await submit({ steps: [step('one')] }), await submit({ steps: [step('other')] })]
  await run({ manifest_ref: one, run_key: 'taken' })
  assertRefusal(await ask('execute_workflow', { manifest_ref: other, run_key: 'taken' }), {
    code: 'policy_denied',
    stage: 7,
    reason: 'run key taken',
  })
})

test('whoever tries a run of somebody else again does not see what that was answered', async () => {
  external_effects.failing.set('stuck', { times: 1, code: 'policy_denied' })
  const first = await runOf({ steps: [step('one'), step('stuck')] })
  assert.equal(first.state, 'failed')
  const colleague = await service.newCaller({ capabilities: ['svc.moon.*', 'svc.steps.*'] })
  const askAs = async (operation: string, input: Fields): Promise<Fields> =>
    assertSuccess(await dispatch(colleague, { protocol: 'MOON', operation, input })).output
  const again = await askAs('execute_workflow', { action: 'retry', run_ref: first.run_ref })
  await settle(again.run_ref, ({ state }) => state === 'succeeded')
  const listed = await askAs('list', { run_ref: again.run_ref, include_detail: true })
  assert.equal(listed.runs[0].owner_did, colleague.agent_did)
  assert.equal(listed.runs[0].detail.answers, undefined)
})
