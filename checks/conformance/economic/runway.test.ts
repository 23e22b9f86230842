// Scenario 21: one cent of credit, calls until it is spent, what still works, and a top-up.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { microUsdAbove, usdText } from '@svc/contract/money/money'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import type { InProcessService } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, openMadeScene, start } from '../identity/made-scene.ts'

/** At most ten milliseconds at ten times the price: 1,800 µUSD. On the test's clock it takes one: 180. */
const brief = protocol({
  id: 'BRIEF',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Short work.',
  operations: {
    work: operation({
      summary: 'Do next to nothing.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      multipliers: [1, 10, 1],
      deadline_ms: 10,
      input: Closed({}),
      output: Closed({}),
      example: {},
      handle: () => ({}),
    }),
  },
})
const cent_micro_usd = 10_000
const worst_micro_usd = 1_800
const exhausted = {
  code: 'policy_denied',
  stage: 5,
  reason: 'tenant runway exhausted',
  event: 'AuthorizationCheck',
} as const

let scene: MadeScene
let service: InProcessService
let operator: Addresses

before(async () => {
  scene = await openMadeScene({ more_protocols: [brief] })
  ;({ service } = scene)
  operator = await scene.newParty(service.operator.tenant_id)
  const since = new Date(start)
  await addMember(service.service.store.engine, operator.tenant_id, operator.agent_did, since)
})
after(() => service?.stop())

const work = (caller: Addresses) =>
  dispatch(caller, { protocol: 'BRIEF', version: 'v1', operation: 'work', input: {} })

async function admin(action: string, tenant_id: string, more: object): Promise<void> {
  const input = { action, tenant_id, authority: 'mace://sole-member', ...more }
  assertSuccess(await dispatch(operator, { protocol: 'MEAL', version: 'v1', operation: 'admin', input }))
}

/** One cent more than spent so far, and no credit line. */
async function leaveOneCent(tenant_id: string): Promise<void> {
  const spent = await spentBy(tenant_id)
  await admin('set_credit_line', tenant_id, { amount_usd: '0' })
  await admin('grant_credit', tenant_id, {
    amount_usd: usdText(BigInt(cent_micro_usd) + microUsdAbove(spent)),
  })
}

async function budgetOf(caller: Addresses) {
  const input = { tenant_id: caller.tenant_id, dimension: 'usd' }
  return assertSuccess(
    await dispatch(caller, { protocol: 'MANA', version: 'v1', operation: 'budget', input }),
  ).output
}

/** The spent quanta according to the audit log. */
async function spentBy(tenant_id: string): Promise<bigint> {
  const records = await service.records(tenant_id, { event_types: ['ProtocolInvocation'] })
  const quanta = records.map(({ meta }) =>
    BigInt((meta.usage as { quanta: string } | undefined)?.quanta ?? 0),
  )
  return quanta.reduce((sum, charge) => sum + charge, 0n)
}
const cent_quanta = BigInt(cent_micro_usd) * 10n ** 13n
const worst_quanta = BigInt(worst_micro_usd) * 10n ** 13n

test('calls run until the next may be unaffordable; essential ones continue; a top-up restores service', async () => {
  const caller = await scene.newParty('penny')
  const contract_id = await agreeOnTopUp(caller)
  const before_quanta = await spentBy('penny')
  await leaveOneCent('penny')
  let answer = await work(caller)
  for (let calls = 0; answer.status === 200 && calls < 1_000; calls++) answer = await work(caller)
  await assertRefusedAndRecorded(service, answer, exhausted, 'penny')
  const spent = (await spentBy('penny')) - before_quanta
  assert.ok(spent <= cent_quanta, 'nothing is overdrawn')
  assert.ok(
    spent + worst_quanta > cent_quanta - 10n ** 13n,
    'and nothing is refused that could have been paid',
  )

  const request = { version: 'v1', input: { outcome: 'refused' } }
  const read = await dispatch(caller, { protocol: 'MAX', operation: 'audit_query', ...request })
  assertSuccess(read)
  assert.ok(Number((await budgetOf(caller)).remaining) < worst_micro_usd / 1e6)
  assertRefusal(await work(caller), exhausted)

  await eventually(() => assertTold('RunwayLow'))
  const topUp = { contract_id, obligation_ids: ['top-up'], rail_reference: 'wire 4711' }
  assertSuccess(await made(operator, 'settle', topUp))
  await eventually(async () => assert.equal((await work(caller)).status, 200))
  await eventually(() => assertTold('CreditGranted', 'ContractActivated', 'ContractSettled'))
})

async function assertTold(...events: string[]): Promise<void> {
  const event_types = (await service.records('penny', { event_types: events })).map(
    ({ event_type }) => event_type,
  )
  for (const event of events) assert.ok(event_types.includes(event), `${event} is not in the chain`)
}

const made = (whose: Addresses, name: string, input: object) =>
  dispatch(whose, { protocol: 'MADE', version: 'v1', operation: `economic_contract_${name}`, input })

/** The operator will owe a dollar to the runway, once the bank transfer arrives. */
async function agreeOnTopUp(caller: Addresses): Promise<unknown> {
  const owed = { id: 'top-up', from: 'proposer', asset_id: 'usd', amount: '1000000', credit_to: 'runway' }
  const offer = { counterparty_did: caller.agent_did, obligations: [owed] }
  const { contract_id } = assertSuccess(await made(operator, 'create', offer)).output
  assertSuccess(await made(caller, 'create', { contract_id }))
  return contract_id
}

test('a hundred concurrent calls never overdraw, and none is refused while the runway covers it', async () => {
  const caller = await scene.newParty('crowd')
  await leaveOneCent('crowd')
  const answers = await Promise.all(Array.from({ length: 100 }, () => work(caller)))
  const done = answers.filter(({ status }) => status === 200).length
  for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, exhausted)
  assert.ok(done >= Math.floor(cent_micro_usd / worst_micro_usd))
  assert.ok((await spentBy('crowd')) <= cent_quanta)
  assert.equal((await budgetOf(caller)).reserved, '0.000000', 'what was reserved is given back')
})
