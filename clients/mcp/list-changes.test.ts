import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listChanges } from './list-changes.ts'

const patience = { timeout: 180_000 }

/** A follower whose list the test sets. */
function follower(list = 'a') {
  const state = { list, told: 0, looks: 0 }
  const look = async () => {
    state.looks++
    return state.list
  }
  return { state, look, tell: () => void state.told++ }
}

test('only followers whose list changed are notified, once per change, and none that left', async (t) => {
  const changes = listChanges((fault) => assert.fail(String(fault)))
  const [one, other, gone] = [follower(), follower(), follower()]
  const [, , leave] = [one, other, gone].map(({ look, tell }) => changes.follow(look, tell))
  leave!()
  changes.changed()
  await t.waitFor(() => assert.equal(other.state.looks, 2), patience)
  one.state.list = 'b'
  gone.state.list = 'b'
  changes.changed()
  await t.waitFor(() => assert.equal(one.state.told, 1), patience)
  changes.changed()
  await t.waitFor(() => assert.equal(other.state.looks, 4), patience)
  assert.deepEqual([one.state.told, other.state.told, gone.state.told, gone.state.looks], [1, 0, 0, 1])
})

test('repeated signals cause one check at a time, and the last change is not missed', async (t) => {
  let [at_once, most] = [0, 0]
  const slow = follower()
  const changes = listChanges((fault) => assert.fail(String(fault)))
  changes.follow(async () => {
    most = Math.max(most, ++at_once)
    for (let turn = 0; turn < 10; turn++) await null
    at_once--
    return await slow.look()
  }, slow.tell)
  await t.waitFor(() => assert.equal(slow.state.looks, 1), patience)
  for (let i = 0; i < 100; i++) changes.changed()
  slow.state.list = 'last'
  changes.changed()
  await t.waitFor(() => assert.equal(slow.state.told, 1), patience)
  assert.equal(most, 1)
  assert.ok(slow.state.looks < 5, `${slow.state.looks} looks`)
})

test('a follower whose check fails does not stop others, and is notified once it works', async (t) => {
  const faults: unknown[] = []
  const changes = listChanges((fault) => faults.push(fault))
  const [broken, well] = [follower(), follower()]
  let is_away = true
  const look = async () => (is_away ? Promise.reject(new Error('away')) : broken.look())
  changes.follow(look, broken.tell)
  changes.follow(well.look, well.tell)
  well.state.list = 'b'
  changes.changed()
  await t.waitFor(() => assert.ok(faults.length === 2 && well.state.looks === 2), patience)
  is_away = false
  changes.changed()
  await t.waitFor(() => assert.equal(broken.state.told, 1), patience)
})

test('a follower that cannot be notified does not stop others, now or later', async (t) => {
  const faults: unknown[] = []
  const changes = listChanges((fault) => faults.push(fault))
  const [gone, well] = [follower(), follower()]
  changes.follow(gone.look, () => {
    throw new Error('gone')
  })
  changes.follow(well.look, well.tell)
  for (const [list, count] of [
    ['b', 1],
    ['c', 2],
  ] as const) {
    gone.state.list = well.state.list = list
    changes.changed()
    await t.waitFor(() => assert.equal(well.state.told, count), patience)
  }
  assert.equal(faults.length, 2)
})
