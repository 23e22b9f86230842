// What an opponent in bad faith tried: to choose the arbiter, to win unheard, and to sue at no cost.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type CourtStage, day_ms, openCourt } from '../../../checks/rehearsal/court-stage.ts'
import { newParty, type Party } from '../../../checks/rehearsal/organizations.ts'
import type { Output } from '../../../checks/rehearsal/rehearse.ts'
import { testTreaty } from '../../../checks/scenes/test-treaty.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { mailbox_live_max, notices_of_court_max } from '../../awareness/mim/mail-limits.ts'
import { balanceOf } from '../../economic/ledger/store.ts'

let scene: CourtStage
before(async () => {
  scene = await openCourt()
})
after(() => scene.stage.close())

/** Two organizations that have no case yet. */
let ann: Party
let bob: Party
let pairs = 0
beforeEach(async () => {
  pairs++
  ann = await newParty(scene.stage, `claimant-${pairs}`)
  bob = await newParty(scene.stage, `respondent-${pairs}`)
  await scene.renew()
})

const { run, file, sweep } = {
  run: (who: Party, operation: string, input: object) => scene.run(who, operation, input),
  file: (who: Party, more: object = {}) => scene.file(who, { respondent_did: bob.did, ...more }),
  sweep: () => scene.sweep(),
}
const withdraw = (who: Party, { case_id }: Output) =>
  run(who, 'plead', { case_id, plea: 'withdraw', argument: 'Never mind.' })
const view = async (who: Party, { case_id }: Output) => await run(who, 'plead', { case_id, plea: 'view' })
const pass = (days: number) => scene.stage.ports.clock.advance(days * day_ms)
const seatOf = (did: unknown) => scene.arbiters.find((arbiter) => arbiter.did === did)!
const eventsOf = (tenant_id: string, type: string) =>
  scene.stage.records(tenant_id).filter(({ event_type }) => event_type === type)

test('withdrawing and filing again does not change the arbiter', async () => {
  // Each but the first withdrawal costs the fee.
  await scene.pay(ann, 100_000_000n)
  const first = await file(ann)
  assert.equal(first.panel.length, 1)
  const colleague = await newParty(scene.stage, ann.tenant_id)
  const [, other_proof] = scene.proofs
  let last = first
  for (const more of [
    {},
    { claim: 'Something else entirely.', evidence: [other_proof] },
    { claim: 'Again something else.', requested_remedy: { kind: 'declaratory' } },
    {},
    {},
  ]) {
    await withdraw(ann, last)
    last = await file(ann, more)
    assert.deepEqual(last.panel, first.panel)
  }
  await withdraw(ann, last)
  const by_another = await file(colleague, { claim: 'I file it instead.', evidence: [other_proof] })
  assert.deepEqual(by_another.panel, first.panel, 'another agent of the organization is the same party')
  const mirrored = await file(bob, {
    respondent_did: ann.did,
    claim: 'I was wronged.',
    evidence: [other_proof],
  })
  assert.deepEqual(mirrored.panel, first.panel, 'and so is the other side')
})

test('filing several cases at once does not offer a choice of arbiters', async () => {
  const filing = (n: number) => ({
    respondent_did: bob.did,
    claim: `Claim ${n}.`,
    evidence: [scene.proofs[n % 2]],
    requested_remedy: { kind: 'declaratory' },
  })
  const filed = await asOwner(scene.stage.database.url, async (client) => {
    const pair = `cases|${[ann.tenant_id, bob.tenant_id].sort().join('|')}`
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [pair])
    const filing_both = Promise.all([1, 2].map((n): Promise<Output> => run(ann, 'file', filing(n))))
    await eventually(async () => {
      const { rows } = await client.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      assert.equal(rows.length, 2, 'each waits for the filing before it')
    })
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [pair])
    return await filing_both
  })
  // One that follows another is drawn after it, at the latest by the next sweep.
  for (const _ of filed) await sweep()
  const panels = await Promise.all(filed.map(async (one) => (await view(ann, one)).docket.panel[0]))
  assert.equal(new Set(panels).size, 1)
})

test('sixty-four cases of other agents do not make the court forget that of these two', async () => {
  const colleague = await newParty(scene.stage, ann.tenant_id)
  const [carol, dave] = [
    await newParty(scene.stage, ann.tenant_id),
    await newParty(scene.stage, ann.tenant_id),
  ]
  const first = await file(ann, { respondent_did: colleague.did })
  await withdraw(ann, first)
  await asOwner(scene.stage.database.url, async (client) => {
    await client.query(
      `INSERT INTO cases (case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by, claim,
         evidence, correlations, contracts, requested, panel, state, filed_at, plead_by, closed_at)
       SELECT gen_random_uuid(), tenant_id, respondent_tenant, venue_tenant, $2, $3, filed_by, claim, evidence, correlations,
         contracts, requested, panel, 'WITHDRAWN', filed_at + nth * interval '1 ms', plead_by, filed_at
       FROM cases, generate_series(1, 64) AS nth WHERE case_id = $1`,
      [first.case_id, carol.did, dave.did],
    )
    await client.query(
      `INSERT INTO case_draws (case_id, tenant_id, respondent_tenant, venue_tenant, seats, eligible, eligible_hash,
         correlation_id, checkpoint, drawn_order, drawn_at)
       SELECT c.case_id, d.tenant_id, d.respondent_tenant, d.venue_tenant, seats, eligible, eligible_hash, correlation_id,
         checkpoint, drawn_order, drawn_at
       FROM case_draws d, cases c WHERE d.case_id = $1 AND c.claimant_did = $2`,
      [first.case_id, carol.did],
    )
  })
  const again = await file(ann, { respondent_did: colleague.did, claim: 'Something else.' })
  assert.deepEqual([again.draw.follows, again.panel], [first.case_id, first.panel])
})

test('a case of before there were draws is followed by none', async () => {
  const first = await file(ann)
  await asOwner(scene.stage.database.url, (client) =>
    client.query('DELETE FROM case_draws WHERE case_id = $1', [first.case_id]),
  )
  assert.equal((await file(ann)).draw.follows, undefined)
})

test('an organization with no room for another mailbox stops neither the draw nor its service', async () => {
  const member = await newParty(scene.stage, bob.tenant_id)
  scene.members.add(member.did)
  await asOwner(scene.stage.database.url, (client) =>
    client.query(
      `INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at)
       SELECT $1, 'mailbox:' || nth, 'x', now() FROM generate_series(2, 20000) AS nth UNION ALL SELECT $1, $2, $2, now()`,
      [bob.tenant_id, member.did],
    ),
  )
  const filed = await file(ann)
  assert.equal(filed.panel.length, 1)
  assert.ok((await view(ann, filed)).docket.served_at !== undefined, 'served through the member')
})

test('a larger claim keeps the arbiter and adds to the panel', async () => {
  const first = await file(ann)
  await withdraw(ann, first)
  const larger = await file(ann, { requested_remedy: { kind: 'pay', amount_usd: '20000' } })
  assert.equal(larger.panel.length, 3)
  assert.equal(larger.panel[0], first.panel[0])
})

test('once a case is decided, only a claim about the same facts keeps its panel', async () => {
  const first = await file(ann)
  const settle = {
    case_id: first.case_id,
    plea: 'settle',
    argument: 'Fine.',
    settlement: { kind: 'declaratory' },
  }
  await run(bob, 'plead', settle)
  assert.equal((await run(ann, 'plead', settle)).state, 'SETTLED')
  pass(1)
  const unrelated = await file(ann, { claim: 'Another matter.', evidence: [scene.proofs[1]] })
  assert.equal(unrelated.draw.follows, undefined)
  await withdraw(ann, unrelated)
  const reworded = { claim: 'that call NEVER happened!', evidence: [scene.proofs[1]] }
  await sweep()
  const same = await file(ann, reworded)
  assert.equal(same.draw.follows, unrelated.case_id, 'the newest of those it continues')
})

test('a full mailbox does not keep the court from serving', async () => {
  await fillMailbox(bob)
  const filed = await file(ann)
  assert.ok((await view(ann, filed)).docket.served_at !== undefined)
  const { rows } = await asOwner(scene.stage.database.url, (client) =>
    client.query(
      `SELECT b.live, m.state FROM mailboxes b JOIN mail_messages m USING (tenant_id, mailbox)
       WHERE b.mailbox = $1 AND m.sender_did = $2`,
      [bob.did, ann.did],
    ),
  )
  assert.deepEqual(rows, [{ live: mailbox_live_max + 1, state: 'queued' }])
  pass(8)
  await sweep()
  assert.equal((await view(ann, filed)).state, 'DEFAULTED')
})

test('nobody is in default before the case is in a mailbox or was read', async () => {
  // More letters of courts than a mailbox keeps room for.
  await fillMailbox(bob, mailbox_live_max + notices_of_court_max)
  const unserved = await file(ann)
  pass(8)
  await sweep()
  assert.equal((await view(ann, unserved)).state, 'FILED')
  assert.equal((await view(ann, unserved)).docket.served_at, undefined)
  const read = await view(bob, unserved)
  assert.ok(read.docket.served_at !== undefined, 'who reads it is served')
  pass(6)
  await sweep()
  assert.equal((await view(ann, unserved)).state, 'FILED', 'seven days from the service')
  pass(1)
  await sweep()
  assert.equal((await view(ann, unserved)).state, 'DEFAULTED')
})

test('a respondent that does not read is served through the members of its organization', async () => {
  const member = await newParty(scene.stage, bob.tenant_id)
  scene.members.add(member.did)
  await fillMailbox(bob, mailbox_live_max + notices_of_court_max)
  const filed = await file(ann)
  const { rows } = await asOwner(scene.stage.database.url, (client) =>
    client.query('SELECT served_to FROM cases WHERE case_id = $1', [filed.case_id]),
  )
  assert.deepEqual(rows, [{ served_to: [member.did] }])
})

/** Somebody has sent it as much as it may hold. */
async function fillMailbox({ tenant_id, did }: Party, live = mailbox_live_max): Promise<void> {
  await asOwner(scene.stage.database.url, (client) =>
    client.query(
      `INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at, live) VALUES ($1, $2, $2, now(), $3)
       ON CONFLICT (tenant_id, mailbox) DO UPDATE SET live = $3`,
      [tenant_id, did, live],
    ),
  )
}

/** Decided by its one arbiter, and final. */
async function lose(opened: Output, more: object): Promise<void> {
  const { case_id, panel } = opened
  await run(bob, 'plead', { case_id, plea: 'deny', argument: 'It did.' })
  await run(seatOf(panel[0]), 'hear', { case_id })
  const ruled = await run(seatOf(panel[0]), 'rule', {
    case_id,
    finding: 'for_respondent',
    reasoning: 'There is nothing in it.',
    ...more,
  })
  assert.equal(ruled.state, 'RULED')
  pass(15)
  await sweep()
}

const dollars = ({ tenant_id, did }: Party) =>
  balanceOf(scene.stage.store.engine, { tenant_id, did, asset_id: 'usd', type: 'available' })

test('who loses a frivolous case owes the other side the fee, and files no other until it is paid', async () => {
  const opened = await file(ann)
  assert.equal(opened.fee_usd, '10.000000')
  const { case_id, panel } = opened
  await run(bob, 'plead', { case_id, plea: 'deny', argument: 'It did.' })
  await run(seatOf(panel[0]), 'hear', { case_id })
  const won = { case_id, finding: 'split', reasoning: 'x', frivolous: true, remedy: { kind: 'declaratory' } }
  await assertRefused(run(seatOf(panel[0]), 'rule', won), 'invalid_payload', 'fields do not fit together')
  await scene.pay(ann, 4_000_000n)
  const lost = { case_id, finding: 'for_respondent', reasoning: 'Nothing in it.', frivolous: true }
  assert.equal((await run(seatOf(panel[0]), 'rule', lost)).ruling.frivolous, true)
  await sweep()
  assert.equal(await dollars(bob), 0n, 'there is time for an appeal')
  pass(15)
  await sweep()
  assert.deepEqual([await dollars(ann), await dollars(bob)], [0n, 4_000_000n])
  const { details } = await assertRefused(file(ann), 'policy_denied', 'filing fee owed')
  assert.equal(details.owed_usd, '6.000000')
  await scene.pay(ann, 6_000_000n)
  await run(ann, 'MADE.economic_contract_settle', { contract_id: details.contract_id })
  assert.equal((await file(ann)).state, 'FILED')
})

test('who loses in good faith owes nothing', async () => {
  await scene.pay(ann, 50_000_000n)
  await lose(await file(ann), {})
  assert.equal(await dollars(ann), 50_000_000n)
  assert.equal((await file(ann)).state, 'FILED')
})

test('a counterclaim on a contract or treaty of others is refused', async () => {
  const { case_id } = await file(ann)
  const hash = `sha256:${'f'.repeat(64)}`
  for (const requested_remedy of [
    { kind: 'terminate_treaty', target: `moat://${hash}` },
    { kind: 'pay', amount_usd: '1', target: `made://contract/${hash}` },
  ]) {
    const counterclaim = { claim: 'It is in my way.', requested_remedy }
    const pleading = { case_id, plea: 'counterclaim', argument: 'It is.', counterclaim }
    await assertRefused(run(bob, 'plead', pleading), 'invalid_payload', 'not_found')
  }
})

test('an organization offers arbiters to a court by a treaty that lets it rule there', async () => {
  const outsider = await newParty(scene.stage, `chambers-${pairs}`)
  await scene.register(outsider)
  const before_treaty = await file(ann)
  const eligible = ({ draw }: Output) => draw.eligible.map(({ did }: { did: string }) => did)
  assert.ok(!eligible(before_treaty).includes(outsider.did))
  scene.offers.push(
    testTreaty(
      [
        { tenant: outsider.tenant_id, did: outsider.did },
        { tenant: 'operator', did: scene.arbiters[0]!.did },
      ],
      [{ to: outsider.tenant_id, capability: 'svc.moot.*' }],
      { expires_at: '2028-01-01T00:00:00Z' },
    ),
  )
  const offered = await file(ann)
  assert.ok(eligible(offered).includes(outsider.did))
})

test('arbiters and parties are told of the draw, and its hash stands in the record of the filing', async () => {
  const { case_id, draw, panel } = await file(ann)
  const filed = eventsOf('operator', 'CaseFiled').find(({ meta }) => meta.case_id === case_id)
  assert.deepEqual([filed?.meta.eligible_hash, filed?.correlation_id], [draw.eligible_hash, draw.filing])
  const { rows } = await asOwner(scene.stage.database.url, (client) =>
    client.query('SELECT mailbox FROM mail_messages WHERE mailbox = ANY($1) ORDER BY mailbox', [
      [ann.did, bob.did],
    ]),
  )
  const mailboxes = rows.map(({ mailbox }: { mailbox: string }) => mailbox)
  assert.deepEqual(mailboxes, [ann.did, bob.did, bob.did].sort(), 'the respondent is also served')
  assert.equal(panel.length, 1)
})

test('a case taken back once it was answered costs the fee, and so does a second one taken back within a year', async () => {
  await scene.pay(ann, 25_000_000n)
  const answered = await file(ann)
  await run(bob, 'plead', { case_id: answered.case_id, plea: 'deny', argument: 'It did.' })
  await withdraw(ann, answered)
  await sweep()
  assert.deepEqual([await dollars(ann), await dollars(bob)], [15_000_000n, 10_000_000n])
  const second = await file(ann, { claim: 'Something else entirely.', evidence: [scene.proofs[1]] })
  await withdraw(ann, second)
  await sweep()
  await sweep()
  assert.deepEqual([await dollars(ann), await dollars(bob)], [5_000_000n, 20_000_000n])
  await withdraw(ann, await file(ann))
  await sweep()
  const { details } = await assertRefused(file(ann), 'policy_denied', 'filing fee owed')
  assert.equal(details.owed_usd, '5.000000')
  // The other side has taken back nothing.
  assert.equal((await file(bob, { respondent_did: ann.did })).state, 'FILED')
})

test('the first case that is taken back before an answer, and one that both settle, cost nothing', async () => {
  await scene.pay(ann, 25_000_000n)
  await withdraw(ann, await file(ann))
  await sweep()
  const { case_id } = await file(ann)
  await run(bob, 'plead', { case_id, plea: 'deny', argument: 'It did.' })
  for (const who of [ann, bob])
    await run(who, 'plead', {
      case_id,
      plea: 'settle',
      argument: 'Fine.',
      settlement: { kind: 'declaratory' },
    })
  pass(15)
  await sweep()
  assert.deepEqual([await dollars(ann), await dollars(bob)], [25_000_000n, 0n])
})
