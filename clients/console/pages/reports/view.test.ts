import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filtersText, hrefOf, scheduleText, stateOf, type View } from './view.ts'

const view: View = {
  name: 'refused',
  operation: 'MAX.audit_query',
  filters: { outcome: 'refused', event_type: ['Error'], limit: 1_000, before_seq: Number.MAX_SAFE_INTEGER },
  set_by: 'did:oas:acme:agent:1',
  set_at: '2026-11-18T10:00:00.000Z',
  has_file: false,
}

test('a schedule and filters read as a sentence', () => {
  assert.equal(filtersText(view), 'outcome: refused, event_type: Error')
  assert.equal(filtersText({ ...view, filters: { limit: 5 } }), 'none')
  const schedule = { every: 'weekly', at: '07:30', day: 2, time_zone: 'Europe/Berlin' } as const
  assert.equal(scheduleText({ ...view, schedule }), 'Weekly, Tuesday 07:30 Europe/Berlin')
  assert.equal(scheduleText({ ...view, schedule: { every: 'daily', at: '06:00' } }), 'Daily, 06:00 UTC')
  assert.equal(scheduleText(view), 'when you fetch it')
})

test('a run that failed is failed, also after one that worked', () => {
  const schedule = { every: 'daily', at: '06:00' } as const
  assert.equal(stateOf({ ...view, schedule }), 'scheduled')
  assert.equal(stateOf({ ...view, schedule, last_run_at: view.set_at }), 'done')
  assert.equal(
    stateOf({ ...view, schedule, last_run_at: view.set_at, last_failure: 'key revoked' }),
    'failed',
  )
})

test('a view opens on the page that shows it with its filters', () => {
  assert.equal(hrefOf({ ...view, page: 'requests' }), '#/requests?event_type=Error&outcome=refused')
  assert.equal(hrefOf(view), '#/audit-log/records?event_type=Error&outcome=refused')
  assert.equal(hrefOf({ ...view, operation: 'MOAT.list' }), undefined)
})
