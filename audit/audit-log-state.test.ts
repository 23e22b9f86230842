import assert from 'node:assert/strict'
import test from 'node:test'
import { AuditLogState, lag_ms_max } from './audit-log-state.ts'
import { SyncSchedule } from './journal/sync-schedule.ts'
import { CommitWaiters } from './writer/commit-waiters.ts'

const at = (offset: number, segment = 1) => ({ segment, offset })

test('the audit log is buffering while commits fail or lag, and normal again afterwards', () => {
  const state = new AuditLogState()
  const now = (now_ms: number) => state.of(now_ms, false, undefined)
  assert.equal(now(0), 'normal')
  state.failed('the database is down')
  assert.equal(now(0), 'buffering')
  state.recovered()
  assert.equal(now(0), 'normal')
  assert.equal(state.lastError(), 'the database is down')
  for (let second = 0; second < 100; second++) state.sample(at(second + 1), at(0), second * 1000)
  assert.equal(now(lag_ms_max), 'normal')
  assert.equal(now(lag_ms_max + 1), 'buffering')
  state.sample(at(200), at(100), 100_000)
  assert.equal(now(100_001), 'normal')
  assert.equal(now(100_001 + lag_ms_max), 'buffering')
})

test('too many bytes, a broken journal or a stopped writer is an overflow', () => {
  const state = new AuditLogState()
  assert.equal(state.of(0, true, undefined), 'overflow')
  assert.equal(state.of(0, false, 'ENOSPC'), 'overflow')
  state.stopped('damaged', false)
  assert.equal(state.fenced, false)
  assert.equal(state.of(0, false, undefined), 'overflow')
  state.stopped('fenced', true)
  assert.equal(state.fenced, true)
})

test('a waiter learns that its commit was reached, given up, or timed out', async () => {
  let hurried = 0
  const waiters = new CommitWaiters({ position: at(10), outbox_count: 0 }, (by) => {
    hurried += by
  })
  const mark = (offset: number, outbox_count = 0, segment = 1) => ({
    position: at(offset, segment),
    outbox_count,
  })
  assert.equal(await waiters.until(mark(10), 60_000), true)
  const outcomes = [
    waiters.until(mark(20), 60_000),
    waiters.until(mark(5, 3), 60_000),
    waiters.until(mark(0, 0, 2), 60_000),
  ]
  assert.equal(hurried, 3)
  waiters.reach({ position: at(20) })
  waiters.reach({ position: at(4), outbox_count: 3 })
  assert.deepEqual(waiters.reached, mark(20, 3))
  assert.deepEqual(await Promise.all(outcomes.slice(0, 2)), [true, true])
  waiters.reach({ outbox_count: 1 })
  assert.equal(waiters.reached.outbox_count, 3)
  waiters.giveUp()
  assert.equal(await outcomes[2], false)
  assert.equal(await waiters.until(mark(99), 60_000), false)
  assert.equal(hurried, 0)
})

test('syncs are shared: requests during one wait for the next, and get its error', async () => {
  let running = Promise.withResolvers<void>()
  let syncs = 0
  const failures: string[] = []
  const sync = () => {
    syncs++
    return running.promise
  }
  const schedule = new SyncSchedule('always', sync, (error) => failures.push(error.message))
  const first = schedule.secure()
  await Promise.resolve()
  const later = [schedule.secure(), schedule.secure()]
  assert.equal(later[0], later[1])
  assert.notEqual(first, later[0])
  running.resolve()
  running = Promise.withResolvers<void>()
  await first
  running.reject(new Error('EIO'))
  await assert.rejects(Promise.all(later), /EIO/)
  assert.equal(syncs, 2)
  assert.deepEqual(failures, ['EIO'])
  assert.equal(
    new SyncSchedule(
      'interval',
      async () => {},
      () => {},
    ).secure(),
    undefined,
  )
})

test('why the writer stopped is told, whatever fails afterwards', () => {
  const state = new AuditLogState()
  state.failed('the database is slow')
  assert.equal(state.lastError('the disk is full'), 'the disk is full')
  assert.equal(state.lastError(), 'the database is slow')
  state.stopped('restore segment 1', false)
  state.failed('EIO: fsync')
  assert.deepEqual(
    [state.lastError(), state.lastError('the disk is full')],
    Array(2).fill('restore segment 1'),
  )
})
