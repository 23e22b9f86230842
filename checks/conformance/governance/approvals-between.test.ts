// Consent to calls between organizations: the one that is called decides by its own rules, in its own rows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { localAdmin } from '@svc/contract/identity/identity'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { pay } from '../../scenes/pay-protocol.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-15T10:00:00.000Z')
let service: InProcessService

before(async () => {
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), capabilities: [] },
    }),
  }
  const treaties = { find: async () => undefined, between: openBorders('svc.pay.*').between }
  service = await startInProcess({ clock, identity, treaties, more_protocols: [pay] })
})
after(() => service.stop())

const maxim = (who: Addresses, operation: string, input: Fields) =>
  dispatch(who, { protocol: 'MAXIM', operation, input })
const send = (who: Addresses, tenant_id: string) =>
  dispatch(who, { protocol: 'PAY', operation: 'send', input: { to: 'bob', amount: 7 }, tenant_id })

/** A charter member whose rule makes payments in its organization wait for its own consent. */
async function newOwner(tenant_id: string): Promise<Addresses> {
  const owner = await service.newCaller({ tenant_id, capabilities: ['svc.maxim.*', 'svc.pay.*'] })
  await addMember(service.service.store.engine, tenant_id, owner.agent_did, new Date(clock.now_ms()))
  const rule = `@approval("${owner.agent_did}") forbid(principal, action, resource) when { resource.protocol == "PAY" };`
  const active_from = new Date(clock.now_ms()).toISOString()
  const policy = { policy_id: 'pay', policy_body: rule, version: '1.0.0', active_from }
  assertSuccess(await maxim(owner, 'author', policy))
  return owner
}

/** The approval that the call waits for in this organization. */
const waitingIn = (caller: Addresses, to: string, tenant_id: string): Promise<string> =>
  until('the call waits', async () => {
    const { details } = assertRefusal(await send(caller, to), { code: 'approval_required', stage: 4 })
    return details.approval_tenant === tenant_id && String(details.approval_id)
  })

test('both organizations consent, each by its own people, and the record names both approvals', async () => {
  const [buyer, seller] = [await newOwner('buyer'), await newOwner('seller')]
  const caller = await service.newCaller({ tenant_id: 'buyer', capabilities: ['svc.maxim.*', 'svc.pay.*'] })
  const first = await waitingIn(caller, 'seller', 'buyer')
  assertRefusal(await maxim(seller, 'approval_get', { approval_id: first }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'not_found',
  })
  assertSuccess(await maxim(buyer, 'approval_decide', { approval_id: first, decision: 'approve' }))
  const second = await waitingIn(caller, 'seller', 'seller')
  assert.equal(
    assertSuccess(await maxim(caller, 'approval_get', { approval_id: first })).output.state,
    'APPROVED',
  )
  assertSuccess(await maxim(seller, 'approval_decide', { approval_id: second, decision: 'approve' }))
  const { metadata } = assertSuccess(await send(caller, 'seller'))
  const records = await service.records('buyer')
  const record = records.find(({ id }) => id === metadata.audit_record_id)!
  assert.deepEqual(record.meta.approval_ids, [first, second])
  const decided = records.filter(({ event_type }) => event_type === 'ApprovalGiven')
  assert.deepEqual(decided.map(({ meta }) => meta.approval_id).sort(), [first, second].sort())
})
