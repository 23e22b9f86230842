// What a party puts aside for a reversal comes back once the settlement is final, whichever call notices that.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { didOfKey } from '@svc/contract/identity/did'
import { privateKeyOf, publicKeyOf, signText } from '@svc/contract/signing/signature'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { balanceOf, keepAsset, postJournal } from '../ledger/api.ts'
import { made } from './made.ts'

const keys = [1, 2].map((byte) => privateKeyOf(Buffer.alloc(32, byte)))
const [payer = '', payee = ''] = keys.map((key) =>
  didOfKey(test_tenant, 'agent', Buffer.from(publicKeyOf(key), 'base64url')),
)
const minute_ms = 60_000
let stage: Rehearsal

before(async () => {
  const custody = {
    publicKeyOf: async () => undefined,
    async sign(did: string, text: string | Uint8Array) {
      const key = keys[[payer, payee].indexOf(did)]!
      return { public_key: publicKeyOf(key), signature: signText(key, text) }
    },
    derive: async () => undefined,
    reserve: async () => '',
    reserved: async () => [],
    use: async () => {},
  }
  stage = await rehearse(made, { needs: { custody: () => custody } })
  const { engine } = stage.store
  const at = '2026-11-15T09:00:00.000Z'
  for (const [asset_id, finality_s] of [
    ['soon', 1_800],
    ['late', 7_200],
  ] as const) {
    const asset = { asset_id, kind: 'token', rail: 'internal', code: asset_id, decimals: 0 } as const
    const sizes = { finality_s, lot_size: 1n, tick_size: 1n, max_supply: null }
    await keepAsset(engine, { ...asset, ...sizes }, { tenant_id: test_tenant, did: payer, at })
    await postJournal(engine, {
      ...{ tenant_id: test_tenant, kind: 'test', ref: 'test', at },
      correlation_id: '00000000-0000-4000-8000-000000000000',
      entries: [
        { tenant_id: test_tenant, asset_id, type: 'issuance', amount: -100n },
        { tenant_id: test_tenant, did: payer, asset_id, type: 'available', amount: 100n },
      ],
    })
  }
})
after(() => stage.close())

test('a consent given again returns what lapsed of another settlement', async () => {
  const obligations = ['soon', 'late'].map((asset_id) => ({
    ...{ id: asset_id, from: 'proposer', asset_id, amount: '10' },
  }))
  const { contract_id } = await stage.run(
    'economic_contract_create',
    { counterparty_did: payee, obligations },
    { did: payer },
  )
  await stage.run('economic_contract_create', { contract_id }, { did: payee })
  const settlements: string[] = []
  for (const id of ['soon', 'late']) {
    const paid = await stage.run(
      'economic_contract_settle',
      { contract_id, obligation_ids: [id] },
      { did: payer },
    )
    settlements.push(paid.settlement_id)
  }
  const agree = (reverse: string) =>
    stage.run('economic_contract_settle', { contract_id, reverse }, { did: payee })
  for (const settlement_id of settlements) await agree(settlement_id)
  const account = (asset_id: string, type: 'available' | 'reserved') =>
    balanceOf(stage.store.engine, { tenant_id: test_tenant, did: payee, asset_id, type })
  assert.deepEqual([await account('soon', 'reserved'), await account('late', 'reserved')], [10n, 10n])
  stage.ports.clock.advance(31 * minute_ms)
  await agree(settlements[1]!)
  assert.deepEqual([await account('soon', 'reserved'), await account('soon', 'available')], [0n, 10n])
  assert.equal(await account('late', 'reserved'), 10n)
})
