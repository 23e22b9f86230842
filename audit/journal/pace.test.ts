import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paced, pauseMs } from './pace.ts'

const mib = 1024 * 1024

test('answers wait longer the more waits for the writer, and never long', () => {
  assert.deepEqual(
    [0, 32, 33, 48, 64, 160, 1024, 100_000].map((pending_mib) => pauseMs(pending_mib * mib)),
    [0, 0, 1, 1, 2, 8, 50, 50],
  )
})

test('without a backlog an answer waits for the disk only, if at all', () => {
  const synced = Promise.resolve()
  assert.equal(paced(synced, 32 * mib), synced)
  assert.equal(paced(undefined, 0), undefined)
})

test('a paced answer still fails where its record could not be secured', async () => {
  const answer = paced(Promise.reject(new Error('the disk is full')), 33 * mib)
  await assert.rejects(answer!, /the disk is full/)
})
