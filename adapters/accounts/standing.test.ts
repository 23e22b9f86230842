import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { standing } from './standing.ts'

function open(load: (id: string) => Promise<string | undefined>) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  let loads = 0
  const cache = standing((id) => {
    loads++
    return load(id)
  }, clock)
  return { clock, kept: cache, asked: () => loads }
}

test('a known value is cached for a minute, an unknown one briefly', async () => {
  const { clock, kept, asked } = open(async (id) => (id === 'known' ? 'yes' : undefined))
  assert.equal(await kept.find('known'), 'yes')
  assert.equal(kept.find('known'), 'yes')
  await kept.find('unknown')
  assert.equal(kept.find('unknown'), undefined)
  assert.equal(asked(), 2)
  clock.advance(2_001)
  assert.ok(kept.find('unknown') instanceof Promise)
  assert.equal(kept.find('known'), 'yes')
  clock.advance(58_000)
  assert.ok(kept.find('known') instanceof Promise)
})

test('a forgotten value is loaded again, one or all', async () => {
  const { kept } = open(async (id) => id)
  await Promise.all(['a', 'b'].map((id) => kept.find(id)))
  kept.forget('a')
  assert.ok(kept.find('a') instanceof Promise)
  assert.equal(kept.find('b'), 'b')
  kept.forgetAll()
  assert.ok(kept.find('b') instanceof Promise)
})

test('a load that began before a change is not cached', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { kept, asked } = open(() => promise)
  const first = kept.find('a')
  kept.forget('a')
  resolve('old')
  assert.equal(await first, 'old')
  await kept.find('a')
  assert.equal(asked(), 2)
})
