// The level changes that the log stores lead from one state of the order book to the next.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { levelsEnded, levelsOf, levelsPlaced, levelsReduced, storedLevels } from './book-levels.ts'

const order = {
  ...{ side: 'buy' as const, price: 100n, quantity: 10n, filled: 4n, directed_to: null },
  is_waiting: true,
}

test('an order takes from the other side, and what is left of it waits', () => {
  const taken = [
    { price: 99n, quantity: 1n, is_whole: true },
    { price: 99n, quantity: 2n, is_whole: true },
    { price: 100n, quantity: 1n, is_whole: false },
  ]
  assert.deepEqual(levelsPlaced(order, taken), [
    { side: 'sell', price: 99n, quantity: -3n, orders: -2 },
    { side: 'sell', price: 100n, quantity: -1n, orders: 0 },
    { side: 'buy', price: 100n, quantity: 6n, orders: 1 },
  ])
  assert.equal(levelsPlaced({ ...order, is_waiting: false }, taken).length, 2)
})

test('a replaced order leaves its level; back at the same level nothing came of it', () => {
  const replaced = { ...order, price: 90n }
  assert.deepEqual(levelsPlaced(order, [], replaced), [
    { side: 'buy', price: 90n, quantity: -6n, orders: -1 },
    { side: 'buy', price: 100n, quantity: 6n, orders: 1 },
  ])
  assert.deepEqual(levelsPlaced(order, [], order), [])
})

test('an end and a reduction take away what is open; quotes were never in the order book', () => {
  assert.deepEqual(levelsEnded(order), [{ side: 'buy', price: 100n, quantity: -6n, orders: -1 }])
  assert.deepEqual(levelsReduced(order, { ...order, quantity: 7n }), [
    { side: 'buy', price: 100n, quantity: -3n, orders: 0 },
  ])
  assert.deepEqual(levelsReduced(order, order), [])
  const quote = { ...order, directed_to: 'did:oas:x' }
  assert.deepEqual(
    [levelsEnded(quote), levelsReduced(quote, { ...quote, quantity: 7n }), levelsPlaced(quote, [])],
    [[], [], []],
  )
})

test('what is stored is read as it was', () => {
  const levels = levelsEnded(order)
  assert.deepEqual(levelsOf(JSON.parse(JSON.stringify(storedLevels(levels)))), levels)
})
