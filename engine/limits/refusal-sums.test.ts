import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import type { Source } from '../ports.ts'
import { refusalSums, type SumsOptions } from './refusal-sums.ts'

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

/** What a failed write puts back is put back in a later turn. */
const writesEnded = async () => {
  for (let turn = 0; turn < 10; turn++) await undefined
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
    // By the id in the answer the first is found at once, even after a crash, and so is the count it went into.
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

test('after a quiet window the next one is recorded at once again, and nothing is remembered', async () => {
  const { clock, sums, refused, counts } = open()
  for (let n = 0; n < 2; n++) sums.take(refused(), stranger)
  for (let n = 0; n < 2; n++) {
    clock.advance(1_000)
    sums.settle()
    await writesEnded()
  }
  sums.take(refused(), stranger)
  assert.deepEqual(counts(), [1, 1, 1])
})

test('an expired window is settled by the next refusal, even if nothing else settled it', () => {
  const { clock, sums, refused, counts } = open()
  for (let n = 0; n < 5; n++) sums.take(refused(), stranger)
  clock.advance(1_000)
  sums.take(refused(), stranger)
  assert.deepEqual(counts(), [1, 4])
})

test('a known caller has ten of a window recorded singly, whatever their kind, and the first of each', () => {
  const { clock, sums, refused, recorded, counts } = open()
  for (let n = 0; n < 15; n++) sums.take(refused(), key)
  assert.equal(recorded.length, 10)
  for (let n = 0; n < 15; n++) sums.take(refused({ reason: 'another' }), key)
  for (let n = 0; n < 15; n++) sums.take(refused(), { ...key, about: 'MIND' })
  assert.equal(recorded.length, 12)
  sums.take(refused(), { kind: 'known', id: 'hgfedcba' })
  assert.equal(recorded.length, 13)
  clock.advance(1_000)
  sums.settle()
  assert.deepEqual(counts().slice(13), [5, 14, 14])
})

test('a count states only what all it counts have in common', () => {
  const { clock, sums, refused, recorded } = open()
  for (let n = 0; n < 12; n++) {
    const entry = { ...refused({ version: 'v1', retry_after_ms: n, supplied: { n } }), protocol: 'MIND' }
    sums.take({ ...entry, operation: `o${n}` }, key)
  }
  clock.advance(1_000)
  sums.settle()
  const { protocol, operation, meta } = recorded.at(-1)!
  assert.deepEqual([protocol, operation, meta.count], ['MIND', undefined, 2])
  assert.deepEqual([meta.version, meta.retry_after_ms, meta.supplied], ['v1', undefined, { n: 10 }])
})

test('sources beyond the limit share one row per log, and counts add up exactly', () => {
  const { clock, sums, refused, recorded, total } = open({ rows_max: 3 })
  for (let n = 0; n < 500; n++)
    sums.take(refused({ source: `s${n % 50}` }), { ...stranger, id: `s${n % 50}` })
  for (let n = 0; n < 500; n++) {
    const entry = { ...refused({ credential: `k${n % 50}` }), caller_did: `did:${n % 50}` }
    sums.take({ ...entry, tenant_id: n % 2 ? 'acme' : 'globex' }, { kind: 'known', id: `k${n % 50}` })
  }
  clock.advance(1_000)
  sums.settle()
  assert.equal(total(), 1_000)
  const others = recorded.filter(({ meta }) => meta.source === 'other sources')
  assert.deepEqual(
    others.map(({ tenant_id, meta }) => [tenant_id, meta.count]),
    [
      ['operator', undefined],
      ['acme', undefined],
      ['globex', undefined],
      ['acme', 239],
      ['globex', 229],
      ['operator', 469],
    ],
  )
  assert.deepEqual([others[3]!.caller_did, others[3]!.meta.credential], ['other sources', undefined])
  assert.equal(recorded.length, 2 * 3 + 2 + 3 * 10 + 2 * 2)
})

test('while the log is full everything is counted until there is space', () => {
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

test('a count that could not be written is told again, with what was counted since, under the same correlation id', async () => {
  let is_broken = true
  const recorded: AuditEntry[] = []
  const { clock, sums, refused } = open({
    record: (entry) => {
      if (!is_broken) recorded.push(entry)
    },
    written: async () => {
      if (is_broken) throw new Error('read-only file system')
    },
  })
  const answered = new Set<string>()
  for (let second = 0; second < 5; second++) {
    for (let n = 0; n < 3; n++) answered.add(sums.take(refused(), stranger).correlation_id)
    clock.advance(1_000)
    sums.settle()
    await writesEnded()
  }
  assert.equal(answered.size, 1)
  is_broken = false
  for (let second = 0; second < 3; second++) {
    clock.advance(1_000)
    sums.settle()
    await writesEnded()
  }
  // The first was recorded singly: its own answer fails with the write.
  assert.deepEqual(
    recorded.map(({ correlation_id, meta }) => [correlation_id, meta.count]),
    [[[...answered][0], 14]],
  )
})

test('every count is recorded before shutdown', () => {
  const { sums, refused, counts } = open()
  for (let n = 0; n < 7; n++) sums.take(refused(), stranger)
  sums.close()
  assert.deepEqual(counts(), [1, 6])
})
