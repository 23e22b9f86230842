import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { beginReturn, isReturned, learnFrom, letThrough } from './return.ts'

/** The next turn of the event loop; setImmediate callbacks run in the order they were set. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('concurrent calls are counted before any of them is in flight', async () => {
  const back = beginReturn(0)
  const together = Array.from({ length: 500 }, () => letThrough(back, 0, 0))
  assert.equal(together.filter(Boolean).length, 4)
  await nextTurn()
  assert.equal(letThrough(back, 4, 0), false)
  await nextTurn()
  assert.equal(letThrough(back, 3, 0), true)
})

test('an admitted call that went elsewhere takes a slot only for its turn', async () => {
  const back = beginReturn(0)
  for (let i = 0; i < 4; i++) assert.ok(letThrough(back, 0, 0))
  assert.equal(letThrough(back, 0, 0), false)
  await nextTurn()
  assert.equal(letThrough(back, 0, 0), true)
})

test('the limit doubles with each round, halves with a failure, and never falls below the first', async () => {
  const back = beginReturn(0)
  for (const room of [4, 8, 16, 32]) {
    assert.equal(back.calls_at_once, room)
    await nextTurn()
    for (let i = 0; i < room; i++) assert.ok(letThrough(back, i, 0))
    assert.equal(letThrough(back, room, 0), false)
    for (let i = 0; i < room; i++) learnFrom(back, false)
  }
  for (const room of [32, 16, 8, 4, 4]) {
    learnFrom(back, true)
    assert.equal(back.calls_at_once, room)
  }
})

test('recovery ends when all are admitted, or when nobody was refused for a minute', () => {
  const back = beginReturn(0)
  assert.deepEqual([isReturned(back, 59_999), isReturned(back, 60_000)], [false, true])
  assert.equal(letThrough(back, 4, 50_000), false)
  assert.equal(isReturned(back, 60_000), false)
  for (let i = 0; i < 1_020; i++) learnFrom(back, false)
  assert.equal(isReturned(back, 50_000), true)
})

const event = fc.oneof(
  { weight: 6, arbitrary: fc.constant('arrive' as const) },
  { weight: 3, arbitrary: fc.constantFrom('succeed' as const, 'fail' as const) },
  { weight: 1, arbitrary: fc.constant('turn' as const) },
  { weight: 3, arbitrary: fc.constant('reach' as const) },
)

test('for any arrival, start and end of calls, never more are in flight than the limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 120, size: 'max' }), async (events) => {
      const back = beginReturn(0)
      // Admitted but not yet in flight, as between stages 5 and 7; all are in flight when the turn ends.
      let on_the_way = 0
      let in_flight = 0
      const reach = (calls: number) => {
        on_the_way -= calls
        in_flight += calls
      }
      for (const what of events) {
        if (what === 'arrive') {
          const expected = in_flight + on_the_way < back.calls_at_once
          assert.equal(letThrough(back, in_flight, 0), expected)
          if (expected) on_the_way++
        } else if (what === 'reach' && on_the_way > 0) reach(1)
        else if (what === 'turn') {
          reach(on_the_way)
          await nextTurn()
        } else if (in_flight > 0 && (what === 'succeed' || what === 'fail')) {
          in_flight--
          learnFrom(back, what === 'fail')
        }
      }
    }),
    { numRuns: 200 },
  )
})
