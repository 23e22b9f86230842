import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '@svc/adapters/clock/manual'
import type { AuditEntry } from '@svc/contract/audit-record'
import { refusalSums, type Source, type SumsOptions } from './refusal-sums.ts'

function open(more: Partial<SumsOptions> = {}) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const recorded: AuditEntry[] = []
  const sums = refusalSums({ record: (entry) => void recorded.push(entry), clock, ...more })
  const refused = (meta: Record<string, unknown> = {}): AuditEntry => ({
    id: clock.uuid(),
    event_type: 'SecurityViolation',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: 'operator',
    caller_did: 'unauthenticated',
    outcome: 'refused',
    latency_ms: 0,
    meta: { code: 'unauthenticated', reason: 'no credential', ...meta },
  })
  const counts = () => recorded.map(({ meta }) => meta.count ?? 1)
  const total = () => recorded.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
  return { clock, recorded, sums, refused, counts, total }
}

const stranger: Source = { kind: 'unknown', id: '203.0.113.7' }
const key: Source = { kind: 'known', id: 'abcdefgh' }

test('of one source without credentials the first is recorded at once, the rest as one count a second', () => {
  const { clock, sums, refused, counts, recorded } = open()
  const first = refused()
  assert.deepEqual(sums.take(first, stranger), {
    correlation_id: first.correlation_id,
    record_id: first.id,
  })
  const second = refused()
  for (let n = 0; n < 499; n++) {
    const entry = n === 0 ? second : refused()
    // Whoever asks by the id in its answer finds the first at once, whatever dies meanwhile, and the count it went into.
    assert.deepEqual(sums.take(entry, stranger), { correlation_id: first.correlation_id, record_id: null })
  }
  assert.deepEqual(counts(), [1])
  clock.advance(1_000)
  sums.settle()
  assert.deepEqual(counts(), [1, 499])
  assert.deepEqual([recorded[1]?.id, recorded[1]?.meta.until], [second.id, second.timestamp])
  assert.equal(recorded[1]?.correlation_id, first.correlation_id)
  for (let n = 0; n < 30; n++) sums.take(refused(), stranger)
  assert.deepEqual(counts(), [1, 499], 'while the flood goes on nothing is recorded at once')
  clock.advance(1_000)
  sums.settle()
  assert.deepEqual(counts(), [1, 499, 30])
})

test('after a quiet window the next one is recorded at once again, and nothing is remembered', () => {
  const { clock, sums, refused, counts } = open()
  for (let n = 0; n < 2; n++) sums.take(refused(), stranger)
  for (let n = 0; n < 2; n++) {
    clock.advance(1_000)
    sums.settle()
  }
  sums.take(refused(), stranger)
  assert.deepEqual(counts(), [1, 1, 1])
})

test('a window that is over is settled by the next refusal, also where nobody came to settle it', () => {
  const { clock, sums, refused, counts } = open()
  for (let n = 0; n < 5; n++) sums.take(refused(), stranger)
  clock.advance(1_000)
  sums.take(refused(), stranger)
  assert.deepEqual(counts(), [1, 4])
})

test('a caller who is known has ten of a kind recorded one by one; other kinds and callers are counted apart', () => {
  const { sums, refused, recorded } = open()
  for (let n = 0; n < 15; n++) sums.take(refused(), key)
  assert.equal(recorded.length, 10)
  sums.take(refused({ reason: 'another' }), key)
  sums.take(refused(), { kind: 'known', id: 'hgfedcba' })
  assert.equal(recorded.length, 12)
})

test('sources beyond the bound share one row, and counts add up exactly', () => {
  const { clock, sums, refused, recorded, total } = open({ rows_max: 3 })
  for (let n = 0; n < 500; n++)
    sums.take(refused({ source: `s${n % 50}` }), { ...stranger, id: `s${n % 50}` })
  const known = 20
  for (let n = 0; n < known; n++) sums.take(refused({ reason: 'x' }), { kind: 'known', id: `k${n}` })
  clock.advance(1_000)
  sums.settle()
  assert.equal(total(), 500 + known)
  const others = recorded.filter(({ meta }) => meta.source === 'other sources')
  assert.deepEqual(
    others.map(({ meta }) => meta.count ?? 1),
    [1, 469],
  )
  assert.equal(recorded.length, 2 * 3 + 2 + known)
})

test('without room everything is counted and kept until there is some', () => {
  let room = false
  const { clock, sums, refused, counts } = open({ hasRoom: () => room })
  for (let n = 0; n < 3; n++) sums.take(refused(), stranger)
  clock.advance(5_000)
  sums.settle()
  sums.take(refused(), stranger)
  assert.deepEqual(counts(), [])
  room = true
  sums.settle()
  assert.deepEqual(counts(), [4])
})

test('before the end every count is recorded', () => {
  const { sums, refused, counts } = open()
  for (let n = 0; n < 7; n++) sums.take(refused(), stranger)
  sums.close()
  assert.deepEqual(counts(), [1, 6])
})
