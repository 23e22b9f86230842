import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanOf } from '../../parts/time-range.ts'
import { figuresOf } from './history.ts'

const now_ms = Date.parse('2026-11-18T12:00:30Z')
const span = spanOf('1h', now_ms)
const totals = (calls: number, refused = 0, failed = 0) => ({
  calls,
  refused,
  failed,
  spend_usd: '0.700000',
  p50_ms: 3,
  p95_ms: 9,
  p99_ms: 12,
})
const group = (name: string, total: ReturnType<typeof totals>) => ({ name, total, before: null, points: [] })
const history = {
  from: new Date(span.from_ms).toISOString(),
  to: new Date(span.to_ms).toISOString(),
  step_ms: 60_000,
  resolution_ms: 60_000,
  partial: false,
  total: totals(702, 1, 1),
  before: null,
  points: [{ at: new Date(span.from_ms + 20 * 60_000).toISOString(), ...totals(702, 1, 1) }],
  groups: [group('MIND', totals(702, 1, 1))],
}

test('calls of the last hour are shown long after they were made, each in its window', () => {
  const by_reason = {
    groups: [group('ok', totals(700)), group('no_grant', totals(1, 1)), group('', totals(1, 0, 1))],
  }
  const figures = figuresOf(span, history, by_reason)
  assert.equal(figures.steps.length, 60)
  assert.deepEqual(figures.steps[20], {
    at_ms: span.from_ms + 20 * 60_000,
    success: 700,
    refused: 1,
    error: 1,
    usd: 0.7,
  })
  assert.equal(
    figures.steps.reduce((sum, { success }) => sum + success, 0),
    700,
  )
  assert.deepEqual(figures.reasons, [
    { name: 'no_grant', value: 1 },
    { name: 'other', value: 1 },
  ])
  assert.equal(figures.protocols[0]?.total.calls, 702)
})

test('every range is made of whole windows, and ends after now', () => {
  for (const word of ['1h', '24h', '7d', '30d'] as const) {
    const { from_ms, to_ms } = spanOf(word, now_ms)
    assert.ok(to_ms >= now_ms && from_ms < now_ms)
    assert.equal(from_ms % 300_000 === 0 || word === '1h', true)
  }
})
