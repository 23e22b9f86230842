// Money that comes from outside: who may issue it, how much, and once for each payment.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { balanceOf } from '@svc/protocols/economic/ledger/store'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { agree, assertSound, type MadeScene, openMadeScene, type Party, settle } from './made-scene.ts'

let scene: MadeScene
let ann: Party
before(async () => {
  scene = await openMadeScene()
  ann = await scene.newParty('acme')
})
after(() => scene?.service.stop())

const engine = () => scene.service.service.store.engine
const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const

test('the operator credits a runway for an external payment, once', async () => {
  const clerk = await scene.newParty('operator')
  const top_up = {
    id: 'a',
    from: 'proposer',
    asset_id: 'usd',
    amount: '5000000',
    credit_to: 'runway',
  }
  const agreed = () => agree([clerk, ann], [top_up], { treaty_id: undefined })
  const { contract_id, output } = await agreed()
  assert.equal(output.fee_bps, 0)
  const payment = { contract_id, rail_reference: 'wire-1' }
  assertRefusal(await settle(clerk, payment), denied('charter member required to issue'))
  await addMember(engine(), 'operator', clerk.agent_did, new Date(scene.clock.now_ms() - 1))
  assertRefusal(await settle(clerk, { contract_id }), denied('insufficient funds'))
  const runway = { tenant_id: 'acme', asset_id: 'usd', type: 'runway' } as const
  const before = await balanceOf(engine(), runway)
  assert.equal(assertSuccess(await settle(clerk, payment)).output.contract_state, 'FINAL')
  assert.equal((await balanceOf(engine(), runway)) - before, 5_000_000n)
  const next = await agreed()
  const twice = { contract_id: next.contract_id, rail_reference: 'wire-1' }
  assertRefusal(await settle(clerk, twice), denied('rail reference already used'))
  // Two concurrent ones with one reference, and two for one obligation: one of each succeeds.
  const race = ['wire-2', 'wire-2', 'wire-3'].map((rail_reference) =>
    settle(clerk, { ...twice, rail_reference }),
  )
  const statuses = (await Promise.all(race)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 422, 422])
  assert.equal((await balanceOf(engine(), runway)) - before, 10_000_000n)
  await assertSound(scene)
})

test('beyond 10,000 USD in a day, one member of several does not issue alone, whatever the references', async () => {
  const [clerk, other] = [await scene.newParty('operator'), await scene.newParty('operator')]
  for (const { agent_did } of [clerk, other])
    await addMember(engine(), 'operator', agent_did, new Date(scene.clock.now_ms() - 1))
  const issue = async (amount: string, by = clerk) => {
    const top_up = { id: 'a', from: 'proposer', asset_id: 'usd', amount, credit_to: 'runway' }
    const { contract_id } = await agree([by, ann], [top_up], { treaty_id: undefined })
    return settle(by, { contract_id, rail_reference: `limit-${contract_id}` })
  }
  // Ten were created by the test before.
  assertSuccess(await issue('9000000000'))
  const runway = { tenant_id: 'acme', asset_id: 'usd', type: 'runway' } as const
  const before = await balanceOf(engine(), runway)
  for (const by of [clerk, other])
    assertRefusal(await issue('1000000000', by), denied('charter quorum required'))
  const race = await Promise.all([issue('600000000'), issue('600000000', other)])
  assert.deepEqual(race.map(({ status }) => status).sort(), [200, 422])
  assert.equal((await balanceOf(engine(), runway)) - before, 600_000_000n)
  await assertSound(scene)
})
