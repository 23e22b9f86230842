// Rulings executed at the same time: none waits for another in a circle, and none misses what another has ended.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type CourtStage, day_ms, openCourt } from '../../../checks/rehearsal/court-stage.ts'
import type { Party } from '../../../checks/rehearsal/organizations.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { assertSoundLedger } from '../../../checks/scenes/sound-ledger.ts'
import { testTreaty } from '../../../checks/scenes/test-treaty.ts'
import { waitingSessions } from '../../../checks/scenes/waiting-sessions.ts'
import { until } from '../../../checks/suite/eventually.ts'
import { balanceOf, chargeFees } from '../../economic/ledger/api.ts'
import { sweepCase } from './case-sweep.ts'

let scene: CourtStage
let ann: Party
let bob: Party
let treaty_id: string

before(async () => {
  scene = await openCourt()
  ;({ ann, bob } = scene)
  const parties = [ann, bob].map(({ tenant_id, did }) => ({ tenant: tenant_id, did }))
  const grants = parties.flatMap(({ tenant }) =>
    ['svc.made.*', 'svc.mars.*'].map((capability) => ({ to: tenant, capability })),
  )
  const treaty = testTreaty([parties[0]!, parties[1]!], grants)
  treaty_id = treaty.id
  scene.offers.push(treaty)
  for (const party of [ann, bob]) await scene.pay(party, 100_000_000n)
})
after(() => scene.stage.close())

const run = (who: Party, operation: string, input: object) => scene.run(who, operation, input)
const engine = () => scene.stage.store.engine
const finish = (case_id: unknown) =>
  engine().transaction((own) => sweepCase(own, String(case_id), testTick(scene.stage.ports.clock.now_ms())))
const dollars = ({ tenant_id, did }: Party) =>
  balanceOf(engine(), { tenant_id, did, asset_id: 'usd', type: 'available' })

/** Under it the other side owes 40 USD, at a fee. */
async function contractOf(proposer: Party, other: Party): Promise<string> {
  const obligations = [{ id: 'all', from: 'counterparty', asset_id: 'usd', amount: '40000000' }]
  const offer = { counterparty_did: other.did, obligations, treaty_id }
  const { contract_id } = await run(proposer, 'MADE.economic_contract_create', offer)
  await run(other, 'MADE.economic_contract_create', { contract_id })
  return contract_id
}

/** Whoever files it owes the fee of a frivolous case, and what the other side claims back. */
async function loseFrivolously(who: Party, other: Party): Promise<unknown> {
  const target = `made://contract/${await contractOf(other, who)}`
  const { case_id, panel } = await scene.file(who, { respondent_did: other.did })
  const remedy = { kind: 'specific_performance', target }
  const counterclaim = { claim: 'It owes us.', requested_remedy: remedy }
  await run(other, 'plead', { case_id, plea: 'counterclaim', argument: 'It does.', counterclaim })
  const arbiter = scene.arbiters.find(({ did }) => did === panel[0])!
  await run(arbiter, 'hear', { case_id })
  const lost = { finding: 'for_respondent', reasoning: 'Nothing in it.', frivolous: true, remedy }
  assert.equal((await run(arbiter, 'rule', { case_id, ...lost })).state, 'RULED')
  return case_id
}

test('two rulings by which each side pays the other are both executed at once', async () => {
  const cases = [await loseFrivolously(ann, bob), await loseFrivolously(bob, ann)]
  scene.stage.ports.clock.advance(15 * day_ms)
  const before = [await dollars(ann), await dollars(bob)]
  const charge = { asset_id: 'usd', amount: 1n, bps: 25 }
  const both: Promise<void>[] = []
  const undo = new Error('as if nothing had been charged')
  // While both sums of fees are held, both rulings have begun to move money.
  const charging = engine().transaction(async (db) => {
    await chargeFees(db, 'operator', [
      { ...charge, tenant_id: ann.tenant_id },
      { ...charge, tenant_id: bob.tenant_id },
    ])
    both.push(...cases.map((case_id) => finish(case_id)))
    await until('both wait', async () => (await waitingSessions(engine())) === 2)
    throw undo
  })
  await assert.rejects(charging, undo)
  await Promise.all(both)
  assert.deepEqual([await dollars(ann), await dollars(bob)], [before[0]! - 100_000n, before[1]! - 100_000n])
  for (const case_id of cases)
    assert.equal((await run(ann, 'plead', { case_id, plea: 'view' })).state, 'REMEDIED')
  await assertSoundLedger(scene.stage.database.url)
  await scene.renew()
})

test('a contract that two cases dispute is resumed when both end at once', async () => {
  const contract_id = await contractOf(ann, bob)
  const evidence = [`made://contract/${contract_id}`]
  const cases = [await scene.file(ann, { evidence }), await scene.file(ann, { evidence })]
  for (const { case_id } of cases) {
    const settle = { case_id, plea: 'settle', argument: 'Fine.', settlement: { kind: 'declaratory' } }
    for (const who of [bob, ann]) await run(who, 'plead', settle)
  }
  const stateOf = async () =>
    (await run(ann, 'MADE.economic_contract_create', { contract_id, action: 'view' })).state
  assert.equal(await stateOf(), 'DISPUTED')
  const [one, other] = cases.map(({ case_id }) => case_id)
  let is_over = false
  let second: Promise<void> | undefined
  await engine().transaction(async (db) => {
    await sweepCase(db, one, testTick(scene.stage.ports.clock.now_ms()))
    second = finish(other).finally(() => {
      is_over = true
    })
    await until('the other waits, or has not', async () => is_over || (await waitingSessions(engine())) === 1)
  })
  await second
  assert.equal(await stateOf(), 'ACTIVE')
})
