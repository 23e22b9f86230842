// Disputes between organizations: scenarios 16 and 17, and who may say and see what in a case.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { balanceOf } from '@svc/protocols/economic/ledger/store'
import { openCasesOf } from '@svc/protocols/governance/cases/case-store'
import { awardsAgainst } from '@svc/protocols/governance/cases/ruling-store'
import { sweepCases } from '@svc/protocols/governance/moot/case-sweep'
import { dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import * as made from '../identity/made-scene.ts'
import {
  type Crossed,
  cross,
  denied,
  eventsOfCase,
  invalid,
  moot,
  pay,
  pays,
  register,
  rule,
  until,
} from './moot-scene.ts'

let scene: made.MadeScene
let ann: made.Party
let bob: made.Party
let eve: made.Party
/** What bob asked of acme, and both have recorded. */
let call: Crossed
let treaty: StandingTreaty
const arbiters: made.Party[] = []
const day_s = 86_400

before(async () => {
  const { between } = openBorders('svc.mars.*')
  const find = async (_tenant: string, id: string) => (id === treaty.id ? treaty : undefined)
  scene = await made.openMadeScene({ treaties: { find, between } })
  ann = await scene.newParty('acme')
  bob = await scene.newParty('globex')
  eve = await scene.newParty('third')
  for (let n = 0; n < 9; n++) arbiters.push(await scene.newParty('operator'))
  await Promise.all(arbiters.map(register))
  treaty = made.treatyBetween(bob, ann)
  await pay(scene, bob, 160_000_000n)
  call = await cross(scene, bob, ann)
})
after(() => scene.service.stop())

const engine = () => scene.service.service.store.engine
const eventsOf = (tenant_id: string, type: string, case_id: unknown) =>
  eventsOfCase(scene, tenant_id, type, case_id)
const pass = (seconds: number) => scene.clock.advance(seconds * 1000)
const sweep = () => sweepCases(engine(), testTick(scene.clock.now_ms()))
const available = ({ tenant_id, agent_did: did }: made.Party) =>
  balanceOf(engine(), { tenant_id, did, asset_id: 'usd', type: 'available' })

const panelOf = (output: Record<string, unknown>): made.Party[] =>
  (output.panel as string[]).map((did) => arbiters.find(({ agent_did }) => agent_did === did)!)

async function fileFor(amount_usd: string, evidence: string[], more: object = {}) {
  const input = {
    respondent_did: bob.agent_did,
    claim: 'That call never happened.',
    evidence,
    requested_remedy: { kind: 'pay', amount_usd },
    ...more,
  }
  return await moot(ann, 'file', input)
}

const stateOf = async (case_id: unknown) =>
  assertSuccess(await moot(ann, 'plead', { case_id, plea: 'view' })).output.state

/** Files a case that the other side denies, and lets its panel hear it. */
async function hearCase(amount_usd: string) {
  const opened = assertSuccess(await fileFor(amount_usd, [call.copy])).output
  const panel = panelOf(opened)
  const { case_id } = opened
  const answer = { case_id, plea: 'deny', argument: 'It did.', evidence: [call.original] }
  const pleaded = assertSuccess(await moot(bob, 'plead', answer)).output
  assert.deepEqual([pleaded.state, pleaded.pleadings_count], ['PLEADED', 1])
  const heard = assertSuccess(await moot(panel[0]!, 'hear', { case_id })).output
  return { case_id, panel, opened, heard }
}

test('a case is filed in both chains, and only its parties and its panel have a part in it', async () => {
  const opened = assertSuccess(
    await fileFor('10000', [call.copy, `max://acme/correlation/${call.correlation_id}`]),
  ).output
  const { case_id } = opened
  assert.deepEqual([opened.state, opened.venue, (opened.panel as string[]).length], ['FILED', 'operator', 3])
  assert.ok((opened.evidence_check as { hash_ok: boolean }[]).every(({ hash_ok }) => hash_ok))
  for (const tenant_id of ['acme', 'globex', 'operator'])
    assert.equal((await eventsOf(tenant_id, 'CaseFiled', case_id)).length, 1, tenant_id)
  const panel = panelOf(opened)
  const outsider = arbiters.find((arbiter) => !panel.includes(arbiter))!
  assertRefusal(await moot(eve, 'plead', { case_id, plea: 'view' }), invalid('not_found'))
  assertRefusal(await moot(outsider, 'hear', { case_id }), denied('not on the panel'))
  assertRefusal(await moot(outsider, 'plead', { case_id, plea: 'view' }), denied('not a party of this case'))
  const early = denied('case is FILED; hear needs PLEADED or DEFAULTED or HEARD')
  assertRefusal(await moot(panel[0]!, 'hear', { case_id }), early)
  assertRefusal(await rule(panel[0]!, case_id, { finding: 'for_respondent' }), denied('case not heard'))
  const read = assertSuccess(await moot(bob, 'plead', { case_id, plea: 'view' })).output
  assert.equal((read.docket as { claim: string }).claim, 'That call never happened.')
  assertRefusal(
    await moot(bob, 'plead', { case_id, plea: 'withdraw', argument: 'x' }),
    denied('only the claimant may withdraw'),
  )
  const seen = await asOwner(scene.service.db_url, async (client) => {
    const counts: Record<string, number> = {}
    for (const tenant of ['acme', 'globex', 'operator', 'third']) {
      await client.query(`BEGIN; SET LOCAL ROLE svc_app; SET LOCAL svc.tenant_id = '${tenant}'`)
      counts[tenant] = (await client.query('SELECT FROM cases WHERE case_id = $1', [case_id])).rowCount!
      await client.query('ROLLBACK')
    }
    return counts
  })
  assert.deepEqual(seen, { acme: 1, globex: 1, operator: 1, third: 0 })
  const gone = assertSuccess(
    await moot(ann, 'plead', { case_id, plea: 'withdraw', argument: 'Never mind.' }),
  ).output
  assert.equal(gone.state, 'WITHDRAWN')
})

/** Both offer to settle for the same, and the engine does it. */
async function settleFor(case_id: unknown, kind: string): Promise<void> {
  const settle = { case_id, plea: 'settle', argument: 'Fine.', settlement: { kind } }
  assert.equal(assertSuccess(await moot(bob, 'plead', settle)).output.state, 'PLEADED')
  assert.equal(assertSuccess(await moot(ann, 'plead', settle)).output.state, 'SETTLED')
  await Promise.all([sweep(), sweep()])
}

const held = (party: made.Party) => made.held(scene, party, 'available')
const viewed = async (contract_id: unknown) =>
  assertSuccess(await made.create(ann, { contract_id, action: 'view' })).output.state

async function agree(obligations: object[]) {
  const offer = { counterparty_did: ann.agent_did, obligations, treaty_id: made.treaty_id, escrow: true }
  const { contract_id } = assertSuccess(await made.create(bob, offer)).output
  assertSuccess(await made.create(ann, { contract_id }))
  return { contract_id, target: `made://contract/${contract_id}` }
}

test('a contract rests while it is disputed, and what both agree on is done like a ruling', async () => {
  assertSuccess(await made.publish(ann, { asset_id: 'coin', denomination: { code: 'COIN', decimals: 2 } }))
  await made.fund(scene, bob, 1_000n)
  const { contract_id, target } = await agree([
    made.owes('first', 'proposer', '100'),
    made.owes('second', 'proposer', '50'),
  ])
  const perform = { kind: 'specific_performance', target: `${target}/obligation/first` }
  const one = assertSuccess(await fileFor('1', [target], { requested_remedy: perform })).output
  assertRefusal(await made.settle(bob, { contract_id }), denied('contract is DISPUTED'))
  const other = assertSuccess(
    await fileFor('1', [target], { requested_remedy: { kind: 'declaratory' } }),
  ).output
  await settleFor(one.case_id, 'specific_performance')
  assert.deepEqual(
    [await held(ann), await viewed(contract_id)],
    [100n, 'DISPUTED'],
    'the other case has it still',
  )
  await settleFor(other.case_id, 'declaratory')
  assert.equal(await viewed(contract_id), 'PARTIALLY_SETTLED')
  const back = { requested_remedy: { kind: 'reverse_settlement', target } }
  const last = assertSuccess(await fileFor('1', [target], back)).output
  await settleFor(last.case_id, 'reverse_settlement')
  assert.equal(await viewed(contract_id), 'RULED_CLOSED')
  assert.deepEqual([await held(ann), await held(bob)], [0n, 1_000n], 'all but the fee, which was none')
  await made.assertSound(scene)
})

test('what cannot be done any more is said so, and what others must do is ordered of them', async () => {
  const moat = `moat://${treaty.id}`
  for (const [kind, outcome] of [
    ['terminate_treaty', 'IMPOSSIBLE'],
    ['restore_capability', 'EXECUTED'],
  ] as const) {
    const asked = { requested_remedy: { kind, target: moat } }
    const { case_id } = assertSuccess(await fileFor('1', [call.copy], asked)).output
    await settleFor(case_id, kind)
    const remedies = 'SELECT kind, state FROM case_remedies WHERE case_id = $1'
    const { rows } = await asOwner(scene.service.db_url, (client) => client.query(remedies, [case_id]))
    assert.deepEqual(rows, [{ kind, state: outcome }])
  }
})

test('without anything that can be verified, or without a panel, there is no case', async () => {
  const nowhere = `max://globex/record/${'0'.repeat(64)}`
  const { case_id, ...dismissed } = assertSuccess(await fileFor('5', [nowhere])).output
  assert.deepEqual([dismissed.state, dismissed.panel], ['DISMISSED', []])
  assert.deepEqual(await eventsOf('globex', 'CaseFiled', case_id), [], 'nobody is troubled with it')
  const against = { respondent_did: arbiters[0]!.agent_did }
  const refused = assertRefusal(await fileFor('5', [call.copy], against), denied('no eligible panel'))
  assert.equal(refused.details.needed, 1)
  assertRefusal(await fileFor('5', [call.copy], { venue: 'third' }), denied('venue not agreed'))
  assertRefusal(await fileFor('0', [call.copy]), invalid('fields do not fit together'))
})

test('evidence that was written over is marked, and proves nothing', async () => {
  const spoiled = await cross(scene, bob, ann)
  const opened = assertSuccess(await fileFor('5', [spoiled.copy, call.copy])).output
  const { case_id } = opened
  await asOwner(scene.service.db_url, async (client) => {
    await client.query('SET session_replication_role = replica')
    const changed = `UPDATE audit_records SET body = replace(body, '"success"', '"refused"') WHERE tenant_id = 'acme' AND seq = $1`
    assert.equal((await client.query(changed, [spoiled.seq])).rowCount, 1)
  })
  const counterclaim = { claim: 'It cost me.', requested_remedy: { kind: 'pay', amount_usd: '7' } }
  const answer = { case_id, plea: 'counterclaim', argument: 'It did.', counterclaim }
  assertSuccess(await moot(bob, 'plead', answer))
  const heard = assertSuccess(await moot(panelOf(opened)[0]!, 'hear', { case_id })).output
  const checks = heard.evidence_check as { ref: string; hash_ok: boolean }[]
  assert.deepEqual(
    checks.map(({ ref, hash_ok }) => [ref, hash_ok]),
    [
      [spoiled.copy, false],
      [call.copy, true],
    ],
  )
  assert.deepEqual(heard.chain_verified, { acme: false, globex: true })
  assert.deepEqual(heard.unproven, [spoiled.copy])
  const facts = (heard.findings as { fact: string }[]).map(({ fact }) => fact)
  assert.ok(facts.includes(`record ${spoiled.seq} of acme does not have the hash it states`))
  const never = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }
  const empty = assertSuccess(await moot(panelOf(opened)[0]!, 'hear', { case_id, scope: never })).output
  assert.deepEqual([empty.timeline, empty.chain_verified], [[], { acme: true, globex: true }])
  const again = assertSuccess(await moot(panelOf(opened)[0]!, 'hear', { case_id })).output
  assert.deepEqual(again.findings, heard.findings, 'the same record gives the same findings')
  const query = { protocol: 'MAX', operation: 'audit_query' }
  const asked = { correlation_id: spoiled.correlation_id, verify: true }
  const { verified } = assertSuccess(await dispatch(ann, { ...query, input: asked })).output
  assert.deepEqual(verified, { ok: false, first_bad_seq: spoiled.seq })
  await assertCounterclaimed(panelOf(opened)[0]!, case_id)
})

/** For the respondent no more than it asked for itself, and from the claimant. */
async function assertCounterclaimed(arbiter: made.Party, case_id: unknown): Promise<void> {
  const gives = (amount_usd: string) => ({ finding: 'for_respondent', remedy: { kind: 'pay', amount_usd } })
  assertRefusal(await rule(arbiter, case_id, gives('8')), invalid('fields do not fit together'))
  assertSuccess(await rule(arbiter, case_id, gives('7')))
  await pay(scene, ann, 7_000_000n)
  const had = await available(bob)
  pass(14 * day_s)
  await sweep()
  assert.deepEqual([await available(ann), await available(bob)], [0n, had + 7_000_000n])
}

test('a dispute is decided by replaying both chains, and its dissent is kept', async () => {
  const { case_id, panel, heard } = await hearCase('10000')
  const slow = await hearCase('10000')
  for (const arbiter of slow.panel.slice(1))
    assertSuccess(await rule(arbiter, slow.case_id, { finding: 'for_respondent' }))
  assert.deepEqual([heard.chain_verified, heard.unproven], [{ acme: true, globex: true }, []])
  const facts = heard.findings as { fact: string; supported_by: string[] }[]
  const pair = facts.find(({ fact }) => /^MARS\.query_registry .* is in both chains$/.test(fact))
  assert.deepEqual(pair?.supported_by, [call.original, call.copy])
  assertRefusal(await rule(panel[0]!, case_id, pays('10000.01')), invalid('fields do not fit together'))
  const forged = { ...pays('100'), signature: 'A'.repeat(86) }
  assertRefusal(await rule(panel[0]!, case_id, forged), denied('signature invalid'))
  assertSuccess(await rule(panel[0]!, case_id, pays('100')))
  assertRefusal(await rule(panel[0]!, case_id, pays('100')), denied('already ruled by this arbiter'))
  const dissent = { finding: 'for_respondent', reasoning: 'I see no harm.' }
  const waiting = assertSuccess(await rule(panel[1]!, case_id, dissent)).output
  assert.deepEqual([waiting.state, waiting.votes_in, waiting.votes_needed], ['HEARD', 2, 3])
  const ruled = assertSuccess(await rule(panel[2]!, case_id, pays('150.5'))).output
  const ruling = ruled.ruling as Record<string, unknown>
  assert.deepEqual([ruled.state, ruling.finding], ['RULED', 'for_claimant'])
  assert.equal((ruling.remedy as { amount_usd: string }).amount_usd, '100.000000', 'the lower median')
  assert.deepEqual(ruling.dissent, [{ did: panel[1]!.agent_did, ...dissent }])
  for (const tenant_id of ['acme', 'globex', 'operator'])
    assert.equal((await eventsOf(tenant_id, 'CaseRuled', case_id))[0]?.dissent_count, 1, tenant_id)
  await assertSignedByAll(ruling)
  await assertPaidOnce(case_id)
  const { state, docket } = assertSuccess(
    await moot(bob, 'plead', { case_id: slow.case_id, plea: 'view' }),
  ).output
  const late = (docket as { ruling: { finding: string; majority: object[] } }).ruling
  assert.deepEqual(
    [state, late.finding, late.majority.length],
    ['RULED', 'for_respondent', 2],
    'who is late has no vote',
  )
})

/** Anybody who reads the registry can check it: the ruling by its hash, each vote by its signature. */
async function assertSignedByAll({ ruling_id, registered }: Record<string, unknown>): Promise<void> {
  const { ruling_id: stated, reasons: _, ...body } = (await made.registered(eve, registered)) as Registered
  assert.deepEqual([contentHash(body), stated], [ruling_id, ruling_id])
  assert.equal(body.votes.length, 3)
  for (const { arbiter_did: did, finding, remedy, reasoning_hash, public_key, signature } of body.votes) {
    const said = { case_id: body.case_id, did, finding, remedy, reasoning_hash }
    assert.ok(isKeyOf(did!, public_key!))
    assert.ok(isSignedBy(public_key!, signingInput('svc-vote-v1', said), signature!))
  }
}

interface Registered {
  readonly ruling_id: string
  readonly case_id: string
  readonly reasons?: unknown
  readonly votes: Record<string, string>[]
}

async function assertPaidOnce(case_id: unknown): Promise<void> {
  const had = [await available(ann), await available(bob)] as const
  pass(14 * day_s - 1)
  await sweep()
  assert.equal(await available(ann), had[0], 'there is time for an appeal')
  pass(1)
  await Promise.all([sweep(), sweep()])
  await sweep()
  const moved = 100_000_000n
  assert.deepEqual([await available(ann), await available(bob)], [had[0] + moved, had[1] - moved])
  for (const tenant_id of ['acme', 'globex', 'operator'])
    await until(async () => (await eventsOf(tenant_id, 'CaseRemedyExecuted', case_id)).length === 1)
  assert.equal(await stateOf(case_id), 'REMEDIED')
  const late = denied('case is REMEDIED; plead needs FILED or PLEADED')
  assertRefusal(await moot(ann, 'plead', { case_id, plea: 'deny', argument: 'x' }), late)
}

test('who is silent is heard without, an appeal stays what was ruled and decides anew, and what is short is owed', async () => {
  await Promise.all(arbiters.map(register))
  const opened = assertSuccess(await fileFor('500', [call.copy])).output
  const { case_id } = opened
  const [arbiter] = panelOf(opened)
  pass(7 * day_s)
  assertRefusal(
    await moot(bob, 'plead', { case_id, plea: 'deny', argument: 'x' }),
    denied('case is DEFAULTED; plead needs FILED or PLEADED'),
  )
  assertSuccess(await moot(arbiter!, 'hear', { case_id }))
  const ruled = assertSuccess(await rule(arbiter!, case_id, pays('500'))).output
  assert.equal(ruled.state, 'RULED')
  const appeal = {
    respondent_did: ann.agent_did,
    requested_remedy: { kind: 'declaratory' },
    appeal_of: case_id,
  }
  const wish = { claim: 'That is too much.', evidence: [call.original], ...appeal }
  assertRefusal(await moot(eve, 'file', wish), invalid('not_found'))
  const second = assertSuccess(await moot(bob, 'file', wish)).output
  assertRefusal(await moot(bob, 'file', wish), denied('one appeal only'))
  const panel = panelOf(second)
  assert.deepEqual([panel.length, panel.includes(arbiter!)], [5, false])
  pass(20 * day_s)
  const had = await available(bob)
  await sweep()
  assert.deepEqual(
    [await stateOf(case_id), await available(bob)],
    ['APPEALED', had],
    'it waits for the appeal',
  )
  assertSuccess(await moot(panel[0]!, 'hear', { case_id: second.case_id }))
  for (const amount of ['90', '90', '90', '500'])
    assertSuccess(await rule(panel.shift()!, second.case_id, pays(amount)))
  const anew = assertSuccess(await rule(panel[0]!, second.case_id, { finding: 'for_respondent' })).output
  assert.equal(anew.state, 'RULED')
  assert.equal((await openCasesOf(engine(), 'globex')).length > 0, true)
  await sweep()
  await sweep()
  assert.deepEqual([await stateOf(case_id), await stateOf(second.case_id)], ['CLOSED', 'REMEDIED'])
  assert.equal(await available(bob), 0n, 'all it had')
  const [award, ...more] = await awardsAgainst(engine(), 'globex')
  assert.deepEqual(
    [award?.left, award?.creditor.did, more],
    [[{ asset_id: 'usd', amount: 90_000_000n - had }], ann.agent_did, []],
  )
  await pay(scene, bob, 100_000_000n)
  const settled = assertSuccess(await made.settle(bob, { contract_id: award!.contract_id })).output
  assert.equal(settled.contract_state, 'FINAL')
  assert.deepEqual([await awardsAgainst(engine(), 'globex'), await openCasesOf(engine(), 'globex')], [[], []])
})
