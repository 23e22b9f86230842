// Disputes over HTTP (scenarios 16 and 17): decided by replaying both audit logs. Rules: protocols/governance/moot/moot.test.ts.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { publicKeys } from '@svc/audit/query/records'
import { asOwner } from '@svc/audit/test-audit-log'
import { overwrite } from '@svc/audit/test-stored'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { balanceOf } from '@svc/protocols/economic/ledger/store'
import { sweepCases } from '@svc/protocols/governance/moot/case-sweep'
import { isSignedBy as isNoteSignedBy, readKey, readNote } from '@svc/sdk/verify/note'
import { courtOf } from '@svc/service/background/governance'
import { dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import * as made from '../identity/made-scene.ts'
import {
  type Crossed,
  cross,
  denied,
  drawnPanel,
  eventsOfCase,
  moot,
  pay,
  pays,
  register,
  rule,
} from './moot-scene.ts'

let scene: made.MadeScene
let ann: made.Party
let bob: made.Party
let eve: made.Party
/** Bob's call to acme, recorded by both. */
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
const sweep = () =>
  sweepCases(engine(), testTick(scene.clock.now_ms()), courtOf(scene.service.service.root_keys))
const available = ({ tenant_id, agent_did: did }: made.Party) =>
  balanceOf(engine(), { tenant_id, did, asset_id: 'usd', type: 'available' })

const panelOf = async (case_id: unknown): Promise<made.Party[]> => {
  const panel = await drawnPanel(ann, case_id)
  return panel.map((did) => arbiters.find(({ agent_did }) => agent_did === did)!)
}

async function fileFor(amount_usd: string, evidence: string[]) {
  const input = {
    respondent_did: bob.agent_did,
    claim: 'That call never happened.',
    evidence,
    requested_remedy: { kind: 'pay', amount_usd },
  }
  return await moot(ann, 'file', input)
}

const stateOf = async (case_id: unknown) =>
  assertSuccess(await moot(ann, 'plead', { case_id, plea: 'view' })).output.state

/** Files a case that the other side denies, and has its panel hear it. */
async function hearCase(amount_usd: string) {
  const evidence = [call.copy, `max://acme/correlation/${call.correlation_id}`]
  const opened = assertSuccess(await fileFor(amount_usd, evidence)).output
  assert.ok((opened.evidence_check as { hash_ok: boolean }[]).every(({ hash_ok }) => hash_ok))
  const { case_id } = opened
  const panel = await panelOf(case_id)
  const answer = { case_id, plea: 'deny', argument: 'It did.', evidence: [call.original] }
  const pleaded = assertSuccess(await moot(bob, 'plead', answer)).output
  assert.deepEqual([pleaded.state, pleaded.pleadings_count], ['PLEADED', 1])
  const heard = assertSuccess(await moot(panel[0]!, 'hear', { case_id })).output
  return { case_id, panel, heard }
}

test('a filing that cites what does not exist is refused, and nobody else hears of it', async () => {
  const filed = await fileFor('5', [call.copy, `max://acme/record/${'0'.repeat(64)}`])
  assertRefusal(filed, { code: 'invalid_payload', stage: 7, reason: 'evidence not found' })
  assert.deepEqual(await scene.service.records('globex', { event_types: ['CaseFiled'] }), [])
})

test('altered evidence is marked and proves nothing', async () => {
  const spoiled = await cross(scene, bob, ann)
  const opened = assertSuccess(await fileFor('5', [spoiled.copy, call.copy])).output
  const { case_id } = opened
  const [arbiter] = await panelOf(case_id)
  await asOwner(scene.service.db_url, async (client) => {
    await overwrite(client, 'acme', spoiled.seq, ({ body }) => ({
      body: body!.replace('"success"', '"refused"'),
    }))
  })
  assertSuccess(await moot(bob, 'plead', { case_id, plea: 'deny', argument: 'It did.' }))
  const heard = assertSuccess(await moot(arbiter!, 'hear', { case_id })).output
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
  const empty = assertSuccess(await moot(arbiter!, 'hear', { case_id, scope: never })).output
  assert.deepEqual([empty.timeline, empty.chain_verified], [[], { acme: true, globex: true }])
  const again = assertSuccess(await moot(arbiter!, 'hear', { case_id })).output
  assert.deepEqual(again.findings, heard.findings, 'the same record gives the same findings')
  const query = { protocol: 'MAX', operation: 'audit_query' }
  const audit_query = { correlation_id: spoiled.correlation_id, verify: true }
  const { verified } = assertSuccess(await dispatch(ann, { ...query, input: audit_query })).output
  assert.deepEqual(verified, { ok: false, first_bad_seq: spoiled.seq })
})

test('a dispute is decided by replaying both chains, and its dissent is stored', async () => {
  const { case_id, panel, heard } = await hearCase('10000')
  assert.deepEqual([heard.chain_verified, heard.unproven], [{ acme: true, globex: true }, []])
  const facts = heard.findings as { fact: string; supported_by: string[] }[]
  const pair = facts.find(({ fact }) => /^MARS\.query_registry .* is in both chains$/.test(fact))
  assert.deepEqual(pair?.supported_by, [call.original, call.copy])
  assertSuccess(await rule(panel[0]!, case_id, pays('100')))
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
})

/** Verifiable by any reader of the registry: the ruling by its hash, each vote by its signature. */
async function assertSignedByAll({ ruling_id, registered }: Record<string, unknown>): Promise<void> {
  const { ruling_id: stated, reasons: _, ...body } = (await made.registered(eve, registered)) as Registered
  assert.deepEqual([contentHash(body), stated], [ruling_id, ruling_id])
  assert.equal(body.votes.length, 3)
  for (const { arbiter_did: did, finding, remedy, reasoning_hash, public_key, signature } of body.votes) {
    const vote = { case_id: body.case_id, did, finding, remedy, reasoning_hash }
    assert.ok(isKeyOf(did!, public_key!))
    assert.ok(isSignedBy(public_key!, signingInput('svc-vote-v1', vote), signature!))
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
    await eventually(async () => {
      assert.equal((await eventsOf(tenant_id, 'CaseRemedyExecuted', case_id)).length, 1)
    })
  assert.equal(await stateOf(case_id), 'REMEDIED')
  const late = denied('case is REMEDIED; plead needs FILED or PLEADED')
  assertRefusal(await moot(ann, 'plead', { case_id, plea: 'deny', argument: 'x' }), late)
}

test('an appeal is decided by five others, and only its ruling is carried out', async () => {
  const { case_id, panel } = await hearCase('40')
  assertSuccess(await rule(panel[0]!, case_id, pays('40')))
  const appeal = {
    respondent_did: ann.agent_did,
    claim: 'It was done, so nothing is owed.',
    evidence: [call.original],
    requested_remedy: { kind: 'declaratory' },
    appeal_of: case_id,
  }
  const opened = assertSuccess(await moot(bob, 'file', appeal)).output
  const others = await panelOf(opened.case_id)
  assert.deepEqual([others.length, others.includes(panel[0]!)], [5, false])
  const denial = { case_id: opened.case_id, plea: 'deny', argument: 'It was not.' }
  assertSuccess(await moot(ann, 'plead', denial))
  assertSuccess(await moot(others[0]!, 'hear', { case_id: opened.case_id }))
  const had = [await available(ann), await available(bob)]
  for (const arbiter of others.slice(0, 4))
    assertSuccess(await rule(arbiter, opened.case_id, { finding: 'for_respondent' }))
  const last = assertSuccess(await rule(others[4]!, opened.case_id, pays('40'))).output
  const { finding, dissent } = last.ruling as { finding: string; dissent: object[] }
  assert.deepEqual([last.state, finding, dissent.length], ['RULED', 'for_respondent', 1])
  pass(14 * day_s)
  await sweep()
  await sweep()
  assert.deepEqual([await available(ann), await available(bob)], had, 'the first ruling is not carried out')
  assert.equal(await stateOf(case_id), 'CLOSED')
})

test('anyone repeats the draw offline, from the papers of the case and a checkpoint that the venue signed', async () => {
  const opened = assertSuccess(await fileFor('20000', [call.copy])).output
  const { case_id } = opened
  assert.deepEqual(opened.panel, [], 'nobody knows the panel when it is filed')
  const panel = await drawnPanel(ann, case_id)
  const { docket } = assertSuccess(await moot(ann, 'plead', { case_id, plea: 'view' })).output as {
    docket: { draw: Draw }
  }
  const { seats, eligible, eligible_hash, follows = null, filing, checkpoint, order } = docket.draw
  assert.equal(contentHash({ case_id, seats, eligible, follows }), eligible_hash)
  const records = await scene.service.records('operator', { correlation_ids: [filing] })
  const filed = records.find(({ event_type }) => event_type === 'CaseFiled')!
  assert.equal(filed.meta.eligible_hash, eligible_hash, 'fixed in the record of the filing')
  const note = readNote(checkpoint)!
  const [key] = await publicKeys(engine(), 'operator')
  assert.ok(await isNoteSignedBy(note, await readKey('svc/operator', key!.public_key)))
  assert.ok(note.size >= filed.seq, 'the checkpoint covers it, so it came later')
  const seed = sha256(`${eligible_hash}\n${checkpoint.split('\n').slice(0, 3).join('\n')}\n`)
  const lots = eligible.map((one) => ({ ...one, lot: sha256(seed + one.root_did) }))
  const by_lot = lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ did }) => did)
  const first = follows === null ? [] : await orderOf(follows)
  const expected = [...first, ...by_lot.filter((did) => !first.includes(did))]
  assert.deepEqual(order, expected)
  assert.deepEqual(panel, expected.slice(0, seats))
  assert.equal(seats, 3)
})

interface Draw {
  readonly seats: number
  readonly eligible: { did: string; root_did: string }[]
  readonly eligible_hash: string
  readonly follows?: string
  readonly filing: string
  readonly checkpoint: string
  readonly order: string[]
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function orderOf(case_id: string): Promise<string[]> {
  const { docket } = assertSuccess(await moot(ann, 'plead', { case_id, plea: 'view' })).output as {
    docket: { draw: Draw }
  }
  return docket.draw.order
}
