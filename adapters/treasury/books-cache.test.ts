import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Books, empty_books } from '@svc/contract/money/books'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { booksCache } from './books-cache.ts'

const paid = (paid_in_micro_usd: bigint): Books => ({ ...empty_books, paid_in_micro_usd })

/** Books that are read on the test's command. */
function openCache() {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const reads: { tenant_id: string; answer(books: Books): void; fail(error: Error): void }[] = []
  const cache = booksCache((tenant_id) => {
    const { promise, resolve, reject } = Promise.withResolvers<Books>()
    reads.push({ tenant_id, answer: resolve, fail: reject })
    return promise
  }, clock)
  return { cache, clock, reads }
}

test('concurrent callers share one read of the books, and then get a plain value', async () => {
  const { cache, reads } = openCache()
  const reads_of_books = [cache.of('acme'), cache.of('acme'), cache.of('rival')]
  assert.deepEqual(
    reads.map(({ tenant_id }) => tenant_id),
    ['acme', 'rival'],
  )
  reads[0]!.answer(paid(1n))
  reads[1]!.answer(paid(2n))
  assert.deepEqual(
    (await Promise.all(reads_of_books)).map((books) => books.paid_in_micro_usd),
    [1n, 1n, 2n],
  )
  assert.equal((cache.of('acme') as Books).paid_in_micro_usd, 1n)
  cache.forget('acme')
  assert.ok(cache.of('acme') instanceof Promise)
  assert.equal((cache.of('rival') as Books).paid_in_micro_usd, 2n)
})

test('possibly outdated books are read again in the background, and apply for a minute more while they cannot be read', async () => {
  const { cache, reads, clock } = openCache()
  const first = cache.of('acme')
  reads[0]!.answer(paid(1n))
  await first
  clock.advance(1)
  cache.doubtAll()
  assert.equal((cache.of('acme') as Books).paid_in_micro_usd, 1n)
  reads[1]!.fail(new Error('away'))
  await settled()
  clock.advance(59_999)
  cache.doubtAll()
  assert.equal((cache.of('acme') as Books).paid_in_micro_usd, 1n)
  reads[2]!.fail(new Error('away'))
  await settled()
  clock.advance(1)
  const refused = cache.of('acme')
  reads[3]!.fail(new Error('away'))
  await assert.rejects(async () => refused, {
    code: 'unavailable',
    details: { reason: 'budget unavailable', unavailable: 'budget', retry_after_ms: 1000 },
  })
  cache.of('acme')
  reads[4]!.answer(paid(2n))
  await settled()
  assert.equal((cache.of('acme') as Books).paid_in_micro_usd, 2n)
})

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a read that began before a change is neither cached nor used for later calls', async () => {
  const { cache, reads } = openCache()
  const before = cache.of('acme')
  cache.forget('acme')
  const after = cache.of('acme')
  assert.equal(reads.length, 2)
  reads[1]!.answer(paid(2n))
  assert.equal((await after).paid_in_micro_usd, 2n)
  reads[0]!.answer(paid(1n))
  assert.equal((await before).paid_in_micro_usd, 1n)
  assert.equal(
    (cache.of('acme') as Books).paid_in_micro_usd,
    2n,
    'the late answer of an older read is not cached',
  )
})

test('a failed read is reported to those who waited, and the next caller reads again', async () => {
  const { cache, reads, clock } = openCache()
  const failing = cache.of('acme')
  reads[0]!.fail(new Error('away'))
  await assert.rejects(async () => failing, { code: 'unavailable' })
  const again = cache.of('acme')
  reads[1]!.answer(paid(3n))
  await again
  clock.advance(60_000)
  assert.equal((cache.of('acme') as Books).paid_in_micro_usd, 3n)
  assert.equal(reads.length, 3, 'after a minute they are read again, even without a notification')
  reads[2]!.fail(new Error('away'))
  assert.equal(
    (cache.of('acme') as Books).paid_in_micro_usd,
    3n,
    'cached books apply while they cannot be read',
  )
})

test('a background read replaces the cached books', async () => {
  const { cache, reads, clock } = openCache()
  const first = cache.of('acme')
  reads[0]!.answer(paid(3n))
  await first
  clock.advance(60_000)
  cache.of('acme')
  reads[1]!.answer(paid(4n))
  await settled()
  assert.equal((cache.of('acme') as Books).paid_in_micro_usd, 4n)
})
