// "Hourly and weekly limits and budgets of a delegation count for the whole chain": over HTTP, and on an engine that starts later.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { grantHour, grantWeek } from '@svc/contract/money/budget-counter'
import { microUsdAbove } from '@svc/contract/money/money'
import { spentOf } from '@svc/protocols/economic/usage/spend-store'
import { dispatch } from '../../engines/running-engine.ts'
import {
  type DelegationScene,
  delegateTo,
  type Member,
  openDelegationScene,
} from '../../scenes/delegation-scene.ts'
import { ask, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const master_key = randomBytes(32)
const more_protocols = [trialProtocol().protocol]
let scene: DelegationScene

before(async () => {
  scene = await openDelegationScene({ config: { master_key }, more_protocols })
})
after(() => scene.stop())

/** A fresh engine on the same database: its counters start from what the log says. */
async function startAnother(): Promise<DelegationScene> {
  const { db_url } = scene.service
  const identity = {
    resolve(did: string) {
      const registered = scene.known.get(did)
      if (!registered) return { outcome: 'Failed', reason: 'not in the test' } as const
      return { outcome: 'Resolved', identity: registered } as const
    },
  }
  await scene.service.service.audit_log.flush()
  const config = { master_key, db_url }
  return openDelegationScene({ config, clock: scene.clock, identity, more_protocols })
}

const reasonOf = async (member: Member, operation = 'echo') =>
  (await ask(member, operation)).body.error?.reason as string | undefined

test('N delegates and their delegator have one hourly quota, on every engine', async () => {
  const capability = { name: 'svc.trial.*', limits: { max_per_hour: 5 }, caveats: [] }
  const delegator = await scene.newMember({ declares: [capability] })
  const delegates = await Promise.all([0, 1, 2].map(() => scene.newMember()))
  const more = { max_redelegation_depth: 1 }
  const tokens = []
  for (const to of delegates)
    tokens.push(await delegateTo(delegator, { to, capabilities: ['svc.trial.*'], more }))
  const last = await scene.newMember()
  const narrow = { name: 'svc.trial.echo', limits: { max_per_hour: 1 } }
  const parent_token = tokens[0]!.token_id
  await delegateTo(delegates[0]!, {
    to: last,
    capabilities: [narrow],
    more: { ...more, max_redelegation_depth: 0, parent_token },
  })

  for (const member of [delegator, delegates[0]!, last]) assert.equal(await reasonOf(member), undefined)
  assert.equal(await reasonOf(last), 'capability max_per_hour reached', 'its own limit is smaller')
  for (const member of [delegates[1]!, delegates[2]!]) assert.equal(await reasonOf(member), undefined)
  const { error } = (await ask(delegates[1]!, 'echo')).body
  assert.deepEqual([error.code, error.details.holder], ['rate_limited', delegator.agent_did])
  assert.match(error.message, /^The 5 calls an hour that everyone in the chain of this delegation .* shares/)
  assert.equal(
    await reasonOf(delegator),
    'capability max_per_hour reached',
    'the delegator has none left either',
  )

  const another = await startAnother()
  try {
    const counter = grantHour(
      delegator.agent_did,
      'svc.trial.*',
      new Date(scene.clock.now_ms()).toISOString(),
    )
    assert.equal((await spentOf(scene.service.service.store.engine, 'dev', counter)).calls, 5n)
    for (const member of [delegator, ...delegates, last])
      assert.equal(
        await reasonOf({ ...member, api_url: another.service.api_url }),
        'capability max_per_hour reached',
      )
  } finally {
    await another.stop()
  }
})

test('a weekly budget is spent by the whole chain, and shown so', async () => {
  // The most a call of it may cost is 0.018 USD, so one in flight fits, and not what remains after it.
  const budget = 'weekly_budget:0.018'
  const delegator = await scene.newMember({ declares: [{ name: 'svc.trial.*', caveats: [budget] }] })
  const [one, other] = [await scene.newMember(), await scene.newMember({ declares: ['svc.macs.*'] })]
  for (const to of [one, other]) await delegateTo(delegator, { to, capabilities: ['svc.trial.*'] })
  const shown = async () => {
    const input = { agent_did: other.agent_did, protocol: 'TRIAL' }
    const { output } = assertSuccess(
      await dispatch(other, { protocol: 'MACS', operation: 'authorization_request', input }),
    )
    return (output.capabilities as { satisfied_now: boolean; caveats: string[] }[])[0]!
  }
  assert.deepEqual([(await shown()).satisfied_now, (await shown()).caveats], [true, [budget]])
  assert.equal(await reasonOf(one), undefined)
  await scene.service.service.audit_log.flush()
  const week = grantWeek(delegator.agent_did, 'svc.trial.*', scene.clock.now_ms())
  const { quanta, calls } = await spentOf(scene.service.service.store.engine, 'dev', week)
  assert.deepEqual([calls, microUsdAbove(quanta) > 0n], [1n, true])
  for (const member of [other, delegator]) {
    const { error } = (await ask(member, 'echo')).body
    assert.deepEqual([error.code, error.details.caveat], ['capability_denied', budget], error.message)
  }
})
