// MOON over HTTP: runs whose undoing failed. What was not undone stays done, and a person can go on with them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { sql } from '@svc/database/sql'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { type Effects, workflowProtocol } from '../../scenes/workflow-protocol.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const external_effects: Effects = { log: [], failing: new Map() }
let service: InProcessService
let manifest_ref: string

const ask = (operation: string, input: unknown) => dispatch(service, { protocol: 'MOON', operation, input })
const run = async (input: Fields): Promise<Fields> =>
  assertSuccess(await ask('execute_workflow', input)).output
const ended = (run_ref: string) => run({ action: 'status', run_ref, wait_ms: 20_000 })
const refused = async (input: Fields, reason: string) =>
  assertRefusal(await ask('execute_workflow', input), { code: 'policy_denied', stage: 7, reason })
const step = (name: string) => ({
  kind: 'Protocol',
  name,
  protocol: 'STEPS',
  operation: 'act',
  payload: { name },
})

before(async () => {
  service = await startInProcess({ more_protocols: [workflowProtocol(external_effects)] })
  const manifest = {
    name: 'buy',
    version: '1.0.0',
    steps: [step('reserve'), step('pay'), step('ship')],
    compensation: { reserve: step('release'), pay: step('refund') },
  }
  manifest_ref = assertSuccess(await ask('submit_manifest', { manifest })).output.manifest_ref as string
})
after(() => service.stop())

/** A run that paid, could not ship, and could not pay back. */
let broken: Fields
beforeEach(async () => {
  for (const name of ['ship', 'refund'])
    external_effects.failing.set(name, { times: 1, code: 'policy_denied' })
  external_effects.log.length = 0
  broken = await run({ manifest_ref, wait_ms: 20_000 })
})

test('an undoing that fails does not keep the others from being undone, and the run tells what is left', () => {
  assert.deepEqual([broken.state, broken.not_undone], ['compensation_failed', ['pay']])
  assert.deepEqual(external_effects.log, ['reserve', 'pay', 'release'])
})

test('a retry does not repeat what was not undone, and only one run has it', async () => {
  const again = await run({ action: 'retry', run_ref: broken.run_ref })
  assert.equal((await ended(again.run_ref)).state, 'succeeded')
  assert.deepEqual(external_effects.log, ['reserve', 'pay', 'release', 'reserve', 'ship'])
  await refused({ action: 'retry', run_ref: broken.run_ref }, 'run continued')
  await refused({ action: 'undo', run_ref: broken.run_ref }, 'run continued')
})

test('a retry from a step that was not undone is refused', async () => {
  await refused({ action: 'retry', run_ref: broken.run_ref, from_step: 'pay' }, 'not undone')
  const again = await run({ action: 'retry', run_ref: broken.run_ref, from_step: 'reserve' })
  await ended(again.run_ref)
  assert.equal(external_effects.log.filter((name) => name === 'pay').length, 1)
})

test('a retry sent while the run ends sees how it ended', async () => {
  const { engine } = service.service.store
  const run_id = broken.run_ref.slice('moon://run/'.length)
  const setState = (db: typeof engine, state: string) =>
    sql`UPDATE moon_run SET state = ${state} WHERE run_id = ${run_id}`.execute(db)
  await setState(engine, 'running')
  const retried = await engine.transaction(async (ending) => {
    await setState(ending, 'compensation_failed')
    const row = await sql<{ xid: string }>`SELECT pg_current_xact_id()::text AS xid`.first(ending)
    const retry = ask('execute_workflow', { action: 'retry', run_ref: broken.run_ref, from_step: 'pay' })
    await eventually(async () =>
      assert.ok(
        await sql`SELECT 1 AS waits FROM pg_locks WHERE NOT granted AND transactionid::text = ${row!.xid}`.exists(
          engine,
        ),
      ),
    )
    return { retry }
  })
  assertRefusal(await retried.retry, { code: 'policy_denied', stage: 7, reason: 'not undone' })
})

test('undoing goes on with what failed, and then the whole run can be tried again', async () => {
  const { run_ref } = broken
  await run({ action: 'undo', run_ref })
  const undone = await ended(run_ref)
  assert.deepEqual([undone.state, undone.not_undone], ['compensated', undefined])
  assert.deepEqual(external_effects.log, ['reserve', 'pay', 'release', 'refund'])
  await refused({ action: 'undo', run_ref }, 'run compensated')
  const again = await run({ action: 'retry', run_ref })
  assert.equal((await ended(again.run_ref)).state, 'succeeded')
  assert.deepEqual(external_effects.log.slice(4), ['reserve', 'pay', 'ship'])
})

test('undo and retry wait for the end where the caller does', async () => {
  const { run_ref } = broken
  const undone = await run({ action: 'undo', run_ref, wait_ms: 20_000 })
  assert.deepEqual([undone.run_ref, undone.state], [run_ref, 'compensated'])
  const again = await run({ action: 'retry', run_ref, wait_ms: 20_000 })
  assert.notEqual(again.run_ref, run_ref)
  assert.deepEqual([again.state, again.steps.length], ['succeeded', 3])
})

test('a retry whose answer was lost during its wait is not begun twice', async () => {
  const input = { action: 'retry', run_ref: broken.run_ref, wait_ms: 20_000 }
  const retry = async () => {
    const request = { protocol: 'MOON', operation: 'execute_workflow', input, idempotency_key: 'again' }
    return assertSuccess(await dispatch(service, request)).output as Fields
  }
  const first = await retry()
  const lost = await asOwner(service.db_url, (owner) =>
    owner.query("DELETE FROM idempotency_keys WHERE key = 'again'"),
  )
  assert.equal(lost.rowCount, 1)
  assert.equal((await retry()).run_ref, first.run_ref)
  assert.deepEqual(external_effects.log, ['reserve', 'pay', 'release', 'reserve', 'ship'])
})

test('an undoing that fails again leaves the run as it was', async () => {
  external_effects.failing.set('refund', { times: 1, code: 'policy_denied' })
  await run({ action: 'undo', run_ref: broken.run_ref })
  const { state, not_undone } = await ended(broken.run_ref)
  assert.deepEqual([state, not_undone], ['compensation_failed', ['pay']])
})

test('a person who has undone a step says so, and nothing is called for it', async () => {
  const { run_ref } = broken
  assertRefusal(await ask('execute_workflow', { action: 'undo', run_ref, undone: ['reserve'] }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'undone',
  })
  await run({ action: 'undo', run_ref, undone: ['pay'] })
  const undone = await ended(run_ref)
  assert.equal(undone.state, 'compensated')
  assert.deepEqual(external_effects.log, ['reserve', 'pay', 'release'])
  const { steps } = assertSuccess(await ask('history', { run_ref })).output as Fields
  for (const shown of [undone.steps, steps])
    assert.deepEqual(
      shown.flatMap(({ path, by_hand }: Fields) => (by_hand ? [[path, by_hand]] : [])),
      [['pay@undo', service.agent_did]],
    )
})
