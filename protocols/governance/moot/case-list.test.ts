import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Case } from '../cases/case.ts'
import { caseItem } from './case-list.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 10, 15, hour))
const party = (tenant_id: string, letter: string) => ({
  tenant_id,
  did: `did:oas:${tenant_id}:agent:${letter.repeat(64)}`,
})

const filed: Case = {
  case_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  claimant: party('acme', 'a'),
  respondent: party('acme', 'b'),
  venue: 'acme',
  filed_by: 'claimant',
  claim: 'He owes me.',
  evidence: [],
  correlations: [],
  contracts: [],
  requested: { kind: 'reverse_settlement', micro_usd: 5n, target: 'made://contract/x' },
  fee_micro_usd: 10_000_000n,
  treaty_id: null,
  appeal_of: null,
  panel: [],
  state: 'FILED',
  filed_at: at(0),
  served_at: null,
  plead_by: at(4),
  answered_at: null,
  rule_by: null,
  appeal_until: null,
  closed_at: null,
}

test('one organization may have all three roles, or one', () => {
  const rolesIn = (dispute: Case, tenant_id: string) =>
    caseItem(dispute, tenant_id, undefined, undefined).roles
  assert.deepEqual(rolesIn(filed, 'acme'), ['claimant', 'respondent', 'venue'])
  const apart = { ...filed, respondent: party('globex', 'b'), venue: 'operator' }
  assert.deepEqual(rolesIn(apart, 'globex'), ['respondent'])
  assert.deepEqual(rolesIn(apart, 'operator'), ['venue'])
})

test('a head contains neither the claim nor the target of the remedy', () => {
  const item = caseItem(filed, 'acme', undefined, undefined)
  assert.deepEqual(item.requested_remedy, {
    kind: 'reverse_settlement',
    amount_usd: '0.000005',
    amount_micro_usd: '5',
  })
  assert.doesNotMatch(JSON.stringify(item), /owes|contract/)
})
