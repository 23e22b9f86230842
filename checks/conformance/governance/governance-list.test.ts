// Lists of an organization: treaties, motions, cases, policies, dissolutions and credentials.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { overwrite } from '@svc/audit/test-stored'
import { dispatch } from '../../engines/running-engine.ts'
import { assertWhole, everything, type Fields, listed, whole } from '../awareness/list-scene.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import type { Party } from '../identity/made-scene.ts'
import { newArbiter } from './moat-others.ts'
import { cross, day_ms, echo, heard, type MoatScene, openMoatScene } from './moat-scene.ts'
import { drawnPanel } from './moot-scene.ts'

let scene: MoatScene
const listing = ['MOAT', 'MACE', 'MOOT', 'MAXIM', 'MAUSOLEUM', 'MERIT']
const not_yours = 'not your organization'

before(async () => {
  scene = await openMoatScene()
})
after(() => scene.service.stop())

const ask = (who: Party, protocol: string, operation: string, input: unknown, tenant_id = who.tenant_id) =>
  dispatch(who, { protocol, operation, input, tenant_id })
const done = async (who: Party, protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, protocol, operation, input)).output
const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const
const invalid = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
const idsOf = (items: readonly Fields[], id: string) => items.map((item) => item[id])
/** Advances the clock, so that times differ unless a test wants equal ones. */
const tick = () => scene.clock.advance(1)

/** A treaty in force between Ann and Bob that grants echo and all lists; every test has its own. */
function agreeOnLists() {
  const granted = [echo, ...listing.map((protocol) => `svc.${protocol.toLowerCase()}.list`)]
  return scene.agree({
    capability_schedule: granted.map((capability) => ({ capability, granted_to: 'both' })),
  })
}

test('treaties: offers and treaties in force, only for both parties', async () => {
  const { ann, bob, eve, later } = scene
  const terms = {
    capability_schedule: [{ capability: echo, granted_to: 'both' }],
    expires_at: later(100 * day_ms),
  }
  const propose = async () =>
    (await done(ann, 'MOAT', 'propose', { counterparty_did: bob.agent_did, ...terms })).treaty_id as string
  const active = await agreeOnLists()
  const offers: string[] = []
  for (let n = 0; n < 4; n++) {
    // Two at the same time: ordered by id.
    if (n !== 2) tick()
    offers.push(await propose())
  }
  const expected_ids = [...offers.slice(3), ...offers.slice(1, 3).sort().reverse(), offers[0], active]
  for (const who of [ann, bob]) {
    const items = await everything(who, 'MOAT', { limit: 2 }, async () => {
      tick()
      await propose()
    })
    assertWhole(items, 'treaty_id', expected_ids)
  }
  assert.deepEqual(await listed(eve, 'MOAT'), { items: [] })
  const [one] = (await listed(bob, 'MOAT', { state: 'ACTIVE' })).items as [Fields]
  assert.deepEqual(
    [one.treaty_id, one.partner, one.kind, one.signed, one.missing, one.grants_to_own, one.grants_to_partner],
    [active, 'acme', 'treaty', ['acme', 'globex'], [], 7, 7],
  )
  assert.equal((await listed(ann, 'MOAT', { partner: 'third' })).items.length, 0)
  assert.equal((await listed(ann, 'MOAT', { since: later(1) })).items.length, 0)
})

test('an amendment is listed as a version of its treaty, with the terms before and after', async () => {
  const { ann, bob } = scene
  const active = await agreeOnLists()
  tick()
  const changes = { rate_limits: { per_hour: 7 } }
  const reason = 'Not so often.'
  const amended = await done(ann, 'MOAT', 'propose_amendment', { treaty_id: active, changes, reason })
  const { amendment_id } = amended
  for (const who of [ann, bob]) await done(who, 'MOAT', 'sign_amendment', { amendment_id })
  const answer = await whole(bob, 'MOAT', { treaty_id: amendment_id })
  const before = (await whole(bob, 'MOAT', { treaty_id: active })).detail
  assert.deepEqual(
    [answer.kind, answer.parent, answer.state, answer.detail.reason],
    ['amendment', active, 'ACTIVE', reason],
  )
  const { body, amendment, signatures, line } = answer.detail
  assert.deepEqual(amendment, { before: before.body, diff: amended.diff, widening: amended.widening })
  assert.deepEqual(body, { ...before.body, ...changes, parent: active, nonce: body.nonce })
  const signed = await done(bob, 'MOAT', 'sign_amendment', { amendment_id })
  assert.deepEqual(signatures, signed.signatures)
  assert.deepEqual(
    line.map(({ treaty_id, state }: Fields) => [treaty_id, state]),
    [
      [amendment_id, 'ACTIVE'],
      [active, 'SUPERSEDED'],
    ],
  )
  assert.deepEqual(idsOf((await listed(ann, 'MOAT', { kind: 'amendment' })).items, 'treaty_id'), [
    amendment_id,
  ])
})

test('a treaty does not open lists: only members read them', async () => {
  const { ann, bob } = scene
  await heard(async () => (await cross(bob, ann)).status === 200)
  for (const protocol of listing) {
    const reason = protocol === 'MAXIM' ? 'not of this organization' : not_yours
    assertRefusal(await ask(bob, protocol, 'list', {}, ann.tenant_id), denied(reason))
  }
})

test('motions: attendance at once, results only after all votes are cast', async () => {
  const { ann, bob } = scene
  const [first, second, third] = [
    await scene.seat('council'),
    await scene.seat('council'),
    await scene.seat('council'),
  ]
  const convene = async (title: string) => {
    tick()
    const motion = { title, text: 'Let it be so.', charter_level: true }
    const convening = { motion, quorum: 'majority', deadline_ms: day_ms, composition_rules: {} }
    return (await done(first, 'MACE', 'convene', convening)).motion_id as string
  }
  const say = (who: Party, motion_id: string, position: string) =>
    done(who, 'MACE', 'deliberate', { motion_id, position, reasoning: `I am ${position}.` })
  const [open, decided, quiet] = [await convene('open'), await convene('decided'), await convene('quiet')]
  for (const [who, position] of [
    [first, 'for'],
    [second, 'against'],
  ] as const)
    await say(who, open, position)
  for (const [who, position] of [
    [first, 'for'],
    [second, 'for'],
    [third, 'against'],
  ] as const)
    await say(who, decided, position)
  const tallied = await done(first, 'MACE', 'tally', { motion_id: decided })
  const items = await everything(second, 'MACE', { limit: 1 }, () => convene('late'))
  assertWhole(items, 'motion_id', [quiet, decided, open])
  const answer = await whole(second, 'MACE', { motion_id: decided })
  assert.deepEqual([answer.verdict.outcome, answer.verdict.dissent, answer.verdict.uses], ['PASSED', 1, 0])
  assert.deepEqual(answer.detail.verdict, tallied)
  assert.deepEqual(
    answer.detail.positions.map(({ did, position, signed }: Fields) => [did, position, signed]).sort(),
    [
      [first.agent_did, 'for', 'custodial'],
      [second.agent_did, 'for', 'custodial'],
      [third.agent_did, 'against', 'custodial'],
    ].sort(),
  )
  const voting = await whole(third, 'MACE', { motion_id: open })
  assert.deepEqual([voting.state, voting.attendance], ['OPEN', { present: 2, needed: 2 }])
  assert.ok(!('verdict' in voting) && !('verdict' in voting.detail) && !('positions' in voting.detail))
  assert.ok(!JSON.stringify(voting).includes('I am for.'), 'no vote is told before all are in')
  const viewed = await done(third, 'MACE', 'tally', { motion_id: open, action: 'view' })
  assert.deepEqual(voting.detail.motion, viewed.motion)
  scene.clock.advance(day_ms)
  const lapsed = (await listed(second, 'MACE', { state: 'LAPSED' })).items
  assert.ok(idsOf(lapsed, 'motion_id').includes(quiet), 'by the clock, whether or not it was swept')
  assert.deepEqual(idsOf((await listed(second, 'MACE', { state: 'OPEN' })).items, 'motion_id'), [open])
  assert.deepEqual((await listed(ann, 'MACE', { motion_id: open })).items, [])
  // A guest sees the motion on which it has a seat.
  const motion = { title: 'guests', text: 'With a guest.' }
  const composition_rules = { delegates: [ann.agent_did, bob.agent_did] }
  const convening = { motion, quorum: 'majority', deadline_ms: day_ms, composition_rules }
  const { motion_id } = await done(ann, 'MACE', 'convene', convening)
  const to_bob = assertSuccess(await ask(bob, 'MACE', 'list', { motion_id }, ann.tenant_id)).output as Fields
  assert.deepEqual(idsOf(to_bob.items, 'motion_id'), [motion_id])
})

/** Found, but its content no longer has its hash. */
async function alteredRecord(): Promise<string> {
  const { correlation_id } = assertSuccess(await cross(scene.ann, scene.bob)).metadata
  const [own] = await scene.service.records('acme', { correlation_ids: [correlation_id] })
  await asOwner(scene.service.db_url, async (client) => {
    await overwrite(client, 'acme', own!.seq, ({ body }) => ({
      body: body!.replace('"success"', '"refused"'),
    }))
  })
  return `max://acme/record/${own!.record_hash}`
}

test('cases: heads for all three organizations, documents only for permitted readers', async () => {
  const { ann, bob, eve } = scene
  const arbiter = await newArbiter(scene)
  const { correlation_id } = assertSuccess(await cross(ann, bob)).metadata
  const evidence = [`max://acme/correlation/${correlation_id}`]
  const file = async (more: object = {}) => {
    tick()
    const claim = { respondent_did: bob.agent_did, claim: 'It was never done.', evidence }
    const requested_remedy = { kind: 'declaratory' }
    return (await done(ann, 'MOOT', 'file', { ...claim, requested_remedy, ...more })).case_id as string
  }
  const [first, second] = [await file(), await file()]
  await done(bob, 'MOOT', 'plead', { case_id: first, plea: 'deny', argument: 'It was.' })
  await drawnPanel(ann, first)
  const { hearing_id, chain_verified } = await done(arbiter, 'MOOT', 'hear', { case_id: first })
  const vote = { case_id: first, finding: 'for_respondent', reasoning: 'Both chains hold it.' }
  const { ruling } = await done(arbiter, 'MOOT', 'rule', vote)
  const nothing = await file({ evidence: [await alteredRecord()] })
  assertWhole(await everything(ann, 'MOOT', { limit: 1 }, file), 'case_id', [nothing, second, first])
  assert.deepEqual(idsOf((await listed(ann, 'MOOT', { state: 'DISMISSED' })).items, 'case_id'), [nothing])
  for (const [who, role] of [
    [bob, 'respondent'],
    [arbiter, 'venue'],
  ] as const) {
    const items = await everything(who, 'MOOT', { role, limit: 2 })
    assert.ok(!idsOf(items, 'case_id').includes(nothing), 'nobody is troubled with what was dismissed')
    const head = items.find(({ case_id }) => case_id === first)!
    assert.deepEqual([head.state, head.roles, head.ruling.ruling_id], ['RULED', [role], ruling.ruling_id])
    assert.ok(!JSON.stringify(items).includes('It was never done.'), 'what is claimed stands in the papers')
  }
  assert.deepEqual((await listed(eve, 'MOOT')).items, [])
  assert.equal((await listed(bob, 'MOOT', { role: 'claimant' })).items.length, 0)
  for (const who of [ann, bob, arbiter]) {
    const { detail } = await whole(who, 'MOOT', { case_id: first })
    assert.deepEqual(
      detail.docket,
      (await done(who, 'MOOT', 'plead', { case_id: first, plea: 'view' })).docket,
    )
    assert.deepEqual(
      detail.hearings.map((answer: Fields) => [answer.hearing_id, answer.held_by, answer.chain_verified]),
      [[hearing_id, arbiter.agent_did, chain_verified]],
    )
  }
  const clerk = await scene.newParty('acme')
  assert.equal((await listed(clerk, 'MOOT', { case_id: first })).items.length, 1)
  const papers = await ask(clerk, 'MOOT', 'list', { case_id: first, include_detail: true })
  assertRefusal(papers, denied('not a party of this case'))
})

const forbid = (protocol: string) =>
  `forbid(principal, action, resource) when { resource.protocol == "${protocol}" };`

test('policies: by version, with text and validation; a backtest of a draft stores nothing', async () => {
  const { ann, later } = scene
  const law = await scene.seat('lawful')
  const author = async (policy_id: string, version: string, body: string, more: object = {}) => {
    tick()
    const input = { policy_id, version, policy_body: body, active_from: later(0), rationale: 'So.', ...more }
    return done(law, 'MAXIM', 'author', input)
  }
  const market = await author('market', '1.0.0', forbid('MARKET'))
  await author('mail', '1.0.0', forbid('MAIL'))
  await author('mail', '1.1.0', forbid('MADE'))
  const ends = later(day_ms)
  await author('market', '2.0.0', '', { retire: true, active_from: ends })
  const nameOf = ({ policy_id, version, state }: Fields) => `${policy_id}@${version} ${state}`
  const items = await everything(law, 'MAXIM', { limit: 1 })
  const all = ['market@2.0.0 SCHEDULED', 'mail@1.1.0 ACTIVE', 'mail@1.0.0 SUPERSEDED', 'market@1.0.0 ACTIVE']
  assert.deepEqual(items.map(nameOf), all)
  const active = (await listed(law, 'MAXIM', { state: 'ACTIVE' })).items
  assert.deepEqual(active.map(nameOf), [all[1], all[3]])
  assert.deepEqual((await listed(ann, 'MAXIM', { policy_id: 'market' })).items, [])
  const first = await whole(law, 'MAXIM', { policy_id: 'market', version: '1.0.0' })
  assert.deepEqual([first.digest, first.active_until], [market.digest, ends])
  const { policy_body, validation, versions } = first.detail
  assert.deepEqual([policy_body, first.rationale], [forbid('MARKET'), 'So.'])
  assert.ok(items.every(({ rationale }) => rationale === 'So.'))
  assert.deepEqual(validation, { policies: 1, faults: [], warnings: [] })
  assert.deepEqual(idsOf(versions, 'version'), ['2.0.0', '1.0.0'])
  assert.equal((await whole(law, 'MAXIM', { policy_id: 'mail' })).version, '1.1.0')

  const look = () => ask(law, 'MARKET', 'query_orderbook', { instrument: 'COIN/usd' })
  await heard(async () => (await look()).body.error?.stage === 4)
  const refused = (await look()).headers.get('x-correlation-id')!
  const backtest = (draft: object) => done(law, 'MAXIM', 'backtest', { policy_id: 'market', ...draft })
  const without = await backtest({ policy_body: '', retire: true })
  assert.ok(without.would_flip_deny_to_allow >= 1 && without.would_flip_allow_to_deny === 0)
  const [record] = await scene.service.records('lawful', { correlation_ids: [refused] })
  const flip = without.flips.find(
    (one: Fields) => one.record === `max://lawful/record/${record!.record_hash}`,
  )
  assert.deepEqual([flip.operation, flip.was, flip.would_be], ['query_orderbook', 'refused', 'allow'])
  const tried = await backtest({ policy_id: 'draft', policy_body: forbid('MAXIM'), decisions: 3 })
  assert.deepEqual([tried.decisions, tried.truncated, tried.binding], [3, true, false])
  const by = 'maxim://draft@0.0.0'
  const denials = tried.flips.filter((one: Fields) => one.protocol === 'MAXIM' && one.by === by)
  assert.ok(denials.length > 0 && denials.length === tried.would_flip_allow_to_deny)
  assertRefusal(
    await ask(law, 'MAXIM', 'backtest', { policy_id: 'x', policy_body: 'forbid' }),
    invalid('cedar'),
  )
  assert.deepEqual((await everything(law, 'MAXIM', {})).map(nameOf), all, 'nothing was enacted')
})

test('dissolutions: for the organization and its successor; the schedule only for those who may seal', async () => {
  const { ann, bob } = scene
  const only = await scene.seat('ending')
  const terms = { charter_authority: 'mace://sole-member', reason: 'Enough.' }
  const schedule = { asset_distribution: [], obligation_transfer: [], successor_did: bob.agent_did }
  const begin = async () => {
    tick()
    return (await done(only, 'MAUSOLEUM', 'initiate', { ...terms, schedule })).dissolution_id as string
  }
  const turned = await begin()
  await done(only, 'MAUSOLEUM', 'initiate', { ...terms, cancel: turned })
  const dissolution_id = await begin()
  for (const [who, role] of [
    [only, 'own'],
    [bob, 'successor'],
  ] as const) {
    const items = await everything(who, 'MAUSOLEUM', { limit: 1 })
    assertWhole(items, 'dissolution_id', [dissolution_id, turned])
    assert.deepEqual(idsOf(items, 'state'), ['INITIATED', 'CANCELLED'])
    assert.deepEqual(idsOf(items, 'role'), [role, role])
    const { detail } = await whole(who, 'MAUSOLEUM', { dissolution_id })
    assert.deepEqual([detail.reason, detail.schedule], ['Enough.', schedule])
    assert.equal('outlook' in detail, role === 'own')
    if (role === 'own') assert.ok(detail.outlook.concerned.includes('globex'))
  }
  assert.deepEqual((await listed(ann, 'MAUSOLEUM')).items, [])
  const clerk = await scene.newParty('ending')
  const will = await ask(clerk, 'MAUSOLEUM', 'list', { dissolution_id, include_detail: true })
  assertRefusal(will, denied('not a charter member or successor'))
  const cancelled = (await listed(clerk, 'MAUSOLEUM', { state: 'CANCELLED' })).items
  assert.deepEqual(idsOf(cancelled, 'cancelled_by'), [only.agent_did])
})

test('credentials: issued ones and their state', async () => {
  const { ann, bob } = scene
  const affected = [{ party: 'all', interest: 'health', magnitude: 0.7, probability: 0.9, consent: 'yes' }]
  const action = { kind: 'vaccinate', description: 'Vaccinate who came for it.', reversible: true, affected }
  const give = async () => {
    tick()
    const input = { action, issue_credential: true, subject_did: ann.agent_did }
    return (await done(ann, 'MERIT', 'evaluate_ethics', input)).credential.id as string
  }
  const [gone, live] = [await give(), await give()]
  const withdrawn = { credential_ref: gone, reason: 'error', authority: ann.agent_did }
  const { revoked_at } = await done(ann, 'MERIT', 'revoke', withdrawn)
  assertWhole(await everything(ann, 'MERIT', { limit: 1 }, give), 'credential_ref', [live, gone])
  const [one] = (await listed(ann, 'MERIT', { state: 'revoked' })).items as [Fields]
  const { revoked } = one
  assert.deepEqual([one.credential_ref, revoked.at, revoked.reason], [gone, revoked_at, 'error'])
  assert.deepEqual((await listed(bob, 'MERIT', { credential_ref: live })).items, [])
})

test('detail needs one id, and foreign cursors are refused', async () => {
  const { ann } = scene
  for (const protocol of listing) {
    assertRefusal(await ask(ann, protocol, 'list', { cursor: 'eHh4' }), invalid('cursor'))
    if (protocol !== 'MERIT')
      assertRefusal(await ask(ann, protocol, 'list', { include_detail: true }), invalid('detail of one'))
  }
})
