// MOON over HTTP: runs that are stopped, retried or signalled at the wrong time, or lose their permission.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { system_clock } from '@svc/adapters/clock/system'
import { vaults } from '@svc/adapters/custody/vault'
import { asOwner } from '@svc/audit/test-audit-log'
import { refuse, unavailable } from '@svc/contract/refusal'
import { sealJson } from '@svc/protocols/cognition/content/sealed-json'
import { carryRun } from '@svc/protocols/execution/moon/run-carrier'
import { releaseRun } from '@svc/protocols/execution/moon/run-lease'
import { startDueRuns } from '@svc/protocols/execution/moon/run-schedule'
import { Turns } from '@svc/protocols/execution/moon/run-turns'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type Effects, workflowProtocol } from '../../scenes/workflow-protocol.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const external_effects: Effects = { log: [], failing: new Map() }
let service: InProcessService
let names = 0
let vaultOf: ReturnType<typeof vaults>

before(async () => {
  service = await startInProcess({
    more_protocols: [workflowProtocol(external_effects)],
  })
  vaultOf = vaults(service.service.root_keys)
})
after(() => service.stop())

/** Reads rows that no operation exposes. */
const rowsOf = (text: string, values: unknown[]): Promise<Fields[]> =>
  asOwner(service.db_url, async (owner) => (await owner.query(text, values)).rows)

const ask = (operation: string, input: unknown, who: Addresses = service) =>
  dispatch(who, { protocol: 'MOON', operation, input })
const run = async (input: Fields): Promise<Fields> =>
  assertSuccess(await ask('execute_workflow', input)).output
const ended = (run_ref: string) => run({ action: 'status', run_ref, wait_ms: 20_000 })
const step = (name: string, more: Fields = {}) => ({
  kind: 'Protocol',
  name,
  protocol: 'STEPS',
  operation: 'act',
  payload: { name },
  ...more,
})
const awaiting = (name: string, signal: string) => ({
  kind: 'Gate',
  name,
  await: { signal },
  condition: 'true',
  on_true: [],
  on_false: [],
})
const idOf = (run_ref: string) => run_ref.slice('moon://run/'.length)

async function submit(manifest: Fields, who?: Addresses): Promise<string> {
  const named = { name: `ends-${++names}`, version: '1.0.0', ...manifest }
  return assertSuccess(await ask('submit_manifest', { manifest: named }, who)).output.manifest_ref as string
}

async function settle(run_ref: string, is_there: (view: Fields) => boolean): Promise<Fields> {
  for (let look = 0; look < 2000; look++) {
    const view = await run({ action: 'status', run_ref })
    if (is_there(view)) return view
  }
  throw new Error(`run ${run_ref} did not get there`)
}

test('a cancel stops the running step, but not the compensations', async () => {
  const manifest_ref = await submit({
    steps: [step('first'), step('endless', { operation: 'hold' }), step('never')],
    compensation: { first: step('undo', { operation: 'heed', payload: { name: 'undo first' } }) },
  })
  external_effects.log.length = 0
  const { run_ref } = await run({ manifest_ref })
  await settle(run_ref, ({ steps }) => steps.length === 2 && external_effects.log.includes('endless begun'))
  await run({ action: 'cancel', run_ref, compensate: true })
  assert.equal((await ended(run_ref)).state, 'compensated')
  assert.deepEqual(external_effects.log, ['first', 'endless begun', 'undo first'])
})

test('a run past its deadline ends soon, even with a step in progress', async () => {
  const manifest_ref = await submit({ steps: [step('endless', { operation: 'hold' })] })
  const late = await run({ manifest_ref, deadline_ms: 300, wait_ms: 8_000 })
  assert.deepEqual([late.state, late.error_code], ['failed', 'timeout'])
})

test('a step that completed after its timeout counts as done and is compensated', async () => {
  external_effects.failing.set('after', { times: 1, code: 'policy_denied' })
  const manifest_ref = await submit({
    steps: [step('tardy', { operation: 'late', timeout_ms: 100 }), step('after')],
    compensation: { tardy: step('undo', { payload: { name: 'undo tardy' } }) },
  })
  external_effects.log.length = 0
  assert.equal((await run({ manifest_ref, wait_ms: 20_000 })).state, 'compensated')
  assert.deepEqual(external_effects.log, ['tardy', 'undo tardy'])
})

test('a group fails when its steps exceed its timeout, and the run is notified', async () => {
  const slow = { ...awaiting('hold', 'never'), timeout_ms: 100, optional: true }
  const manifest_ref = await submit({
    steps: [slow, { kind: 'Parallel', name: 'both', timeout_ms: 100, steps: [awaiting('in', 'never')] }],
  })
  const view = await run({ manifest_ref, wait_ms: 20_000 })
  assert.deepEqual([view.state, view.error_code], ['failed', 'timeout'])
  const states = Object.fromEntries(view.steps.map(({ path, state }: Fields) => [path, state]))
  assert.deepEqual(states, { hold: 'skipped', both: 'failed', 'both/in': 'skipped' })
})

test('a retry repeats compensated steps, uses the same queue, and needs an active manifest', async () => {
  external_effects.failing.set('last', { times: 1, code: 'policy_denied' })
  const manifest = {
    name: 'tried-again',
    version: '1.0.0',
    steps: [step('kept'), step('undone'), step('last'), awaiting('hold', 'go')],
    compensation: { undone: step('undo', { payload: { name: 'undo' } }) },
    concurrency: { key: '"one"', max: 1 },
  }
  const manifest_ref = await submit(manifest)
  external_effects.log.length = 0
  const first = await run({ manifest_ref, wait_ms: 20_000 })
  assert.equal(first.state, 'compensated')
  const again = await run({ action: 'retry', run_ref: first.run_ref })
  await settle(again.run_ref, ({ state }) => state === 'waiting')
  assert.deepEqual(external_effects.log, ['kept', 'undone', 'undo', 'undone', 'last'])
  const behind = await run({ action: 'retry', run_ref: first.run_ref })
  // If a worker had claimed it, it would have started before another run finished.
  await run({ manifest_ref: await submit({ steps: [step('other')] }), wait_ms: 20_000 })
  assert.equal((await run({ action: 'status', run_ref: behind.run_ref })).state, 'pending')
  await run({ action: 'cancel', run_ref: behind.run_ref })
  assert.equal((await ended(behind.run_ref)).state, 'cancelled', 'where it stands in line')
  await run({ action: 'cancel', run_ref: again.run_ref })
  assertSuccess(await ask('submit_manifest', { manifest, activate: false }))
  assertRefusal(await ask('execute_workflow', { action: 'retry', run_ref: first.run_ref }), {
    code: 'policy_denied',
    stage: 7,
    reason: 'manifest inactive',
  })
})

test('signals nobody waits for yet do not block an awaited one', async () => {
  const rounds = { kind: 'Repeat', max: 101, until: 'true', steps: [awaiting('later', 'stray')] }
  const manifest_ref = await submit({ steps: [awaiting('hold', 'go'), rounds] })
  const { run_ref } = await run({ manifest_ref })
  await settle(run_ref, ({ state }) => state === 'waiting')
  for (let sent = 0; sent < 101; sent++) await run({ action: 'signal', run_ref, signal: { name: 'stray' } })
  await run({ action: 'signal', run_ref, signal: { name: 'go' } })
  assert.equal((await ended(run_ref)).state, 'succeeded')
})

test('status names what is awaited, and a signal that the gate cannot decide on is refused while the run waits on', async () => {
  const from = { not_starter: true }
  const gate = {
    ...awaiting('hold', 'go'),
    condition: 'signal.approved',
    await: { signal: 'go', after_ms: 60_000 },
  }
  const manifest_ref = await submit({
    steps: [gate, { ...awaiting('next', 'end'), await: { signal: 'end', from } }],
  })
  const { run_ref } = await run({ manifest_ref })
  const waiting = await settle(run_ref, ({ state }) => state === 'waiting')
  assert.deepEqual(
    waiting.awaiting.map(({ path, signal, until }: Fields) => [path, signal, typeof until]),
    [['hold', 'go', 'string']],
  )
  const tell = (signal: Fields) => ask('execute_workflow', { action: 'signal', run_ref, signal })
  assertRefusal(await tell({ name: 'go', payload: { aproved: true } }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'signal condition',
  })
  assertSuccess(await tell({ name: 'go', payload: { approved: true } }))
  const next = await settle(run_ref, ({ awaiting: [first] }) => first?.path === 'next')
  assert.deepEqual(next.awaiting, [{ path: 'next', signal: 'end', from }])
  assertRefusal(await tell({ name: 'end' }), { code: 'policy_denied', stage: 7, reason: 'four eyes' })
})

test('an incomplete or unexpected outcome is refused and calls nothing', async () => {
  external_effects.failing.set('wired', { times: 1, code: 'adapter_error' })
  external_effects.log.length = 0
  const manifest_ref = await submit({ steps: [step('wired', { operation: 'outside' })] })
  const { run_ref } = await run({ manifest_ref })
  await settle(run_ref, ({ state }) => state === 'waiting')
  const tell = (payload: unknown) =>
    ask('execute_workflow', { action: 'signal', run_ref, signal: { name: 'outcome', payload } })
  for (const payload of [undefined, { path: 'wired' }, { path: 'wired', performed: 'true' }])
    assertRefusal(await tell(payload), { code: 'invalid_payload', stage: 7, reason: 'outcome' })
  assertRefusal(await tell({ path: 'other', performed: true }), {
    code: 'policy_denied',
    stage: 7,
    reason: 'step not indeterminate',
  })
  assertSuccess(await tell({ path: 'wired', performed: true, data: { confidence: 0.5 } }))
  const { state, confidence_score } = await ended(run_ref)
  assert.deepEqual([state, confidence_score], ['succeeded', 0.5])
  assert.deepEqual(external_effects.log, [])
})

test('a retry calls what may be done only where it is told to', async () => {
  external_effects.failing.set('sent', { times: 1, code: 'adapter_error' })
  external_effects.log.length = 0
  const manifest_ref = await submit({ steps: [step('first'), step('sent', { operation: 'outside' })] })
  const { run_ref } = await run({ manifest_ref })
  await settle(run_ref, ({ steps }) => steps.at(-1)?.state === 'indeterminate')
  await run({ action: 'cancel', run_ref })
  assert.equal((await ended(run_ref)).state, 'cancelled')
  assertRefusal(await ask('execute_workflow', { action: 'retry', run_ref }), {
    code: 'policy_denied',
    stage: 7,
    reason: 'outcome unknown',
  })
  const again = await run({ action: 'retry', run_ref, from_step: 'sent' })
  assert.equal((await ended(again.run_ref)).state, 'succeeded')
  assert.deepEqual(external_effects.log, ['first', 'sent'])
})

test('an ended run is never woken again, however late a worker is', async () => {
  const manifest_ref = await submit({ steps: [step('quick')] })
  const { run_ref } = await run({ manifest_ref, wait_ms: 20_000 })
  const run_id = idOf(run_ref)
  const { engine } = service.service.store
  const [row] = await rowsOf('SELECT epoch::float8 AS epoch FROM moon_run WHERE run_id = $1', [run_id])
  // Like a worker whose commit succeeded although its connection broke.
  await releaseRun(engine, { tenant_id: 'dev', run_id, epoch: row!.epoch }, new Date())
  assert.deepEqual(
    await rowsOf('SELECT 1 FROM moon_run WHERE run_id = $1 AND wake_at IS NOT NULL', [run_id]),
    [],
  )
})

test('a run that can no longer be planned fails and is recorded; an engine fault does not fail the run', async () => {
  const manifest_ref = await submit({ steps: [awaiting('hold', 'go')] })
  const { run_ref } = await run({ manifest_ref })
  await settle(run_ref, ({ state }) => state === 'waiting')
  const run_id = idOf(run_ref)
  const listen = () => ({ heard: async () => true, wait: async () => true, close() {}, elapsed_ms: () => 0 })
  const executor = {
    transaction: (tenant_id: string) => service.service.store.transaction(tenant_id),
    vaultOf,
    perform: () => Promise.reject(new Error('nothing is to be performed')),
    isOutside: () => false,
    isWrite: () => true,
    endingOf: () => undefined,
    change_notifications: { listen, tell() {} },
    clock: { now_ms: system_clock.now_ms, uuid: () => randomUUID() },
  }
  const carryWith = async (thrown: Error) => {
    const taking = 'UPDATE moon_run SET epoch = epoch + 1 WHERE run_id = $1 RETURNING epoch::float8 AS epoch'
    const [row] = await rowsOf(taking, [run_id])
    const planOf = async () => {
      throw thrown
    }
    const claimed = { tenant_id: 'dev', run_id, epoch: row!.epoch }
    const own = { ...executor, planOf }
    await carryRun(claimed, own, new Turns(own), new AbortController().signal)
  }
  await assert.rejects(carryWith(new Error('the connection broke')))
  await assert.rejects(carryWith(unavailable('database', new Error('no answer'))), { code: 'unavailable' })
  assert.equal((await run({ action: 'status', run_ref })).state, 'waiting')
  await carryWith(refuse('invalid_payload', 'No STEPS.act is served here.', { reason: 'unknown_operation' }))
  assert.equal((await run({ action: 'status', run_ref })).state, 'failed')
  const records = await service.records(service.tenant_id, { event_types: ['WorkflowFinished'] })
  assert.ok(records.some(({ meta }) => (meta as Fields).run === run_id))
})

test('a schedule whose key was revoked pauses with a record, and does not block others', async () => {
  const gone = await service.newCaller({ capabilities: ['svc.*.*'] })
  const cron = '* * * * * *'
  const paused_ref = await submit({ steps: [step('of-nobody')], schedule: { cron } }, gone)
  assert.ok(await revokeKey(service.service.store.engine, gone.tenant_id, gone.key_id))
  await submit({ steps: [step('of-another')], schedule: { cron } })
  await eventually(async () => {
    const paused = 'SELECT paused_reason, next_at FROM moon_manifest WHERE ref = $1'
    assert.deepEqual(await rowsOf(paused, [paused_ref]), [{ paused_reason: 'key revoked', next_at: null }])
    assert.ok(external_effects.log.includes('of-another'))
  })
  const records = await service.records(service.tenant_id, { event_types: ['SecurityViolation'] })
  const violations = records.filter(({ caller_did }) => caller_did === gone.agent_did)
  assert.deepEqual(
    violations.map(({ meta }) => (meta as Fields).reason),
    ['key revoked'],
  )
})

test('a failing schedule is postponed, and the next one starts', async () => {
  const refs = [await submit({ steps: [step('a')] }), await submit({ steps: [step('b')] })].sort()
  const { engine } = service.service.store
  // Far in the future, so that the service starts none of them itself.
  const [due, now] = [new Date('2100-01-01T00:00:00Z'), new Date('2100-01-01T00:00:01Z')]
  for (const ref of refs) {
    const acting = sealJson(vaultOf('dev'), `acting ${ref}`, {})
    await rowsOf(
      `UPDATE moon_manifest SET cron = '0 0 1 1 *', time_zone = 'UTC', overlap = 'skip', acting = $1, next_at = $2
       WHERE ref = $3`,
      [acting, due, ref],
    )
  }
  const failed: string[] = []
  const started: string[] = []
  const run_keys: string[] = []
  await startDueRuns({
    vaultOf,
    db: engine,
    now,
    signal: new AbortController().signal,
    onFailure: (_, ref) => failed.push(ref),
    async perform({ input, workflow: { run: ref } }) {
      run_keys.push((input as { run_key: string }).run_key)
      if (ref === refs[0]) throw new Error('broke')
      started.push(ref)
      return { kind: 'done', output: {}, record_id: 'r', elapsed_ms: 1 }
    },
  })
  // Whoever could tell it would start another run under it first.
  for (const run_key of run_keys) assert.ok(!run_key.includes('2100-01-01'), run_key)
  assert.deepEqual(failed, [refs[0]])
  assert.ok(started.includes(refs[1]!))
  const rows = await rowsOf('SELECT next_at FROM moon_manifest WHERE ref = ANY($1) ORDER BY ref', [refs])
  const expected = ['2100-01-01T00:01:01.000Z', '2101-01-01T00:00:00.000Z']
  assert.deepEqual(
    rows.map(({ next_at }) => next_at.toISOString()),
    expected,
  )
})
