import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseNews } from './database-news.ts'

test('who listens hears what is told meanwhile, once, and nobody else does', async () => {
  const news = databaseNews(undefined)
  const [mine, others] = [news.listen('a'), news.listen('b')]
  news.tell('a')
  assert.equal(await mine.heard(1000), true)
  assert.equal(await mine.heard(0), false)
  assert.equal(await others.heard(0), false)
  const waiting = mine.heard(60_000)
  news.tell('a')
  assert.equal(await waiting, true)
  mine.close()
  news.tell('a')
  assert.equal(await mine.heard(0), false)
})

test('a wait ends with its signal, and a gap in the feed wakes everybody', async () => {
  const news = databaseNews(undefined)
  const listening = news.listen('a')
  const ending = new AbortController()
  const waiting = listening.heard(60_000, ending.signal)
  ending.abort()
  assert.equal(await waiting, false)
  const again = listening.heard(60_000)
  news.arrivedAll()
  assert.equal(await again, true)
})
