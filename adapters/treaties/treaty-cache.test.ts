import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { testTreaty } from '../../checks/scenes/test-treaty.ts'
import { treatyCache } from './treaty-cache.ts'

const party = (tenant: string) => ({ tenant, did: `did:oas:${tenant}:agent:${'a'.repeat(64)}` })
const treaty = testTreaty([party('acme'), party('globex')], [{ to: 'acme', capability: 'svc.mind.*' }])

/** Treaties that are read on the test's command. */
function openCache() {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const reads: { answer(standing_treaties: StandingTreaty[]): void; fail(error: Error): void }[] = []
  const between = () => {
    const { promise, resolve, reject } = Promise.withResolvers<StandingTreaty[]>()
    reads.push({ answer: resolve, fail: reject })
    return promise
  }
  return { cache: treatyCache({ find: async () => treaty, between }, clock), clock, reads }
}

test('a pair is read once, whichever of the two calls, and is then a plain value', async () => {
  const { cache, reads } = openCache()
  const lookups = [cache.between('acme', 'globex'), cache.between('globex', 'acme')]
  assert.equal(reads.length, 1)
  reads[0]!.answer([treaty])
  assert.deepEqual(await Promise.all(lookups), [[treaty], [treaty]])
  assert.deepEqual(cache.between('globex', 'acme'), [treaty])
  assert.equal(await cache.find('acme', treaty.id), treaty)
})

test('a read that began before a change is neither cached nor used for later calls', async () => {
  const { cache, reads } = openCache()
  const before = cache.between('acme', 'globex')
  cache.forget('acme|globex')
  const after = cache.between('acme', 'globex')
  assert.equal(reads.length, 2)
  reads[1]!.answer([])
  assert.deepEqual(await after, [])
  reads[0]!.answer([treaty])
  assert.deepEqual(await before, [treaty])
  assert.deepEqual(cache.between('acme', 'globex'), [])
})

test('after missed changes, or a minute, nothing cached is used', async () => {
  const { cache, clock, reads } = openCache()
  const ask = async (standing_treaties: StandingTreaty[]) => {
    const lookup = cache.between('acme', 'globex')
    assert.ok(lookup instanceof Promise)
    reads.at(-1)!.answer(standing_treaties)
    return lookup
  }
  await ask([treaty])
  cache.forgetAll()
  assert.deepEqual(await ask([]), [])
  clock.advance(59_999)
  assert.deepEqual(cache.between('acme', 'globex'), [])
  clock.advance(1)
  assert.deepEqual(await ask([treaty]), [treaty])
})

test('while treaties cannot be read no cross-tenant call passes, and the next call reads again', async () => {
  const { cache, reads } = openCache()
  const lookup = cache.between('acme', 'globex') as Promise<unknown>
  reads[0]!.fail(new Error('gone'))
  await assert.rejects(lookup, {
    code: 'unavailable',
    details: { reason: 'treaties unavailable', unavailable: 'treaties', retry_after_ms: 1000 },
  })
  const again = cache.between('acme', 'globex')
  reads[1]!.answer([treaty])
  assert.deepEqual(await again, [treaty])
})
