// The rules of disputes: who may file, plead, hear and rule; panel votes, remedies, defaults and appeals.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { vaults } from '@svc/adapters/custody/vault'
import { asOwner } from '@svc/audit/test-audit-log'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import type { RefusalCode } from '@svc/contract/refusal'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { administrators, asCaller, newParty, type Party } from '../../../checks/rehearsal/organizations.ts'
import { type Output, type Rehearsal, rehearse, root_keys } from '../../../checks/rehearsal/rehearse.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { assertSoundLedger } from '../../../checks/scenes/sound-ledger.ts'
import { openBorders, testTreaty } from '../../../checks/scenes/test-treaty.ts'
import { mars } from '../../awareness/mars/mars.ts'
import { balanceOf, ensureUsd, postJournal } from '../../economic/ledger/store.ts'
import { made } from '../../economic/made/made.ts'
import { openCasesOf } from '../cases/case-store.ts'
import { awardsAgainst } from '../cases/ruling-store.ts'
import { sweepCases } from './case-sweep.ts'
import { moot } from './moot.ts'

const day_ms = 86_400_000
let stage: Rehearsal
let ann: Party
let bob: Party
let eve: Party
/** Registry entries, verifiable by those who may see them. */
let proof_of_ann: string
let proof_of_bob: string
let treaty: StandingTreaty
const arbiters: Party[] = []

before(async () => {
  const find = async (_tenant: string, id: string) => (id === treaty.id ? treaty : undefined)
  const treaties = { find, between: openBorders('svc.mars.*').between }
  stage = await rehearse(moot, { others: [mars, made], ports: { ...administrators(), treaties } })
  await ensureTenant(stage.store.engine, 'operator', 'operator', 'sovereign')
  await ensureUsd(stage.store.engine, 'operator')
  ;[ann, bob, eve] = [
    await newParty(stage, 'acme'),
    await newParty(stage, 'globex'),
    await newParty(stage, 'third'),
  ]
  for (let n = 0; n < 9; n++) arbiters.push(await newParty(stage, 'operator'))
  await pay(bob, 'usd', 160_000_000n)
  await renewEntries()
  const [one, other] = [bob, ann].map(({ tenant_id, did }) => ({ tenant: tenant_id, did }))
  treaty = testTreaty([one!, other!], [{ to: 'globex', capability: 'svc.made.*' }], {
    settlement: { rail: 'internal', currency: 'COIN', clearing_fee_bps: 25 },
  })
})
after(() => stage.close())

const run = (who: Party, operation: string, input: unknown) => stage.run(operation, input, asCaller(who))
const refused = (
  who: Party,
  operation: string,
  input: unknown,
  reason: string,
  code: RefusalCode = 'policy_denied',
) => assertRefused(run(who, operation, input), code, reason)
const engine = () => stage.store.engine
const pass = (ms: number) => stage.ports.clock.advance(ms)
/** The checkpoint of the record of the filing, from the audit log of this rehearsal. */
const court: Parameters<typeof sweepCases>[2] = {
  vaultOf: vaults(root_keys),
  membersOf: async () => [],
  async checkpointOf(_db, { venue }, { case_id, correlation_id }) {
    const [filed] = eventsOf(venue, 'CaseFiled', case_id)
    return (await stage.ports.audit_log.receipt(venue, correlation_id, filed!.id)).checkpoint
  },
}
const sweep = () => sweepCases(engine(), testTick(stage.ports.clock.now_ms()), court)
const balance = ({ tenant_id, did }: Party, asset_id: string) =>
  balanceOf(engine(), { tenant_id, did, asset_id, type: 'available' })
const eventsOf = (tenant_id: string, type: string, case_id: unknown) =>
  stage.records(tenant_id).filter(({ event_type, meta }) => event_type === type && meta.case_id === case_id)

/** Registered for thirty days. */
async function register(who: Party, visibility: string): Promise<string> {
  const { entry } = await run(who, 'MARS.register_agent', {
    name: 'Agent',
    entity_kind: 'Agent',
    capabilities: ['svc.moot.rule'],
    service_endpoints: [],
    ttl_seconds: 2_592_000,
    visibility,
  })
  return `mars://${entry}`
}

/** Also after time has passed. The ninth arbiter is visible only in the operator's tenant, so never drawn. */
async function renewEntries(): Promise<void> {
  for (const [place, arbiter] of arbiters.entries())
    await register(arbiter, place === 8 ? 'tenant' : 'public')
  proof_of_ann = await register(ann, 'public')
  proof_of_bob = await register(bob, 'public')
}

async function pay(to: Party, asset_id: string, amount: bigint, issuer = 'operator'): Promise<void> {
  await postJournal(engine(), {
    tenant_id: issuer,
    kind: 'test',
    ref: 'test',
    correlation_id: '00000000-0000-4000-8000-000000000000',
    at: '2026-11-15T10:00:00.000Z',
    entries: [
      { tenant_id: issuer, asset_id, type: 'issuance', amount: -amount },
      { tenant_id: to.tenant_id, did: to.did, asset_id, type: 'available', amount },
    ],
  })
}

const claim = (amount_usd: string, more: object = {}) => ({
  respondent_did: bob.did,
  claim: 'That call never happened.',
  evidence: [proof_of_ann],
  requested_remedy: { kind: 'pay', amount_usd },
  ...more,
})
const file = (amount_usd: string, more: object = {}) => drawn(ann, claim(amount_usd, more))

/** With its panel, which the next sweep draws. */
async function drawn(who: Party, filing: object): Promise<Output> {
  const filed = await run(who, 'file', filing)
  assert.deepEqual(filed.panel, [], 'nobody knows the panel when it is filed')
  await sweep()
  const { docket } = await run(who, 'plead', { case_id: filed.case_id, plea: 'view' })
  return { ...filed, panel: docket.panel, draw: docket.draw }
}
const rule = (arbiter: Party, case_id: unknown, more: object) =>
  run(arbiter, 'rule', { case_id, reasoning: 'It stands in both chains.', ...more })
const pays = (amount_usd: string) => ({ finding: 'for_claimant', remedy: { kind: 'pay', amount_usd } })
const stateOf = async (case_id: unknown) => (await run(ann, 'plead', { case_id, plea: 'view' })).state
const panelOf = ({ panel }: Output): Party[] =>
  panel.map((did: string) => arbiters.find((arbiter) => arbiter.did === did))

test('only the parties and the panel of a case act in it, each in its time', async () => {
  const opened = await file('10000', { evidence: [proof_of_ann, proof_of_bob] })
  const { case_id } = opened
  assert.deepEqual([opened.state, opened.venue, opened.panel.length], ['FILED', 'operator', 3])
  assert.ok(opened.evidence_check.every(({ hash_ok }: Output) => hash_ok))
  for (const tenant_id of ['acme', 'globex', 'operator'])
    assert.equal(eventsOf(tenant_id, 'CaseFiled', case_id).length, 1, tenant_id)
  const panel = panelOf(opened)
  const outsider = arbiters.find((arbiter) => !panel.includes(arbiter))!
  const view = { case_id, plea: 'view' }
  await refused(eve, 'plead', view, 'not_found', 'invalid_payload')
  await refused(outsider, 'hear', { case_id }, 'not on the panel')
  await refused(outsider, 'plead', view, 'not a party of this case')
  await refused(panel[0]!, 'hear', { case_id }, 'case is FILED; hear needs PLEADED or DEFAULTED or HEARD')
  await assertRefused(
    rule(panel[0]!, case_id, { finding: 'for_respondent' }),
    'policy_denied',
    'case not heard',
  )
  assert.equal((await run(bob, 'plead', view)).docket.claim, 'That call never happened.')
  const withdraw = { case_id, plea: 'withdraw', argument: 'Never mind.' }
  await refused(bob, 'plead', withdraw, 'only the claimant may withdraw')
  for (const [tenant_id, count] of Object.entries({ acme: 1, globex: 1, operator: 1, third: 0 }))
    await stage.as(tenant_id, async (db) =>
      assert.equal((await openCasesOf(db, 'acme')).filter((row) => row.case_id === case_id).length, count),
    )
  assert.equal((await run(ann, 'plead', withdraw)).state, 'WITHDRAWN')
})

test('without verifiable evidence or a panel, or before the wrong court, there is no case', async () => {
  const nowhere = `max://globex/record/${'0'.repeat(64)}`
  for (const bad of [nowhere, 'https://example.org/proof', 'max://acme/record/1']) {
    const filing = claim('5', { evidence: [proof_of_ann, bad] })
    const { details } = await refused(ann, 'file', filing, 'evidence not found', 'invalid_payload')
    assert.deepEqual(
      details.faults?.map(({ pointer }) => pointer),
      ['/evidence/1'],
    )
  }
  const against = claim('5', { respondent_did: arbiters[0]!.did })
  const { details } = await refused(ann, 'file', against, 'no eligible panel')
  assert.equal(details.needed, 1)
  await refused(ann, 'file', claim('5', { venue: 'third' }), 'venue not agreed')
  await refused(ann, 'file', claim('0'), 'fields do not fit together', 'invalid_payload')
})

/** Files a case that the other side denies, and has its panel hear it. */
async function hearCase(amount_usd: string) {
  const opened = await file(amount_usd)
  const { case_id } = opened
  const panel = panelOf(opened)
  const pleaded = await run(bob, 'plead', {
    case_id,
    plea: 'deny',
    argument: 'It did.',
    evidence: [proof_of_bob],
  })
  assert.deepEqual([pleaded.state, pleaded.pleadings_count], ['PLEADED', 1])
  await run(panel[0]!, 'hear', { case_id })
  return { case_id, panel }
}

test('a plea with evidence that leads nowhere is refused', async () => {
  const { case_id } = await file('5')
  const denial = { case_id, plea: 'deny', argument: 'It did.', evidence: ['moot://ruling/none'] }
  await refused(bob, 'plead', denial, 'evidence not found', 'invalid_payload')
  const settle = { case_id, plea: 'settle', argument: 'Fine.', settlement: { kind: 'declaratory' } }
  for (const who of [bob, ann]) await run(who, 'plead', settle)
})

test('a panel decides by majority, awards the lower median, and records the dissent', async () => {
  const { case_id, panel } = await hearCase('10000')
  const [one, two, three] = panel as [Party, Party, Party]
  await assertRefused(rule(one, case_id, pays('10000.01')), 'invalid_payload', 'fields do not fit together')
  const forged = { ...pays('100'), signature: 'A'.repeat(86) }
  await assertRefused(rule(one, case_id, forged), 'policy_denied', 'signature invalid')
  await rule(one, case_id, pays('100'))
  await assertRefused(rule(one, case_id, pays('100')), 'policy_denied', 'already ruled by this arbiter')
  const dissent = { finding: 'for_respondent', reasoning: 'I see no harm.' }
  const waiting = await rule(two, case_id, dissent)
  assert.deepEqual([waiting.state, waiting.votes_in, waiting.votes_needed], ['HEARD', 2, 3])
  const { state, ruling } = await rule(three, case_id, pays('150.5'))
  assert.deepEqual([state, ruling.finding], ['RULED', 'for_claimant'])
  assert.equal(ruling.remedy.amount_usd, '100.000000', 'the lower median')
  assert.deepEqual(ruling.dissent, [{ did: two.did, ...dissent }])
  for (const tenant_id of ['acme', 'globex', 'operator'])
    assert.equal(eventsOf(tenant_id, 'CaseRuled', case_id)[0]?.meta.dissent_count, 1, tenant_id)
})

test('a ruling is made without an arbiter who votes too late', async () => {
  const { case_id, panel } = await hearCase('10000')
  for (const arbiter of panel.slice(1)) await rule(arbiter, case_id, { finding: 'for_respondent' })
  pass(14 * day_ms)
  await sweep()
  const { state, docket } = await run(bob, 'plead', { case_id, plea: 'view' })
  const { finding, majority } = docket.ruling
  assert.deepEqual([state, finding, majority.length], ['RULED', 'for_respondent', 2])
  await renewEntries()
})

/** Both offer the same settlement, and the sweep executes it. */
async function settleFor(case_id: unknown, kind: string): Promise<void> {
  const settle = { case_id, plea: 'settle', argument: 'Fine.', settlement: { kind } }
  assert.equal((await run(bob, 'plead', settle)).state, 'PLEADED')
  assert.equal((await run(ann, 'plead', settle)).state, 'SETTLED')
  await Promise.all([sweep(), sweep()])
}

const owes = (id: string, amount: string) => ({
  id,
  from: 'proposer',
  asset_id: 'coin',
  amount,
})
const create = (who: Party, input: object) => run(who, 'MADE.economic_contract_create', input)
const contractState = async (contract_id: unknown) =>
  (await create(ann, { contract_id, action: 'view' })).state

test('a contract is paused while it is disputed, and a settlement is executed like a ruling', async () => {
  const token = { kind: 'token', rail: 'internal', settlement_finality_seconds: 3600 }
  const denomination = { code: 'COIN', decimals: 2 }
  await run(ann, 'MADE.asset_definition_publish', { ...token, asset_id: 'coin', denomination })
  await pay(bob, 'coin', 1_000n, 'acme')
  const obligations = [owes('first', '100'), owes('second', '50')]
  const offer = { counterparty_did: ann.did, obligations, treaty_id: treaty.id, escrow: true }
  const { contract_id } = await create(bob, offer)
  await create(ann, { contract_id })
  const target = `made://contract/${contract_id}`
  const fileFor = (requested_remedy: object) => file('1', { evidence: [target], requested_remedy })
  const one = await fileFor({ kind: 'specific_performance', target: `${target}/obligation/first` })
  await refused(bob, 'MADE.economic_contract_settle', { contract_id }, 'contract is DISPUTED')
  const other = await fileFor({ kind: 'declaratory' })
  await settleFor(one.case_id, 'specific_performance')
  assert.deepEqual(
    [await balance(ann, 'coin'), await contractState(contract_id)],
    [100n, 'DISPUTED'],
    'the other case still disputes it',
  )
  await settleFor(other.case_id, 'declaratory')
  assert.equal(await contractState(contract_id), 'PARTIALLY_SETTLED')
  const last = await fileFor({ kind: 'reverse_settlement', target })
  await settleFor(last.case_id, 'reverse_settlement')
  assert.equal(await contractState(contract_id), 'RULED_CLOSED')
  assert.deepEqual([await balance(ann, 'coin'), await balance(bob, 'coin')], [0n, 1_000n])
  await assertSoundLedger(stage.database.url)
})

test('a ruling performs an exchange as a whole: neither side delivers without being paid', async () => {
  const stone = { asset_id: 'stone', kind: 'commodity', rail: 'internal', settlement_finality_seconds: 3600 }
  await run(ann, 'MADE.asset_definition_publish', { ...stone, denomination: { code: 'STONE', decimals: 0 } })
  await pay(ann, 'stone', 7n, 'acme')
  await pay(bob, 'coin', 300n, 'acme')
  const before = [await balance(ann, 'coin'), await balance(bob, 'coin')] as const
  const swap = { exchange: 'swap' }
  const stones = { id: 'stones', from: 'counterparty', asset_id: 'stone', amount: '7', ...swap }
  const offer = { counterparty_did: ann.did, treaty_id: treaty.id, escrow: true }
  const obligations = [{ ...owes('price', '300'), ...swap }, stones]
  const { contract_id } = await create(bob, { ...offer, obligations })
  await create(ann, { contract_id })
  const target = `made://contract/${contract_id}/obligation/price`
  const requested_remedy = { kind: 'specific_performance', target }
  const evidence = [`made://contract/${contract_id}`]
  const { case_id } = await file('1', { evidence, requested_remedy })
  await settleFor(case_id, 'specific_performance')
  assert.deepEqual([await balance(ann, 'stone'), await balance(bob, 'stone')], [0n, 7n])
  assert.deepEqual(
    [await balance(ann, 'coin'), await balance(bob, 'coin')],
    [before[0] + 300n, before[1] - 301n],
  )
  await assertSoundLedger(stage.database.url)
})

test('an impossible remedy is marked impossible; one that others must perform is ordered', async () => {
  const target = `moat://${treaty.id}`
  for (const [kind, outcome] of [
    ['terminate_treaty', 'IMPOSSIBLE'],
    ['restore_capability', 'EXECUTED'],
  ] as const) {
    const { case_id } = await file('1', { requested_remedy: { kind, target } })
    await settleFor(case_id, kind)
    const remedies = 'SELECT kind, state FROM case_remedies WHERE case_id = $1'
    const { rows } = await asOwner(stage.database.url, (client) => client.query(remedies, [case_id]))
    assert.deepEqual(rows, [{ kind, state: outcome }])
  }
})

test('a respondent who counterclaims is awarded no more than it requested', async () => {
  const opened = await file('5')
  const { case_id } = opened
  const [arbiter] = panelOf(opened) as [Party]
  const counterclaim = { claim: 'It cost me.', requested_remedy: { kind: 'pay', amount_usd: '7' } }
  await run(bob, 'plead', { case_id, plea: 'counterclaim', argument: 'It did.', counterclaim })
  await run(arbiter, 'hear', { case_id })
  const gives = (amount_usd: string) => ({ finding: 'for_respondent', remedy: { kind: 'pay', amount_usd } })
  await assertRefused(rule(arbiter, case_id, gives('8')), 'invalid_payload', 'fields do not fit together')
  await rule(arbiter, case_id, gives('7'))
  await pay(ann, 'usd', 7_000_000n)
  const [from_ann, to_bob] = [await balance(ann, 'usd'), await balance(bob, 'usd')]
  pass(14 * day_ms)
  await sweep()
  assert.deepEqual(
    [await balance(ann, 'usd'), await balance(bob, 'usd')],
    [from_ann - 7_000_000n, to_bob + 7_000_000n],
  )
  await renewEntries()
})

test('an appeal suspends the ruling and is decided by another panel; unpaid awards stay owed', async () => {
  const opened = await file('500')
  const { case_id } = opened
  const [arbiter] = panelOf(opened) as [Party]
  pass(7 * day_ms)
  const denial = { case_id, plea: 'deny', argument: 'x' }
  await refused(bob, 'plead', denial, 'case is DEFAULTED; plead needs FILED or PLEADED')
  await run(arbiter, 'hear', { case_id })
  assert.equal((await rule(arbiter, case_id, pays('500'))).state, 'RULED')
  const appeal = {
    claim: 'That is too much.',
    evidence: [proof_of_bob],
    respondent_did: ann.did,
    requested_remedy: { kind: 'declaratory' },
    appeal_of: case_id,
  }
  await refused(eve, 'file', appeal, 'not_found', 'invalid_payload')
  const second = await drawn(bob, appeal)
  await refused(bob, 'file', appeal, 'one appeal only')
  const panel = panelOf(second)
  assert.deepEqual([panel.length, panel.includes(arbiter)], [5, false])
  pass(20 * day_ms)
  const had = await balance(bob, 'usd')
  await sweep()
  assert.deepEqual([await stateOf(case_id), await balance(bob, 'usd')], ['APPEALED', had])
  await run(panel[0]!, 'hear', { case_id: second.case_id })
  for (const amount of ['90', '90', '90', '500']) await rule(panel.shift()!, second.case_id, pays(amount))
  assert.equal((await rule(panel[0]!, second.case_id, { finding: 'for_respondent' })).state, 'RULED')
  assert.ok((await openCasesOf(engine(), 'globex')).length > 0)
  await sweep()
  await sweep()
  assert.deepEqual([await stateOf(case_id), await stateOf(second.case_id)], ['CLOSED', 'REMEDIED'])
  assert.equal(await balance(bob, 'usd'), 0n, 'all it had')
  const [award, ...more] = await awardsAgainst(engine(), 'globex')
  assert.deepEqual(
    [award?.left, award?.creditor.did, more],
    [[{ asset_id: 'usd', amount: 90_000_000n - had }], ann.did, []],
  )
  await pay(bob, 'usd', 100_000_000n)
  const { contract_state } = await run(bob, 'MADE.economic_contract_settle', {
    contract_id: award!.contract_id,
  })
  assert.equal(contract_state, 'FINAL')
  assert.deepEqual([await awardsAgainst(engine(), 'globex'), await openCasesOf(engine(), 'globex')], [[], []])
})
