import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lists, openMatters } from './open-matters.ts'

const nothing: Lists = { motions: [], treaties: [], cases: [], runs: [] }
const treaty = { treaty_id: 't', kind: 'treaty', partner: 'globex', sign_by: '2026-03-01T00:00:00Z' }
const suit = {
  case_id: 'c',
  claimant: { tenant_id: 'globex' },
  respondent: { tenant_id: 'acme' },
  plead_by: '2026-02-01T00:00:00Z',
  rule_by: '2026-04-01T00:00:00Z',
}

test('what waits for the organization is listed with what to do, the most urgent first', () => {
  const lists = {
    motions: [{ motion_id: 'm', title: 'Move', state: 'OPEN', deadline_at: '2026-05-01T00:00:00Z' }],
    treaties: [{ ...treaty, state: 'PROPOSED', missing: ['acme', 'globex'] }],
    cases: [{ ...suit, state: 'FILED', roles: ['respondent'] }],
    runs: [{ run_ref: 'moon://run/1', name: 'report', version: '1.0.0', waiting_on: 'gate' }],
  } as unknown as Lists
  assert.deepEqual(
    openMatters(lists, 'acme').map(({ kind, asks }) => `${kind}: ${asks}`),
    ['case: Answer', 'treaty: Sign', 'motion: Vote', 'workflow: Decide at its gate'],
  )
})

test('what waits for others, or has ended, is not', () => {
  const lists = {
    motions: [{ motion_id: 'm', title: 'Move', state: 'TALLIED' }],
    treaties: [
      { ...treaty, state: 'PARTIALLY_SIGNED', missing: ['globex'] },
      { ...treaty, state: 'WITHDRAWN', missing: ['acme'] },
    ],
    cases: [
      { ...suit, state: 'FILED', roles: ['claimant'] },
      { ...suit, state: 'PLEADED', roles: ['respondent', 'venue'] },
    ],
    runs: [{ run_ref: 'moon://run/1', waiting_on: 'timer' }],
  } as unknown as Lists
  assert.deepEqual(openMatters(lists, 'acme'), [])
  assert.deepEqual(openMatters(nothing, 'acme'), [])
})
