// MOON over HTTP: loops over lists that only the run knows, child runs, timers, and the history that shows them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { type Effects, workflowProtocol } from '../../scenes/workflow-protocol.ts'
import { until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const effects: Effects = { log: [], failing: new Map() }
let service: InProcessService

before(async () => {
  service = await startInProcess({ more_protocols: [workflowProtocol(effects)] })
})
after(() => service.stop())

const ask = (operation: string, input: unknown) => dispatch(service, { protocol: 'MOON', operation, input })
const answer = async (operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(operation, input)).output
const submit = (manifest: Fields) =>
  answer('submit_manifest', { manifest: { version: '1.0.0', ...manifest } })
const start = (name: string, more: Fields = {}) =>
  answer('execute_workflow', { name, version: '1.0.0', wait_ms: 20_000, ...more })
const act = (name: string, payload: Fields, more: Fields = {}) => ({
  ...{ kind: 'Protocol', name, protocol: 'STEPS', operation: 'act', payload },
  ...more,
})
const each = {
  ...{ kind: 'ForEach', name: 'each', items: { $ref: 'input.orders' }, concurrency: 3 },
  steps: [act('pay', { name: { $ref: 'item' }, value: { $ref: 'index' } })],
}

test('a list of the input is worked through, and its answers are the output', async () => {
  await submit({ name: 'each', steps: [each], output: 'steps.each.data.map(round, round.pay.value)' })
  const orders = Array.from({ length: 20 }, (_, at) => `order-${at}`)
  const run = await start('each', { input: { orders } })
  assert.deepEqual(
    run.output,
    orders.map((_, at) => at + 1),
  )
  assert.deepEqual(effects.log.filter((name) => orders.includes(name)).sort(), [...orders].sort())
})

test('a run starts another one, waits for it, and calls it off when it is cancelled', async () => {
  await submit({
    name: 'kid',
    steps: [act('inner', { name: 'inner', value: 41 })],
    output: 'steps.inner.data.value',
  })
  const kid = { kind: 'Run', name: 'kid', manifest: 'kid', version: '1.0.0', input: {} }
  await submit({
    name: 'parent',
    steps: [kid, { kind: 'Wait', for_ms: 10 }],
    output: 'steps.kid.data.output',
  })
  const run = await start('parent')
  assert.deepEqual([run.state, run.output], ['succeeded', 42])
  const { runs } = await answer('list', { parent_run_ref: run.run_ref })
  assert.deepEqual(
    runs.map((one: Fields) => [one.name, one.state]),
    [['kid', 'succeeded']],
  )

  const hold = { kind: 'Wait', for_ms: 3_600_000 }
  await submit({
    name: 'slow',
    steps: [act('first', { name: 'first' }), hold],
    compensation: { first: act('undo', { name: 'undone' }) },
  })
  await submit({ name: 'parent-of-slow', steps: [{ ...kid, manifest: 'slow' }] })
  const { run_ref } = await start('parent-of-slow', { wait_ms: 0 })
  const child: Fields = await until('the child waits', async () => {
    const [one] = (await answer('list', { parent_run_ref: run_ref })).runs
    return one?.waiting_on === 'timer' && one
  })
  const { steps, waiting_on } = await answer('execute_workflow', { action: 'status', run_ref })
  assert.deepEqual([waiting_on, steps[0].run_ref], ['run', child.run_ref])
  await answer('execute_workflow', { action: 'cancel', run_ref, compensate: true })
  assert.equal(
    (await answer('execute_workflow', { action: 'status', run_ref, wait_ms: 20_000 })).state,
    'cancelled',
  )
  const ended = await answer('execute_workflow', { action: 'status', run_ref: child.run_ref })
  assert.deepEqual([ended.state, effects.log.includes('undone')], ['compensated', true])
})

test('the history shows inputs, answers, times and every attempt, page by page', async () => {
  effects.failing.set('order-x', { times: 1, code: 'adapter_error' })
  const retry = { max: 1, backoff_ms: 1 }
  await submit({ name: 'history', steps: [{ ...each, steps: [{ ...each.steps[0], retry }] }] })
  const { run_ref } = await start('history', { input: { orders: ['order-x', 'order-y'] } })
  const pages: Fields[] = []
  for (let cursor: string | undefined; pages.length < 10; ) {
    const page = await answer('history', { run_ref, limit: 2, ...(cursor && { cursor }) })
    pages.push(page)
    cursor = page.next_cursor
    if (cursor === undefined) break
  }
  const steps: Fields[] = pages.flatMap((page) => page.steps)
  assert.deepEqual(steps.map(({ path }) => path).sort(), [
    'each',
    'each/0',
    'each/0/pay',
    'each/1',
    'each/1/pay',
  ])
  const paid = steps.find(({ path }) => path === 'each/0/pay')!
  assert.deepEqual([paid.attempt, paid.input, paid.output.value], [2, { name: 'order-x', value: 0 }, 1])
  assert.deepEqual(
    paid.attempts.map((one: Fields) => [one.attempt, one.error_code]),
    [[1, 'adapter_error']],
  )
  assert.ok(paid.attempts[0].started_at <= paid.attempts[0].ended_at)
  const [one, ...others] = (await answer('history', { run_ref, path: 'each/1/pay' })).steps
  assert.deepEqual([one.input, one.attempts, others], [{ name: 'order-y', value: 1 }, [], []])
})

test('runs are found by name and by the attributes they were started with', async () => {
  await submit({ name: 'found', steps: [act('only', { name: 'only' })] })
  const { run_ref } = await start('found', { attributes: { order: 'A-7', region: 'eu' } })
  await start('found', { attributes: { order: 'A-8', region: 'eu' } })
  const runsFound = async (filters: Fields) =>
    (await answer('list', filters)).runs.map((one: Fields) => one.run_ref)
  assert.deepEqual(await runsFound({ name: 'found', attributes: { order: 'A-7', region: 'eu' } }), [run_ref])
  assert.equal((await runsFound({ name: 'found', attributes: { region: 'eu' } })).length, 2)
  assert.deepEqual(await runsFound({ name: 'found', attributes: { order: 'eu' } }), [])
  assert.deepEqual(await runsFound({ name: 'nothing' }), [])
  assert.equal((await answer('list', { kind: 'manifests', name: 'found' })).manifests.length, 1)
  const refused = await ask('list', { kind: 'manifests', attributes: { order: 'A-7' } })
  assertRefusal(refused, { code: 'invalid_payload', stage: 7 })
})

test('the critical path is measured once the steps have run', async () => {
  const steps = [act('one', { name: 'one' }), act('two', { name: 'two' })]
  const first = await submit({ name: 'timed', steps })
  assert.deepEqual([first.critical_path_ms, first.unmeasured_steps], [60_000, 2])
  await start('timed')
  const third = act('three', { name: 'three' }, { timeout_ms: 1_000 })
  const second = await submit({ name: 'timed', version: '1.0.1', steps: [...steps, third] })
  assert.equal(second.unmeasured_steps, 1)
  // By the time limits it were 61 seconds.
  assert.notEqual(second.critical_path_ms, 61_000)
})

test('what a run waited for is in its critical path', async () => {
  const steps = [{ kind: 'Wait', for_ms: 300 }, act('one', { name: 'one' })]
  await submit({ name: 'waiting', steps })
  await start('waiting')
  const next = await submit({ name: 'waiting', version: '1.0.1', steps })
  assert.equal(next.unmeasured_steps, 0)
  assert.ok(next.critical_path_ms >= 300, `${next.critical_path_ms} ms`)
})
