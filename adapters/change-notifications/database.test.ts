import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Client } from 'pg'
import { openTestStore } from '../../checks/rehearsal/test-store.ts'
import { changes_channel } from '../access/api-keys.ts'
import { databaseChanges } from './database.ts'

test('a listener hears of changes meanwhile, once, and nobody else does', async () => {
  const change_notifications = databaseChanges(undefined)
  const [mine, others] = [change_notifications.listen('a'), change_notifications.listen('b')]
  change_notifications.tell('a')
  assert.equal(await mine.heard(1000), true)
  assert.equal(await mine.heard(0), false)
  assert.equal(await others.heard(0), false)
  const waiting = mine.heard(60_000)
  change_notifications.tell('a')
  assert.equal(await waiting, true)
  mine.close()
  change_notifications.tell('a')
  assert.equal(await mine.heard(0), false)
})

test('a wait ends with its signal, and a gap in the feed wakes all listeners', async () => {
  const change_notifications = databaseChanges(undefined)
  const listening = change_notifications.listen('a')
  const ending = new AbortController()
  const waiting = listening.heard(60_000, ending.signal)
  ending.abort()
  assert.equal(await waiting, false)
  const again = listening.heard(60_000)
  change_notifications.arrivedAll()
  assert.equal(await again, true)
})

test('a wait leaves no listener on a signal that lives on', async () => {
  const change_notifications = databaseChanges(undefined)
  const listening = change_notifications.listen('a')
  const { signal } = new AbortController()
  for (let i = 0; i < 20; i++) {
    const waiting = listening.heard(60_000, signal)
    change_notifications.tell('a')
    await waiting
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('other engines are notified of every topic, however many there are at once', async (t) => {
  const { store, database, close } = await openTestStore()
  const other = new Client({ connectionString: database.url })
  t.after(async () => {
    await other.end()
    await close()
  })
  await other.connect()
  await other.query(`LISTEN ${changes_channel}`)
  const topics_expected = new Set(Array.from({ length: 2_500 }, (_, i) => `news:topic ${i}`))
  const all_heard = new Promise<void>((resolve) => {
    other.on('notification', ({ payload = '' }) => {
      if (topics_expected.delete(payload) && topics_expected.size === 0) resolve()
    })
  })
  const change_notifications = databaseChanges(store.engine)
  for (const topic of topics_expected) change_notifications.tell(topic.slice('news:'.length))
  await all_heard
  await change_notifications.close()
})
