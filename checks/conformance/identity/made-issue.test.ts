// Money that comes from outside: who may issue it, how much, and once for each payment.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { balanceOf } from '@svc/protocols/economic/ledger/store'
import { dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { agree, assertSound, type MadeScene, openMadeScene, type Party, settle } from './made-scene.ts'

let scene: MadeScene
let ann: Party
/** Charter members of the operator. */
const clerks: Party[] = []
before(async () => {
  scene = await openMadeScene()
  ann = await scene.newParty('acme')
})
after(() => scene?.service.stop())

const engine = () => scene.service.service.store.engine
async function seat(clerk: Party): Promise<void> {
  await addMember(engine(), 'operator', clerk.agent_did, new Date(scene.clock.now_ms() - 1))
  clerks.push(clerk)
}

/** The charter's verdict on the money of one contract. */
async function decide(contract_id: string, position: string): Promise<string> {
  const ask = async (clerk: Party, operation: string, input: object) =>
    assertSuccess(await dispatch(clerk, { protocol: 'MACE', operation, input })).output
  const binds = [{ protocol: 'MADE', operation: 'economic_contract_settle', subject: contract_id }]
  const motion = { title: 'A deposit', text: 'The bank says that it came.', binds }
  const [convener] = clerks as [Party]
  const convening = { motion, quorum: 'majority', deadline_ms: 86_400_000, composition_rules: {} }
  const { motion_id } = await ask(convener, 'convene', convening)
  for (const clerk of clerks)
    await ask(clerk, 'deliberate', { motion_id, position, reasoning: 'Its reference is there.' })
  scene.clock.advance(86_400_000)
  return (await ask(convener, 'tally', { motion_id })).ref as string
}

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
  await seat(clerk)
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
  await seat(clerk)
  await seat(other)
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

test('beyond it a verdict of the charter lets one member issue the money of one contract, once', async () => {
  const [clerk] = clerks as [Party]
  const top_up = { id: 'a', from: 'proposer', asset_id: 'usd', amount: '20000000000', credit_to: 'runway' }
  const agreed = async () =>
    (await agree([clerk, ann], [top_up], { treaty_id: undefined })).contract_id as string
  const [one, other] = [await agreed(), await agreed()]
  const rejected = await decide(other, 'against')
  const authority = await decide(one, 'for')
  const runway = { tenant_id: 'acme', asset_id: 'usd', type: 'runway' } as const
  const before = await balanceOf(engine(), runway)
  const issue = (contract_id: string, more: object) =>
    settle(clerk, { contract_id, rail_reference: `verdict-${contract_id}`, ...more })
  for (const more of [{}, { authority }, { authority: rejected }]) {
    const { status, body } = await issue(other, more)
    assert.deepEqual([status, body.error.code], [422, 'policy_denied'])
  }
  assert.equal(assertSuccess(await issue(one, { authority })).output.contract_state, 'FINAL')
  assert.equal((await balanceOf(engine(), runway)) - before, 20_000_000_000n)
  await assertSound(scene)
})
