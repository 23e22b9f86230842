import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TreatyBody } from '@svc/contract/authority/treaty'
import type { StoredTreaty } from './treaty.ts'
import { asOf, treatyDetail, treatyItem } from './treaty-list.ts'

const did = (tenant: string) => `did:oas:${tenant}:agent:${'a'.repeat(64)}`
const at = (day: number) => new Date(Date.UTC(2026, 10, day))

const body: TreatyBody = {
  v: 1,
  parent: null,
  parties: ['acme', 'globex'].map((tenant) => ({ tenant, did: did(tenant) })),
  grants: [
    { to: 'acme', capability: 'svc.mind.*' },
    { to: 'globex', capability: 'svc.mars.*' },
    { to: 'globex', capability: 'svc.mail.*' },
  ],
  rate_limits: {},
  settlement: { rail: 'internal', currency: 'usd', clearing_fee_bps: 5 },
  dispute_resolution: { via: 'MOOT', venue: 'operator' },
  effective_from: at(1).toISOString(),
  expires_at: at(20).toISOString(),
  nonce: 'x',
}

const offer: StoredTreaty = {
  id: `sha256:${'1'.repeat(64)}`,
  body,
  root_id: `sha256:${'1'.repeat(64)}`,
  proposer_tenant: 'acme',
  proposed_by: did('acme'),
  proposed_at: at(1),
  sign_by: at(10),
  state: 'PROPOSED',
  activated_at: null,
  in_force_at: null,
  suspended: null,
  open_cases: [],
  ended_at: null,
  signatures: [],
}

test('each side sees the other as its partner, and the grants of each', () => {
  const [ours, theirs] = [treatyItem(offer, 'acme'), treatyItem(offer, 'globex')]
  assert.deepEqual([ours.partner, ours.grants_to_own, ours.grants_to_partner], ['globex', 1, 2])
  assert.deepEqual([theirs.partner, theirs.grants_to_own, theirs.grants_to_partner], ['acme', 2, 1])
  assert.deepEqual([ours.signed, ours.missing], [[], ['acme', 'globex']])
})

test('the state is the current one, even if it is not stored yet', () => {
  assert.equal(asOf(offer, at(9)).state, 'PROPOSED')
  const lapsed = treatyItem(asOf(offer, at(10)), 'acme')
  assert.deepEqual([lapsed.state, lapsed.ended_at], ['LAPSED', at(10).toISOString()])
})

test('a treaty has the same state in the list of its versions', () => {
  const words = { reason: null, ended_by: null, end_reason: null }
  const line = [{ id: offer.id, parent: null, state: offer.state, proposed_at: at(1) }]
  const lapsed = asOf(offer, at(10))
  const { line: versions } = treatyDetail(lapsed, { tenant_id: 'acme', before: undefined, line, words })
  assert.deepEqual(
    versions.map(({ state }) => state),
    ['LAPSED'],
  )
})

test('the reason of a termination is visible only to the side that gave it', () => {
  const words = { reason: null, ended_by: did('globex'), end_reason: 'They would not say.' }
  const detailFor = (tenant_id: string) =>
    treatyDetail(offer, { tenant_id, before: undefined, line: [], words })
  assert.equal(detailFor('globex').end_reason, words.end_reason)
  assert.deepEqual([detailFor('acme').end_reason, detailFor('acme').ended_by], [undefined, words.ended_by])
  const dissolved = { ...words, ended_by: 'mausoleum://5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10' }
  const around = { before: undefined, line: [], words: dissolved }
  for (const tenant_id of ['acme', 'globex'])
    assert.equal(treatyDetail(offer, { ...around, tenant_id }).end_reason, undefined)
})

test('an amendment is shown with the terms before it and its changes', () => {
  const after = { ...body, parent: offer.id, rate_limits: { per_hour: 3 }, nonce: 'y' }
  const words = { reason: 'Less.', ended_by: null, end_reason: null }
  const around = { tenant_id: 'acme', before: body, line: [], words }
  const { amendment, reason } = treatyDetail({ ...offer, body: after }, around)
  assert.deepEqual([amendment?.before, amendment?.widening, reason], [body, false, 'Less.'])
  assert.deepEqual(amendment?.diff, [{ op: 'add', path: '/rate_limits/per_hour', value: 3 }])
})
