// Workflow steps that need the consent of others: they wait for it, go on with it, and fail without it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdmin } from '@svc/contract/identity/identity'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { type Effects, workflowProtocol } from '../../scenes/workflow-protocol.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const effects: Effects = { log: [], failing: new Map() }
const five_seconds_ms = 5_000
let service: InProcessService
let clock: ManualClock
let owner: Addresses
let approver: Addresses

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), capabilities: [] },
    }),
  }
  service = await startInProcess({ clock, identity, more_protocols: [workflowProtocol(effects)] })
  const steps = { name: 'svc.steps.*', caveats: ['approval:role:finance within 2h'] }
  owner = await service.newCaller({ capabilities: ['svc.moon.*', steps] })
  approver = await service.newCaller({ capabilities: ['svc.maxim.*', 'svc.role.finance'] })
})
after(() => service.stop())

const moon = async (operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await dispatch(owner, { protocol: 'MOON', operation, input })).output
const maxim = async (operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await dispatch(approver, { protocol: 'MAXIM', operation, input })).output

/** A run of one step that has stopped to wait, and what it waits for. */
async function startWaiting(name: string) {
  const step = { kind: 'Protocol', name, protocol: 'STEPS', operation: 'act', payload: { name } }
  const manifest = { name, version: '1.0.0', steps: [step] }
  const { manifest_ref } = await moon('submit_manifest', { manifest })
  const { run_ref } = await moon('execute_workflow', { manifest_ref })
  const view = await viewWhen(run_ref, ({ waiting_on }) => waiting_on === 'approval')
  assert.deepEqual([view.state, view.steps[0].error.code], ['waiting', 'approval_required'])
  const { items } = await maxim('approvals', { state: 'PENDING' })
  return { run_ref, approval_id: items[0].approval_id }
}

/** Time passes until the run is there. */
const viewWhen = (run_ref: string, is_there: (view: Fields) => boolean): Promise<Fields> =>
  until('the run is there', async () => {
    const view = await moon('execute_workflow', { action: 'status', run_ref })
    if (is_there(view)) return view
    clock.advance(five_seconds_ms)
    return undefined
  })
const ended = (run_ref: string) => viewWhen(run_ref, ({ ended_at }) => ended_at !== undefined)
const checks = async () =>
  (await service.records(owner.tenant_id, { event_types: ['AuthorizationCheck'] })).filter(
    ({ meta }) => meta.code === 'approval_required',
  ).length

test('a step waits for consent without being called again, and is done once it is given', async () => {
  const { run_ref, approval_id } = await startWaiting('pay')
  const recorded = await checks()
  for (let turn = 0; turn < 3; turn++) {
    clock.advance(five_seconds_ms)
    await moon('execute_workflow', { action: 'status', run_ref, wait_ms: 300 })
  }
  assert.equal(await checks(), recorded)
  assert.ok(!effects.log.includes('pay'))
  await maxim('approval_decide', { approval_id, decision: 'approve' })
  assert.equal((await ended(run_ref)).state, 'succeeded')
  assert.deepEqual(
    effects.log.filter((name) => name === 'pay'),
    ['pay'],
  )
})

test('a step whose call is refused fails', async () => {
  const { run_ref, approval_id } = await startWaiting('refused')
  await maxim('approval_decide', { approval_id, decision: 'refuse' })
  const { state, error_code } = await ended(run_ref)
  assert.deepEqual([state, error_code], ['failed', 'policy_denied'])
})

test('a step that nobody decides on in time fails, and asks nobody again', async () => {
  const { run_ref } = await startWaiting('late')
  clock.advance(2 * 3_600_000)
  const { state, error_code } = await ended(run_ref)
  assert.deepEqual([state, error_code], ['failed', 'approval_required'])
  assert.deepEqual((await maxim('approvals', { state: 'PENDING' })).items, [])
})
