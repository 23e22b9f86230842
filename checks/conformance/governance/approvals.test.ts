// Consent of others to single calls, over HTTP on two engines with one database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { localAdmin } from '@svc/contract/identity/identity'
import { sweepApprovals } from '@svc/protocols/governance/approvals/api'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Asking, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { pay } from '../../scenes/pay-protocol.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const hour_ms = 3_600_000
let one: InProcessService
let other: InProcessService
let clock: ManualClock
const roots = new Map<string, string>()
const revoked = new Set<string>()

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  const identity = {
    resolve(did: string) {
      const human_root_did = roots.get(did)
      const own = { capabilities: [], revoked: revoked.has(did), ...(human_root_did && { human_root_did }) }
      return { outcome: 'Resolved' as const, identity: { ...localAdmin(did), ...own } }
    },
  }
  const options = { clock, identity, more_protocols: [pay] }
  one = await startInProcess(options)
  const { db_url, master_key } = one.config
  other = await startInProcess({ ...options, config: { db_url, master_key } })
})
after(async () => {
  await other.stop()
  await one.stop()
})

type Party = Addresses & { readonly key_id: string }
let tenants = 0
const newTenant = () => `pay-${++tenants}`
const newParty = (tenant_id: string, ...capabilities: (string | AgentCapability)[]): Promise<Party> =>
  one.newCaller({ tenant_id, capabilities: ['svc.maxim.*', ...capabilities] })
const under = (caveat: string, name = 'svc.pay.*'): AgentCapability => ({ name, caveats: [caveat] })
const on = (engine: InProcessService, who: Party): Party => ({ ...who, api_url: engine.api_url })
const send = (who: Addresses, input: Fields = {}, more: Asking = {}) =>
  dispatch(who, {
    protocol: 'PAY',
    version: 'v1',
    operation: 'send',
    input: { to: 'bob', amount: 7, ...input },
    ...more,
  })
const ask = (who: Addresses, name: string, input: Fields) =>
  dispatch(who, { protocol: 'MAXIM', version: 'v1', operation: name, input })
const done = async (who: Addresses, name: string, input: Fields): Promise<Fields> =>
  assertSuccess(await ask(who, name, input)).output
const decide = (who: Addresses, approval_id: unknown, decision = 'approve', more: Fields = {}) =>
  ask(who, 'approval_decide', { approval_id, decision, ...more })
const stateOf = async (who: Addresses, approval_id: unknown) =>
  (await done(who, 'approval_get', { approval_id })).state

/** The id of the approval that a call waits for. */
async function waiting(answer: ReturnType<typeof send>): Promise<string> {
  const error = assertRefusal(await answer, {
    code: 'approval_required',
    stage: 4,
    reason: 'approval required',
  })
  return String((error.details as Fields).approval_id)
}

async function finance(tenant_id: string) {
  const caller = await newParty(tenant_id, under('approval:role:finance'))
  const approver = await newParty(tenant_id, 'svc.role.finance')
  return { caller, approver }
}

async function recordsOf(tenant_id: string, ...event_types: string[]) {
  await other.service.audit_log.flush()
  return one.records(tenant_id, event_types.length > 0 ? { event_types } : {})
}

const paid = async (tenant_id: string) => (await recordsOf(tenant_id, 'custom.paid')).length

test('a call waits for consent, passes exactly once on any engine, and all of it is recorded', async () => {
  const tenant_id = newTenant()
  const { caller, approver } = await finance(tenant_id)
  const approval_id = await waiting(send(caller))
  assert.equal(await waiting(send(on(other, caller))), approval_id, 'one approval for one call')
  const { items } = await done(approver, 'approvals', { state: 'PENDING' })
  assert.deepEqual(
    items.map((item: Fields) => [item.approval_id, item.caller, item.operation, item.may_decide]),
    [[approval_id, caller.agent_did, 'send', true]],
  )
  const whole = await done(approver, 'approval_get', { approval_id })
  assert.deepEqual(whole.input, { to: 'bob', amount: 7 })
  assert.deepEqual([whole.effects.effect, whole.effects.dry_run.verdict], ['write', 'allowed'])
  assert.ok(Number(whole.cost_usd_max) > 0)
  assert.deepEqual(whole.needs[0].who, 'role finance')
  assertSuccess(await decide(approver, approval_id, 'approve', { note: 'Invoice 4.' }))
  const passed = assertSuccess(await send(on(other, caller)))
  await waiting(send(caller))
  assert.equal(await paid(tenant_id), 1)
  assert.equal(await stateOf(caller, approval_id), 'USED')
  const records = await recordsOf(tenant_id)
  const call = records.find(({ id }) => id === passed.metadata.audit_record_id)!
  assert.deepEqual(call.meta.approval_ids, [approval_id])
  const events = records
    .filter(({ meta }) => meta.approval_id === approval_id)
    .map(({ event_type }) => event_type)
  assert.deepEqual([...new Set(events)].sort(), ['ApprovalGiven', 'ApprovalRequested', 'AuthorizationCheck'])
  assert.ok(!JSON.stringify(records).includes('Invoice 4'), 'a note is in no record')
})

test('another input, caller, operation or engine gets nothing of it, and two at once pass once', async () => {
  const tenant_id = newTenant()
  const { caller, approver } = await finance(tenant_id)
  const thief = await newParty(tenant_id, under('approval:role:finance'))
  const approval_id = await waiting(send(caller))
  assertSuccess(await decide(approver, approval_id))
  assert.notEqual(await waiting(send(caller, { amount: 8 })), approval_id)
  assert.notEqual(await waiting(send(thief)), approval_id)
  assert.notEqual(
    await waiting(
      dispatch(caller, {
        protocol: 'PAY',
        version: 'v1',
        operation: 'hidden',
        input: { to: 'bob', amount: 7 },
      }),
    ),
    approval_id,
  )
  const answers = await Promise.all([one, other, one, other].map((engine) => send(on(engine, caller))))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403])
  assert.equal(await paid(tenant_id), 1)
})

test('nobody approves an own call: not the caller, its root, a sibling, or somebody who is not asked', async () => {
  const tenant_id = newTenant()
  const caller = await newParty(tenant_id, under('approval:role:finance'), 'svc.role.finance')
  const sibling = await newParty(tenant_id, 'svc.role.finance')
  const admin = await newParty(tenant_id, 'svc.*.*')
  const root = `did:oas:${tenant_id}:human-root:${'e'.repeat(64)}`
  roots.set(caller.agent_did, root).set(sibling.agent_did, root)
  const approval_id = await waiting(send(caller))
  assertRefusal(await decide(caller, approval_id), { code: 'policy_denied', stage: 7, reason: 'own call' })
  const hidden = { code: 'invalid_payload', stage: 7, reason: 'not_found' } as const
  assertRefusal(await decide(sibling, approval_id), hidden)
  assertRefusal(await decide(admin, approval_id), hidden)
  assert.deepEqual((await done(sibling, 'approvals', {})).items, [])
  const stranger = await newParty(newTenant(), 'svc.role.finance')
  assertRefusal(await ask(stranger, 'approval_get', { approval_id }), hidden)
  assert.deepEqual((await done(stranger, 'approvals', {})).items, [])
})

test('two of them are two people, and a refusal by one ends it', async () => {
  const tenant_id = newTenant()
  const people = await Promise.all([1, 2, 3].map(() => newParty(tenant_id, 'svc.role.board')))
  const [ann, bob, cyd] = people as [Party, Party, Party]
  roots.set(bob.agent_did, `did:oas:${tenant_id}:human-root:${'1'.repeat(64)}`)
  roots.set(cyd.agent_did, `did:oas:${tenant_id}:human-root:${'1'.repeat(64)}`)
  const caller = await newParty(tenant_id, under('approval:2 of role:board'))
  const approval_id = await waiting(send(caller))
  assert.equal(assertSuccess(await decide(bob, approval_id)).output.state, 'PENDING')
  assertRefusal(await decide(cyd, approval_id), {
    code: 'policy_denied',
    stage: 7,
    reason: 'already decided',
  })
  assert.equal(await waiting(send(caller)), approval_id)
  assert.equal(assertSuccess(await decide(ann, approval_id)).output.state, 'APPROVED')
  assertSuccess(await send(caller))
  const second = await waiting(send(caller, { amount: 9 }))
  assert.equal(assertSuccess(await decide(ann, second, 'refuse')).output.state, 'REFUSED')
  assertRefusal(await decide(bob, second), { code: 'policy_denied', stage: 7, reason: 'not pending' })
  assertRefusal(await send(caller, { amount: 9 }), {
    code: 'policy_denied',
    stage: 4,
    reason: 'approval refused',
  })
})

test('it ends when its time is over, undecided or unused, and cannot be decided or used after that', async () => {
  const tenant_id = newTenant()
  const caller = await newParty(tenant_id, under('approval:role:finance within 2h use 1h'))
  const approver = await newParty(tenant_id, 'svc.role.finance')
  const undecided = await waiting(send(caller))
  clock.advance(2 * hour_ms)
  assertRefusal(await decide(approver, undecided), { code: 'policy_denied', stage: 7, reason: 'not pending' })
  const unused = await waiting(send(caller))
  assert.notEqual(unused, undecided)
  assertSuccess(await decide(approver, unused))
  clock.advance(hour_ms)
  await sweepApprovals(one.service.store.engine, testTick(new Date(clock.now_ms())))
  await waiting(send(caller))
  const expired = await one.records(tenant_id, { event_types: ['ApprovalExpired'] })
  assert.deepEqual(
    expired.map(({ meta }) => [meta.approval_id, meta.reason]).sort(),
    [
      [undecided, 'not decided in time'],
      [unused, 'not used in time'],
    ].sort(),
  )
  assert.equal(await paid(tenant_id), 0)
})

test('consent of somebody who was revoked afterwards no longer counts', async () => {
  const tenant_id = newTenant()
  const { caller, approver } = await finance(tenant_id)
  const approval_id = await waiting(send(caller))
  assertSuccess(await decide(approver, approval_id))
  revoked.add(approver.agent_did)
  assert.notEqual(await waiting(send(caller)), approval_id)
  assertRefusal(await decide(approver, approval_id), { code: 'capability_denied', stage: 4 })
  assert.equal(await paid(tenant_id), 0)
})

test('a dry run asks nobody and uses nothing, and tells what the call would get', async () => {
  const tenant_id = newTenant()
  const { caller, approver } = await finance(tenant_id)
  const input = { to: 'bob', amount: 7 }
  const dry = async () => {
    const headers = { 'x-svc-dry-run': 'true' }
    const { body } = await dispatch(caller, { protocol: 'PAY', operation: 'send', input }, headers)
    return (body as Fields).dry_run as Fields
  }
  const before_asking = await dry()
  assert.deepEqual([before_asking.verdict, before_asking.error.code], ['refused', 'approval_required'])
  assert.equal(before_asking.error.details.approval_id, null)
  assert.deepEqual((await done(approver, 'approvals', {})).items, [])
  const approval_id = await waiting(send(caller))
  assertSuccess(await decide(approver, approval_id))
  assert.equal((await dry()).verdict, 'allowed')
  assert.equal((await dry()).verdict, 'allowed')
  assertSuccess(await send(caller))
})

test('a call that the module refuses gives its consent back; a replay of a done one needs none', async () => {
  const tenant_id = newTenant()
  const { caller, approver } = await finance(tenant_id)
  const failing = await waiting(send(caller, { fails: true }))
  assertSuccess(await decide(approver, failing))
  for (let turn = 0; turn < 2; turn++)
    assertRefusal(await send(caller, { fails: true }), {
      code: 'policy_denied',
      stage: 7,
      reason: 'account empty',
    })
  assert.equal(await stateOf(caller, failing), 'APPROVED')
  const keyed = { idempotency_key: `key-${tenant_id}` }
  const approval_id = await waiting(send(caller, {}, keyed))
  assertSuccess(await decide(approver, approval_id))
  assertSuccess(await send(caller, {}, keyed))
  assert.equal(assertSuccess(await send(on(other, caller), {}, keyed)).metadata.replayed, true)
  await waiting(send(caller, {}, { idempotency_key: `other-${tenant_id}` }))
  assert.equal(await paid(tenant_id), 1)
})

test('an operation that calls another waits for the inner call, and passes once that has consent', async () => {
  const tenant_id = newTenant()
  const caller = await newParty(tenant_id, 'svc.pay.twice', under('approval:role:finance', 'svc.pay.send'))
  const approver = await newParty(tenant_id, 'svc.role.finance')
  const outer = () =>
    dispatch(caller, { protocol: 'PAY', version: 'v1', operation: 'twice', input: { to: 'bob', amount: 7 } })
  const error = assertRefusal(await outer(), { code: 'approval_required', stage: 7 })
  assertSuccess(await decide(approver, (error.details as Fields).approval_id))
  assertSuccess(await outer())
  assert.equal(await paid(tenant_id), 1)
})

test('a policy demands consent with @approval; a plain forbid still wins, and a wrong annotation is not enacted', async () => {
  const tenant_id = newTenant()
  const caller = await newParty(tenant_id, 'svc.pay.*')
  const approver = await newParty(tenant_id, 'svc.pay.*', 'svc.max.*')
  await addMember(one.service.store.engine, tenant_id, approver.agent_did, new Date(clock.now_ms()))
  const author = (policy_body: string, version: string) =>
    ask(approver, 'author', {
      policy_id: 'payments',
      policy_body,
      version,
      active_from: new Date(clock.now_ms()).toISOString(),
    })
  const wanting = (who: string, effect = 'forbid') =>
    `@approval("${who}") ${effect}(principal, action, resource) when { resource.protocol == "PAY" };`
  for (const body of [wanting('role:'), wanting('2 of anna'), wanting('role:finance', 'permit')])
    assertRefusal(await author(body, '1.0.0'), { code: 'invalid_payload', stage: 7, reason: 'cedar' })
  assertSuccess(await author(wanting(approver.agent_did), '1.0.0'))
  let approval_id = ''
  await eventually(async () => {
    approval_id = await waiting(send(caller))
  })
  const { needs } = await done(approver, 'approval_get', { approval_id })
  assert.deepEqual([needs[0].by, needs[0].ref], ['policy', 'maxim://payments@1.0.0'])
  assertSuccess(await decide(approver, approval_id))
  const explain = (correlation_id: string) =>
    dispatch(approver, { protocol: 'MAX', operation: 'explainability_request', input: { correlation_id } })
  // Its own call needs somebody else, and nobody else is named.
  const own = await send(approver)
  await waiting(Promise.resolve(own))
  const passed = assertSuccess(await send(caller))
  for (const correlation_id of [own.body.error.correlation_id, passed.metadata.correlation_id]) {
    const { output } = assertSuccess(await explain(correlation_id))
    assert.equal(output.consistent, true, JSON.stringify(output))
  }
  assertSuccess(
    await author(
      `${wanting(approver.agent_did)} forbid(principal, action, resource) when { resource.protocol == "PAY" };`,
      '2.0.0',
    ),
  )
  await eventually(async () => assertRefusal(await send(caller), { code: 'policy_denied', stage: 4 }))
})

test('what is not retained shows its shape only, a wrong input asks nobody, and pending ones are limited', async () => {
  const tenant_id = newTenant()
  const { caller, approver } = await finance(tenant_id)
  const hidden = await waiting(
    dispatch(caller, {
      protocol: 'PAY',
      version: 'v1',
      operation: 'hidden',
      input: { to: 'secret name', amount: 7 },
    }),
  )
  const whole = await done(approver, 'approval_get', { approval_id: hidden })
  assert.ok(!JSON.stringify(whole).includes('secret name'))
  assert.deepEqual(whole.input_shape, { to: 'text of 11', amount: 'number' })
  const long = await waiting(send(caller, { to: 'x'.repeat(70_000) }))
  assert.equal((await done(approver, 'approval_get', { approval_id: long })).input, undefined)
  assertRefusal(await send(caller, { amount: 'seven' }), { code: 'invalid_payload', stage: 7 })
  assertRefusal(await decide(approver, long, 'approve', { note: 'fine \u202e enif' }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'hidden text',
  })
  for (let amount = 100; amount < 130; amount++) await waiting(send(caller, { amount }))
  assertRefusal(await send(caller, { amount: 130 }), {
    code: 'policy_denied',
    stage: 4,
    reason: 'too many pending approvals',
  })
})

test('whoever can decide is told by mail, and whoever asked is told the decision', async () => {
  const tenant_id = newTenant()
  const mail = 'svc.mim.message_receive'
  const caller = await newParty(tenant_id, under('approval:role:finance'), mail)
  const approver = await newParty(tenant_id, 'svc.role.finance', mail)
  const received = async (who: Party) => {
    const answer = await dispatch(who, { protocol: 'MIM', operation: 'message_receive', input: {} })
    return assertSuccess(answer).output.messages as Fields[]
  }
  const approval_id = await waiting(send(caller))
  await waiting(send(caller))
  const letters = await received(approver)
  assert.deepEqual(
    letters.map(({ body, from }) => [body.approval_id, body.state, from]),
    [[approval_id, 'PENDING', caller.agent_did]],
  )
  assertSuccess(await decide(approver, approval_id))
  assert.deepEqual(
    (await received(caller)).map(({ body }) => [body.approval_id, body.state]),
    [[approval_id, 'APPROVED']],
  )
})
