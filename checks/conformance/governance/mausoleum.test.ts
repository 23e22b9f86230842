// A dissolution over HTTP: announced, distributed, transferred, sealed, archived, and still readable.
// Rules: protocols/governance/mausoleum/mausoleum.test.ts.

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { apportion } from '@svc/contract/money/money'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { signText } from '@svc/contract/signing/signature'
import { novationText } from '@svc/protocols/economic/estate/estate-novation'
import { balanceOf, payIntoRunway } from '@svc/protocols/economic/ledger/store'
import { findArchive, readArchive } from '@svc/protocols/governance/mausoleum/dissolution-archive'
import { findOpen } from '@svc/protocols/governance/mausoleum/dissolution-store'
import { sweepDissolutions } from '@svc/protocols/governance/mausoleum/dissolution-sweep'
import { verifyExport } from '@svc/sdk/verify/export'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually, until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { connect, keyOf } from '../gateway/mcp-scene.ts'
import {
  create,
  fund,
  type MadeScene,
  openMadeScene,
  owes,
  type Party,
  publish,
} from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const day_ms = 86_400_000
const paid_in = 5_000_000n
let scene: MadeScene
let council: Party[]
let founder: Party
let bob: Party
let heirs: Party[]
let next: Party

before(async () => {
  scene = await openMadeScene({ treaties: undefined as never, config: { mcp_port: 0 } })
  founder = await seat('ending')
  bob = await seat('globex')
  next = await scene.newParty('after')
  heirs = []
  for (const tenant_id of ['heir-a', 'heir-b', 'heir-c']) heirs.push(await scene.newParty(tenant_id))
  const ann = await scene.newParty('acme')
  assertSuccess(await publish(ann, { asset_id: 'coin', denomination: { code: 'COIN', decimals: 2 } }))
  await fund(scene, founder, 1_100n)
  await payIntoRunway(engine(), {
    tenant_id: 'ending',
    operator_tenant_id: 'operator',
    micro_usd: paid_in,
    kind: 'test',
    ref: 'test',
    correlation_id: randomUUID(),
    at: iso(),
  })
})
after(() => scene.service.stop())

const engine = () => scene.service.service.store.engine
const iso = () => new Date(scene.clock.now_ms()).toISOString()
const ask = (who: Party, protocol: string, operation: string, input: unknown): Promise<Answer> =>
  dispatch(who, { protocol, operation, input })
const done = async (who: Party, protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, protocol, operation, input)).output
const denied = (reason: string, stage = 7) => ({ code: 'policy_denied', stage, reason }) as const
const invalid = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
const seal = (who: Party, input: object = {}) => ask(who, 'MAUSOLEUM', 'seal', input)
const initiate = (who: Party, input: object) => ask(who, 'MAUSOLEUM', 'initiate', input)
const balance = ({ tenant_id, agent_did: did }: Party, asset_id: string) =>
  balanceOf(engine(), { tenant_id, did, asset_id, type: 'available' })

async function seat(tenant_id: string): Promise<Party> {
  const party = await scene.newParty(tenant_id)
  await addMember(engine(), tenant_id, party.agent_did, new Date(scene.clock.now_ms() - 1))
  return party
}

function sweep(): Promise<number> {
  const { sign } = scene.service.service.audit_log.forTenant('operator')
  return sweepDissolutions(engine(), testTick(scene.clock.now_ms()), { operator_tenant_id: 'operator', sign })
}

/** The service sweeps as well; the second one does nothing. */
async function sweepUntil(expected: string): Promise<void> {
  await eventually(async () => {
    await sweep()
    const { state, blocked } = (await findOpen(engine(), 'ending'))!
    assert.equal(blocked ? `BLOCKED at ${blocked.step}` : state, expected)
  })
}

/** The writer of the audit log processes the events of a sweep later. */
function heard(tenant_id: string, event: string): Promise<AuditRecord> {
  return until(`${tenant_id} has ${event}`, async () => {
    const [record] = await scene.service.records(tenant_id, { event_types: [event] })
    return record
  })
}

/** A verdict of the council on one subject, with this many votes for it. */
async function decide(subject: string, in_favour: number): Promise<string> {
  const motion = {
    title: 'The end',
    text: 'Our purpose is fulfilled.',
    binds: [{ protocol: 'MAUSOLEUM', operation: 'initiate', subject }],
  }
  const convening = { motion, quorum: 'majority', deadline_ms: day_ms, composition_rules: {} }
  const { motion_id } = await done(founder, 'MACE', 'convene', convening)
  for (const [place, member] of council.entries())
    await done(member, 'MACE', 'deliberate', {
      motion_id,
      position: place < in_favour ? 'for' : 'against',
      reasoning: 'Because.',
    })
  return (await done(founder, 'MACE', 'tally', { motion_id })).ref
}

async function agreeWithBob(): Promise<string> {
  const { treaty_id } = await done(founder, 'MOAT', 'propose', {
    counterparty_did: bob.agent_did,
    capability_schedule: [{ capability: 'svc.made.*', granted_to: 'both' }],
    settlement_terms: { rail: 'internal', currency: 'COIN', clearing_fee_bps: 25 },
    expires_at: new Date(scene.clock.now_ms() + 100 * day_ms).toISOString(),
  })
  for (const party of [founder, bob]) await done(party, 'MOAT', 'sign', { treaty_id })
  const obligations = [owes('debt', 'proposer', '101'), owes('lease', 'proposer', '50')]
  const offer = { counterparty_did: bob.agent_did, obligations, treaty_id }
  const { contract_id } = assertSuccess(await create(founder, offer)).output
  assertSuccess(await create(bob, { contract_id }))
  return contract_id as string
}

function scheduleFor(contract_id: string): Fields {
  const [heir] = heirs as [Party]
  const obligation = `made://contract/${contract_id}/lease`
  const text = novationText(obligation, heir.agent_did)
  const shares = [3333, 3333, 3334]
  return {
    asset_distribution: heirs.map(({ agent_did: to_did }, place) => {
      return { asset_id: '*', to_did, share_bps: shares[place] }
    }),
    obligation_transfer: [
      {
        obligation,
        to_did: heir.agent_did,
        consent: signText(bob.key.private_key, text),
        accepted: signText(heir.key.private_key, text),
        public_key: heir.key.public_key,
      },
    ],
    successor_did: next.agent_did,
  }
}

/** Inserts an open case directly; cases are tested elsewhere. */
async function openCase(): Promise<() => Promise<unknown>> {
  const case_id = randomUUID()
  await asOwner(scene.service.db_url, (client) =>
    client.query(
      `INSERT INTO cases (case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by,
         claim, evidence, correlations, contracts, requested, panel, state, filed_at, plead_by)
       VALUES ($1, 'globex', 'ending', 'operator', $2, $3, 'claimant', 'x', '[]', '{}', '{}', $4, '{}',
         'FILED', now(), now())`,
      [case_id, bob.agent_did, founder.agent_did, { kind: 'declaratory', micro_usd: '0', target: null }],
    ),
  )
  return () =>
    asOwner(scene.service.db_url, (client) =>
      client.query(`UPDATE cases SET state = 'CLOSED', closed_at = now() WHERE case_id = $1`, [case_id]),
    )
}

test('scenario 25: an organization is dissolved, its creditors paid first, its record sealed and kept', async (t) => {
  const contract_id = await agreeWithBob()
  const ask_price = { instrument: 'coin/usd', side: 'sell', quantity: '100', price: '7' }
  const { order_id } = await done(founder, 'MARKET', 'create_order', ask_price)
  const { order_id: other_order } = await done(founder, 'MARKET', 'create_order', {
    ...ask_price,
    price: '8',
  })
  council = [founder]
  for (let more = 0; more < 4; more++) council.push(await seat('ending'))
  const reason = 'Our purpose is fulfilled.'
  const schedule = scheduleFor(contract_id)
  const subject = contentHash({ reason, schedule })
  const dissolution_id = await begin(reason, schedule, subject)

  await t.test('a dissolving organization takes on nothing new, and can still end obligations', async () => {
    const offer = { counterparty_did: bob.agent_did, obligations: [owes('x', 'proposer', '1')] }
    const dissolving = denied('organization dissolving')
    assertRefusal(await create(founder, offer), dissolving)
    assertRefusal(await ask(founder, 'MARKET', 'create_order', ask_price), dissolving)
    const envelope = { department: 'x', max_per_month_usd: '2', max_per_day_usd: '1' }
    assertRefusal(
      await ask(founder, 'MANA', 'allocate', { envelope, authority: 'mace://sole-member' }),
      denied('organization dissolving', 4),
    )
    await done(founder, 'MARKET', 'create_order', { action: 'cancel', order_id })
    await done(founder, 'MAX', 'audit_query', { event_type: ['DissolutionInitiated'] })
    assertRefusal(
      await initiate(founder, { charter_authority: 'mace://sole-member', reason, schedule }),
      dissolving,
    )
    assertRefusal(await seal(founder), denied('dissolution is INITIATED; seal needs READY_TO_SEAL'))
    assert.equal(await sweep(), 0)
  })

  const close = await openCase()
  scene.clock.advance(7 * day_ms)
  await t.test('an open case blocks the distribution, and with it the seal', async () => {
    await sweepUntil('BLOCKED at distribution')
    const error = assertRefusal(
      await seal(founder),
      denied('dissolution is BLOCKED; seal needs READY_TO_SEAL'),
    )
    assert.match(JSON.stringify(error.details.blockers), /distribution: 1 cases are open/)
    assert.equal(await balance(bob, 'coin'), 0n)
    const { body } = await ask(founder, 'MARKET', 'query_orderbook', {
      instrument: 'coin/usd',
      order_id: other_order,
    })
    assert.equal(body.output.order.state, 'CANCELLED')
  })
  await close()
  await sweepUntil('READY_TO_SEAL')
  await assertDivided(contract_id)
  await assertSealed(t, dissolution_id)
})

async function begin(reason: string, schedule: Fields, subject: string): Promise<string> {
  const charter_authority = await decide(subject, 4)
  const begun = assertSuccess(await initiate(founder, { charter_authority, reason, schedule }))
    .output as Fields
  assert.deepEqual([begun.state, begun.blockers], ['INITIATED', []])
  const owed = begun.creditors.filter(({ rank }: Fields) => rank === 3)
  assert.deepEqual(
    owed.map(({ asset_id, amount, tenant_id }: Fields) => [asset_id, amount, tenant_id]),
    [['coin', '101', 'globex']],
  )
  const notices = await scene.service.records('globex', { event_types: ['DissolutionInitiated'] })
  assert.equal(notices[0]?.meta.dissolution_id, begun.dissolution_id)
  return begun.dissolution_id
}

async function assertDivided(contract_id: string): Promise<void> {
  assert.equal(await balance(bob, 'coin'), 101n)
  const weights = [3333n, 3333n, 3334n]
  const coins = await Promise.all(heirs.map((heir) => balance(heir, 'coin')))
  assert.deepEqual(coins, apportion(1_100n - 101n, weights))
  const dollars = await Promise.all(heirs.map((heir) => balance(heir, 'usd')))
  const left = dollars.reduce((all, one) => all + one, 0n)
  const revenue = await balanceOf(engine(), { tenant_id: 'operator', asset_id: 'usd', type: 'revenue' })
  assert.equal(left + revenue, paid_in)
  assert.deepEqual(dollars, apportion(left, weights))
  const record = await heard('heir-a', 'ContractActivated')
  assert.equal(record.meta.novates, `made://contract/${contract_id}/lease`)
  const taken = assertSuccess(
    await create(bob, { contract_id: record.meta.contract_id, action: 'view' }),
  ).output
  assert.deepEqual([taken.state, taken.proposer_did], ['ACTIVE', heirs[0]!.agent_did])
  const old = assertSuccess(await create(bob, { contract_id, action: 'view' })).output as Fields
  assert.deepEqual(
    [old.state, old.obligations.map(({ state }: Fields) => state)],
    ['FINAL', ['SETTLED', 'NOVATED']],
  )
  for (const event of ['AssetsDistributed', 'Terminated']) await heard('globex', event)
  for (const event of ['AssetsDistributed', 'ObligationsTransferred', 'InvoiceIssued'])
    await heard('ending', event)
}

async function assertSealed(t: { test: typeof test }, dissolution_id: string): Promise<void> {
  await t.test(
    'a permitted caller seals it once, at the known head, and its last hash is public',
    async () => {
      assertRefusal(await seal(heirs[0]!, { dissolution_id }), invalid('not_found'))
      const wrong = '0'.repeat(64)
      assertRefusal(await seal(council[1]!, { expected_head: wrong }), denied('head moved'))
      const sealed = assertSuccess(await seal(next, { dissolution_id })).output as Fields
      assert.equal(sealed.state, 'SEALED')
      await sweepUntil('ARCHIVED')
      const again = assertSuccess(await seal(founder)).output as Fields
      assert.deepEqual(
        [again.state, again.final_hash, again.mars_ref],
        ['ARCHIVED', sealed.final_hash, sealed.mars_ref],
      )
      const { entries } = await done(bob, 'MARS', 'query_registry', {
        entry: sealed.mars_ref.replace('mars://', ''),
      })
      assert.equal(entries[0].body.content.final_hash, sealed.final_hash)
      const records = await scene.service.records('ending')
      assert.deepEqual(
        [records.at(-1)!.event_type, records.at(-1)!.record_hash],
        ['ChainSealed', sealed.final_hash],
      )
      await assertArchived(again)
    },
  )

  await t.test('a write is refused, and the refusal is recorded in the chain of the operator', async () => {
    const refused = await ask(founder, 'MAX', 'audit_log_entry', { event_type: 'custom.more', meta: {} })
    const { correlation_id } = assertRefusal(refused, denied('organization sealed', 4))
    const [record] = await scene.service.records('operator', { correlation_ids: [correlation_id] })
    assert.deepEqual([record?.meta.sealed_tenant_id, record?.outcome], ['ending', 'refused'])
  })

  await t.test(
    'successor and former members still read and verify everything; others read nothing',
    async () => {
      const all = { after_seq: 0, limit: 1000, verify: true }
      const count = (await scene.service.records('ending')).length
      const read = await done(next, 'MAX', 'audit_query', { ...all, tenant_id: 'ending' })
      assert.deepEqual([read.records.length, read.verified.ok], [count, true])
      assert.equal((await done(founder, 'MAX', 'audit_query', all)).records.length, count)
      const stranger = await ask(heirs[2]!, 'MAX', 'audit_query', { ...all, tenant_id: 'ending' })
      assert.deepEqual(stranger.body.output?.records ?? [], [])
      await assertListed(dissolution_id)
      const client = await connect(scene.service.service.mcp_url!, { headers: keyOf(next) })
      const tool_call = { name: 'svc.max.audit_query', arguments: { ...all, tenant_id: 'ending' } }
      const answer = (await client.callTool(tool_call)) as Fields
      await client.close()
      assert.equal(answer.isError ?? false, false, JSON.stringify(answer).slice(0, 400))
      const own = await scene.service.records('after', { operation: 'audit_query' })
      assert.equal(own.at(-1)?.meta.origin, 'mcp')
    },
  )
}

async function assertListed(dissolution_id: string): Promise<void> {
  const sealed = await done(next, 'MAUSOLEUM', 'seal', { dissolution_id })
  for (const who of [next, founder]) {
    const query = { dissolution_id, include_detail: true }
    const [listed] = (await done(who, 'MAUSOLEUM', 'list', query)).items
    assert.deepEqual([listed.state, listed.detail.seal], ['ARCHIVED', sealed])
  }
}

async function assertArchived({ archive, final_hash, seal: { public_key } }: Fields): Promise<void> {
  const stored = await findArchive(engine(), 'ending')
  assert.deepEqual([stored?.hash, contentHash(stored?.manifest)], [archive.hash, archive.hash])
  const file = Buffer.concat(await Array.fromAsync(readArchive(engine(), 'ending')))
  assert.equal(createHash('sha256').update(file).digest('hex'), stored?.manifest.file.sha256)
  const verdict = await verifyExport(file.toString().trimEnd().split('\n'), { trustedKeys: [public_key] })
  assert.deepEqual([verdict.ok, verdict.sealed, verdict.head], [true, true, final_hash], `${verdict.reason}`)
  assert.equal(((await heard('operator', 'OrganizationArchived')).meta.archive as Fields).hash, archive.hash)
  const { rows } = await asOwner(scene.service.db_url, (client) =>
    client.query(`SELECT FROM ledger_balances WHERE tenant_id = 'ending' AND balance <> 0`),
  )
  assert.equal(rows.length, 0)
}
