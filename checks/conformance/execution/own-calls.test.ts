// Functions that agents run themselves, over HTTP: judged by capabilities, policies over their arguments, consent,
// limits and the emergency stop, and recorded.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { localAdmin } from '@svc/contract/identity/identity'
import { sql } from '@svc/database/sql'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Asking, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-18T10:00:00.000Z')
const head = 'forbid(principal, action, resource == Svc::Operation::"MAT.begin_call")'
const refunds = `
@reason("nobody refunds more than 1000") ${head}
when { context.input.tool == "refund" && context.input.arguments.amount > 1000 };
@approval("role:finance") ${head}
when { context.input.tool == "refund" && context.input.arguments.amount > 100 };`
const calls = ['svc.mat.begin_call', 'svc.mat.end_call']
let service: InProcessService
let agent: Addresses
let approver: Addresses
let stranger: Addresses

before(async () => {
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), capabilities: [] },
    }),
  }
  service = await startInProcess({ clock, identity })
  const own = { tenant_id: 'shop' }
  agent = await service.newCaller({ ...own, capabilities: calls })
  approver = await service.newCaller({
    ...own,
    capabilities: ['svc.maxim.*', 'svc.max.*', 'svc.maker.*', 'svc.role.finance'],
  })
  stranger = await service.newCaller({ tenant_id: 'other', capabilities: calls })
  await addMember(service.service.store.engine, 'shop', approver.agent_did, new Date(clock.now_ms()))
})
after(() => service?.stop())

const ask = (who: Addresses, name: string, input: unknown, more: Asking = {}) => {
  const [protocol, operation] = name.split('.') as [string, string]
  return dispatch(who, { protocol, version: 'v1', operation, input, ...more })
}
const done = async (who: Addresses, name: string, input: unknown, more?: Asking): Promise<Fields> =>
  assertSuccess(await ask(who, name, input, more)).output
const begin = (tool: string, args: Fields, who = agent, more?: Asking) =>
  ask(who, 'MAT.begin_call', { tool, arguments: args }, more)

test('a policy over the arguments refuses, asks for consent, or fails closed', async () => {
  const unscoped = refunds.replaceAll('resource == Svc::Operation::"MAT.begin_call"', 'resource')
  const policy = {
    policy_id: 'refunds',
    version: '1.0.0',
    active_from: new Date(clock.now_ms()).toISOString(),
  }
  const fault = assertRefusal(await ask(approver, 'MAXIM.author', { ...policy, policy_body: unscoped }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'cedar',
  })
  assert.match(JSON.stringify(fault.details), /must name the operation first/)
  await done(approver, 'MAXIM.author', { ...policy, policy_body: refunds })
  const forbidden = { code: 'policy_denied', stage: 4 } as const
  const reason = 'policy refunds@1.0.0 forbids: nobody refunds more than 1000'
  await eventually(async () =>
    assertRefusal(await begin('refund', { amount: 2000 }), { ...forbidden, reason }),
  )
  assertSuccess(await begin('refund', { amount: 100 }))
  assertSuccess(await begin('mail', { amount: 'many' }))
  const unread = 'context.input.arguments.amount is missing, or is not a whole number'
  for (const amount of ['2000', 2000.5, null])
    assertRefusal(await begin('refund', { amount }), {
      ...forbidden,
      reason: `policy refunds@1.0.0 cannot be evaluated: ${unread}`,
    })

  const waits = { code: 'approval_required', stage: 4, reason: 'approval required' } as const
  const { details } = assertRefusal(await begin('refund', { amount: 101 }), waits)
  const { approval_id } = details as Fields
  await done(approver, 'MAXIM.approval_decide', { approval_id, decision: 'approve' })
  assertRefusal(await begin('refund', { amount: 102 }), waits)
  const { call_id } = assertSuccess(await begin('refund', { amount: 101 })).output
  await done(agent, 'MAT.end_call', { call_id, outcome: 'ok' })
})

test('the scenario, the backtest and the explanation use the input or say that they cannot', async () => {
  const scenario = { principal_did: agent.agent_did, protocol: 'MAT', operation: 'begin_call' }
  const decide = async (input?: Fields) => {
    const context = input && { context: { input } }
    const { decision, unknown_inputs } = await done(approver, 'MAXIM.constitutional_interpretation', {
      scenario: { ...scenario, ...context },
    })
    return [decision, unknown_inputs.includes('input')]
  }
  assert.deepEqual(await decide({ tool: 'refund', arguments: { amount: 5000 } }), ['deny', false])
  assert.deepEqual(await decide({ tool: 'refund', arguments: { amount: 500 } }), ['approval_required', false])
  assert.deepEqual(await decide({ tool: 'mail' }), ['allow', false])
  assert.deepEqual(await decide(), ['deny', true])
  const refused = await begin('refund', { amount: 3000 })
  await service.records('shop')
  const explanation = await done(approver, 'MAX.explainability_request', {
    correlation_id: refused.body.error.correlation_id,
  })
  assert.equal(explanation.consistent, true)
  assert.match(JSON.stringify(explanation.counterfactuals), /the audit log does not hold it/)
  const backtest = await done(approver, 'MAXIM.backtest', { policy_id: 'refunds', policy_body: refunds })
  assert.ok(backtest.undecided > 0)
})

test('what an agent ran is in the log: what it began, and what it reported', async () => {
  const { call_id, args_commitment } = assertSuccess(await begin('mail', { to: 'anna@example.com' })).output
  const reported = { outcome: 'ok', latency_ms: 3, output_hash: `sha256:${'a'.repeat(64)}` }
  await done(agent, 'MAT.end_call', { call_id, ...reported })
  const records = await service.records('shop')
  const begun = records.find(({ id }) => id === call_id)
  assert.partialDeepStrictEqual(begun?.meta.module, { tool_id: 'own:mail', args_commitment })
  const ended = records.find(
    ({ event_type, meta }) => event_type === 'ToolInvoked' && meta.call_id === call_id,
  )
  assert.deepEqual([ended?.meta.supplied, ended?.meta.outcome], [reported, undefined])
  assert.ok(!JSON.stringify(records).includes('anna@example.com'))
})

test('a repeated beginning under one key is one call, and a dry run is none', async () => {
  const once = { idempotency_key: 'once' }
  const [first, second] = [await begin('mail', {}, agent, once), await begin('mail', {}, agent, once)]
  assert.equal(first.body.output.call_id, second.body.output.call_id)
  assert.equal(first.body.output.args_salt, second.body.output.args_salt)
  const rows = () =>
    sql<{ calls: number }>`SELECT count(*)::int AS calls FROM mat_calls`.first(service.service.store.engine)
  const [rows_before, dry] = [
    await rows(),
    await dispatch(
      agent,
      { protocol: 'MAT', operation: 'begin_call', input: { tool: 'mail' } },
      { 'x-svc-dry-run': 'true' },
    ),
  ]
  assert.equal(dry.status, 200)
  assert.deepEqual([dry.body.output?.call_id, await rows()], [undefined, rows_before])
})

test('capabilities, caveats over the input, size and other organizations', async () => {
  const nobody = await service.newCaller({ tenant_id: 'shop' })
  assertRefusal(await begin('mail', {}, nobody), { code: 'capability_denied', stage: 4 })
  const caveats = ['input:input.tool == "mail"']
  const limited = await service.newCaller({
    tenant_id: 'shop',
    capabilities: [{ name: 'svc.mat.begin_call', caveats }],
  })
  assertSuccess(await begin('mail', {}, limited))
  assertRefusal(await begin('refund', {}, limited), {
    code: 'capability_denied',
    stage: 4,
    reason: 'caveat not satisfied',
  })
  const input = { code: 'payload_too_large', stage: 7 } as const
  assertRefusal(await begin('mail', { text: 'x'.repeat(1024 * 1024) }), input)
  const { call_id } = assertSuccess(await begin('mail', {})).output
  const unknown = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  assertRefusal(await ask(stranger, 'MAT.end_call', { call_id, outcome: 'ok' }), unknown)
  clock.advance(24 * 3_600_000 + 1)
  assertRefusal(await ask(agent, 'MAT.end_call', { call_id, outcome: 'ok' }), unknown)
})

test('an emergency stop refuses what begins, until it is cleared', async () => {
  await done(approver, 'MAKER.emergency_stop', { scope: 'agent', scope_id: agent.agent_did, reason: 'test' })
  assertRefusal(await begin('mail', {}), { code: 'policy_denied', stage: 7, reason: 'emergency stop active' })
  assertSuccess(await begin('mail', {}, stranger))
})
