import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import { asOwner, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import { is_long, openChance } from '../../../checks/faults/scene/chance.ts'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { keepActivation, keepAdvanced, keepContract } from '../../economic/contracts/contract-store.ts'
import { advance as advanceContract, type Party } from '../../economic/contracts/contract-terms.ts'
import { keepAsset } from '../../economic/ledger/asset-store.ts'
import { balanceOf, ensureUsd, postJournal } from '../../economic/ledger/store.ts'
import { type Step, steps } from './dissolution.ts'
import { keepDissolution, windUp } from './dissolution-store.ts'
import { type SweepParts, sweepDissolutions } from './dissolution-sweep.ts'

const now = new Date('2026-11-15T10:00:00.000Z')
const at = now.toISOString()
let database: TestDatabase
let store: PostgresStore
let audit_log: AuditLog
const parties = new Map<string, Party>()

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  audit_log = await openTestAuditLog(database.url, await newFolder())
  for (const tenant_id of ['operator', 'mint', 'bank', 'shop', 'heir', 'kin']) await found(tenant_id)
  await ensureUsd(store.engine, 'operator')
  const asset = { asset_id: 'coin', kind: 'token', rail: 'internal', code: 'COIN', decimals: 0 } as const
  const sizes = { finality_s: 0, lot_size: 1n, tick_size: 1n, max_supply: null }
  await keepAsset(store.engine, { ...asset, ...sizes }, { tenant_id: 'mint', did: 'test', at })
})
after(async () => {
  await audit_log.close()
  await store.close()
  await database.close()
})

async function found(tenant_id: string): Promise<Party> {
  await ensureTenant(store.engine, tenant_id, tenant_id, 'charter')
  await audit_log.ready(tenant_id)
  const party = { tenant_id, did: newIdentity(tenant_id, 'agent').did }
  parties.set(tenant_id, party)
  return party
}

const partyOf = (tenant_id: string) => parties.get(tenant_id)!
const balanceIn = (tenant_id: string) =>
  balanceOf(store.engine, { ...partyOf(tenant_id), asset_id: 'coin', type: 'available' })

async function give({ tenant_id, did }: Party, amount: bigint): Promise<void> {
  await postJournal(store.engine, {
    tenant_id: 'mint',
    kind: 'test',
    ref: 'test',
    correlation_id: randomUUID(),
    at,
    entries: [
      { tenant_id: 'mint', asset_id: 'coin', type: 'issuance', amount: -amount },
      { tenant_id, did, asset_id: 'coin', type: 'available', amount },
    ],
  })
}

async function owe(proposer: Party, counterparty: Party, amount: bigint): Promise<string> {
  const contract_id = `sha256:${randomUUID().replaceAll('-', '').repeat(2)}`
  const terms = { condition: { kind: 'none' }, credit_to: 'available', asset_id: 'coin', due_at: at } as const
  const open = { settled: 0n, ended: null, ended_at: null, exchange: null } as const
  const contract = {
    contract_id,
    proposer,
    counterparty,
    escrow: false,
    treaty_id: null,
    expires_at: now,
    state: 'ACTIVE',
    activated_at: now,
    fee_bps: { proposer: 25, counterparty: 25 },
    fee_rule: 'sum',
    obligations: [{ id: 'debt', from: 'proposer', amount, ...open, ...terms }],
    settlements: [],
    signatures: [],
  } as const
  await keepContract(store.engine, contract, {}, at)
  await keepActivation(store.engine, contract)
  await keepAdvanced(store.engine, contract_id, advanceContract(contract, now), now)
  return contract_id
}

/** The rows as the operation leaves them, without a council. */
async function dissolve(tenant_id: string): Promise<string> {
  const dissolution_id = randomUUID()
  const transaction = store.transaction(tenant_id)
  const share = { asset_id: '*', share_bps: 5_000 }
  await keepDissolution(transaction.db, {
    dissolution_id,
    tenant_id,
    state: 'INITIATED',
    blocked: null,
    reason: 'the test',
    schedule: {
      asset_distribution: ['heir', 'kin'].map((heir) => ({ ...share, to_did: partyOf(heir).did })),
      obligation_transfer: [],
      successor_did: partyOf('heir').did,
    },
    authority: 'mace://verdict/test',
    initiated_by: partyOf(tenant_id).did,
    initiated_at: now,
    notice_until: now,
    successor_tenant: 'heir',
  })
  await windUp(transaction.db, true)
  await transaction.commit([])
  return dissolution_id
}

const partsWith = (disturb?: SweepParts['disturb']): SweepParts => ({
  operator_tenant_id: 'operator',
  sign: audit_log.forTenant('operator').sign,
  ...(disturb && { disturb }),
})
const sweep = (parts = partsWith()) => sweepDissolutions(store.engine, testTick(now), parts)

async function seal(tenant_id: string) {
  const [id, correlation_id, { did: caller_did }] = [randomUUID(), randomUUID(), partyOf(tenant_id)]
  const order = { id, correlation_id, timestamp: at, tenant_id, caller_did, meta: {} }
  return await audit_log.forTenant(tenant_id).seal(order)
}

const stateOf = (id: string) =>
  asOwner(database.url, async (client) => {
    const { rows } = await client.query('SELECT state, blocked FROM dissolutions WHERE dissolution_id = $1', [
      id,
    ])
    return rows[0] as { state: string; blocked: { step: string; reason: string } | null }
  })

class Crash extends Error {}

/** Runs concurrent sweeps until nothing is left to do; each crash happens once, at its own place. */
async function surviveCrashes(id: string, tenant_id: string, places: Set<string>): Promise<void> {
  const disturb = (step: Step, moment: string) => {
    if (places.delete(`${step}/${moment}`)) throw new Crash(`killed ${moment} ${step}`)
  }
  for (let round = 0; round < 60; round++) {
    await Promise.allSettled([sweep(partsWith(disturb)), sweep(partsWith(disturb))])
    const { state, blocked } = await stateOf(id)
    if (state === 'READY_TO_SEAL' && blocked === null) await seal(tenant_id)
    if (state === 'ARCHIVED') return
  }
  assert.fail(`it stopped as ${JSON.stringify(await stateOf(id))}, with ${[...places]} to come`)
}

async function windUpThroughCrashes(tenant_id: string, places: Set<string>): Promise<void> {
  const [owner, clerk] = [await found(tenant_id), { tenant_id, did: newIdentity(tenant_id, 'agent').did }]
  await give(owner, 70n)
  await give(clerk, 31n)
  const contract_id = await owe(owner, partyOf('bank'), 40n)
  const before = { bank: await balanceIn('bank'), heir: await balanceIn('heir'), kin: await balanceIn('kin') }
  const id = await dissolve(tenant_id)
  await surviveCrashes(id, tenant_id, places)
  assert.deepEqual(
    [await balanceIn('bank'), await balanceIn('heir'), await balanceIn('kin')],
    [before.bank + 40n, before.heir + 31n, before.kin + 30n],
  )
  await asOwner(database.url, async (client) => {
    const done = await client.query('SELECT step FROM dissolution_steps WHERE dissolution_id = $1', [id])
    assert.deepEqual(new Set(done.rows.map(({ step }) => step)), new Set(steps))
    const posted = await client.query('SELECT FROM ledger_journals WHERE ref = $1', [`mausoleum://${id}`])
    assert.equal(posted.rowCount, 1)
    const paid = await client.query('SELECT FROM settlements WHERE contract_id = $1', [contract_id])
    assert.equal(paid.rowCount, 1)
    const left = await client.query('SELECT FROM ledger_balances WHERE tenant_id = $1 AND balance <> 0', [
      tenant_id,
    ])
    assert.equal(left.rowCount, 0)
  })
}

test('invariant 22: each step is done once, in order, despite a crash in it or after it', async () => {
  const everywhere = steps.flatMap((step) => [`${step}/within`, `${step}/after`])
  await windUpThroughCrashes('crashing', new Set(everywhere.filter((place) => !place.startsWith('seal'))))
  if (!is_long) return
  const chance = openChance()
  for (let n = 0; n < 30; n++)
    await windUpThroughCrashes(`crashing-${n}`, new Set(everywhere.filter(() => chance.below(2) === 0)))
})

test('nothing is appended or paid after the seal, and nothing is sealed before it is ready', async () => {
  const owner = await found('closing')
  await give(owner, 5n)
  await assert.rejects(seal('closing'), /not wound up/)
  const id = await dissolve('closing')
  await assert.rejects(seal('closing'), /not wound up/)
  await sweep()
  await give(owner, 8n)
  await assert.rejects(seal('closing'), /still has something/)
  const heir = await balanceIn('heir')
  await sweep()
  assert.equal(await balanceIn('heir'), heir + 4n)
  await seal('closing')
  await assert.rejects(give(owner, 1n), {
    details: { reason: 'organization sealed', denying_policy: 'MAUSOLEUM' },
  })
  await sweep()
  assert.equal((await stateOf(id)).state, 'ARCHIVED')
  await asOwner(database.url, async (client) => {
    const { rows } = await client.query(`SELECT standing FROM tenants WHERE tenant_id = 'closing'`)
    assert.deepEqual(rows, [{ standing: 'sealed' }])
    const copy = `INSERT INTO audit_tail SELECT tenant_id, first_seq + 1, last_seq + 1, before_hash, hashes, from_at,
      to_at, format, bytes FROM audit_tail WHERE tenant_id = 'closing' ORDER BY last_seq DESC LIMIT 1`
    await assert.rejects(client.query(copy), /sealed and takes no append/)
  })
})

test('if funds are short, all of a rank lose proportionally, and the rest of their claims ends', async () => {
  const owner = await found('broke')
  await give(owner, 10n)
  const contracts = [await owe(owner, partyOf('bank'), 30n), await owe(owner, partyOf('shop'), 10n)]
  const [bank, shop, heir] = [await balanceIn('bank'), await balanceIn('shop'), await balanceIn('heir')]
  await dissolve('broke')
  await sweep()
  const paid = [(await balanceIn('bank')) - bank, (await balanceIn('shop')) - shop]
  assert.deepEqual([paid[0]! + paid[1]!, await balanceIn('heir')], [10n, heir])
  assert.ok(paid[0]! >= 7n && paid[0]! <= 8n, `${paid}`)
  const { rows } = await asOwner(database.url, (client) =>
    client.query(
      'SELECT DISTINCT c.state, ended FROM contracts c JOIN obligations USING (contract_id) WHERE contract_id = ANY($1)',
      [contracts],
    ),
  )
  assert.deepEqual(rows, [{ state: 'FINAL', ended: 'WAIVED' }])
  await seal('broke')
})

test('debts of others block the dissolution until they are paid', async () => {
  const owner = await found('owed')
  await owe(partyOf('bank'), owner, 3n)
  const id = await dissolve('owed')
  await sweep()
  const { state, blocked } = await stateOf(id)
  assert.deepEqual([state, blocked?.step], ['TRANSFERRING', 'obligations'])
  assert.match(blocked!.reason, /other organizations still owe it made:\/\/contract/)
})
