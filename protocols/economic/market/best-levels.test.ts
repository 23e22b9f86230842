// Whoever applies what is shown has the best levels, whatever happens, and undoing leads back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BestLevels, type Level, type ShownChange, type StoredSide } from './best-levels.ts'
import type { LevelChange } from './book-levels.ts'
import type { Side } from './order-matching.ts'

const sides = ['buy', 'sell'] as const
type Quantities = Record<Side, Map<bigint, bigint>>

function sorted(side: Side, quantities: Map<bigint, bigint>): Level[] {
  return [...quantities]
    .sort(([a], [b]) => Number(side === 'buy' ? b - a : a - b))
    .map(([price, quantity]) => ({ price, quantity, orders: 1 }))
}

function storedOf(side: Side, quantities: Map<bigint, bigint>, levels_max: number): StoredSide {
  const levels = sorted(side, quantities)
  return { levels: levels.slice(0, levels_max), is_whole: levels.length < levels_max }
}

function follow(client: Quantities, shown: readonly ShownChange[]): void {
  for (const { side, price, quantity } of shown)
    if (quantity === 0n) client[side].delete(price)
    else client[side].set(price, quantity)
}

const step = fc.record({
  side: fc.constantFrom(...sides),
  price: fc.bigInt(1n, 12n),
  quantity: fc.bigInt(1n, 5n),
  adds: fc.boolean(),
})

test('a client that sets what it is shown has the best levels, and undoing all leads back', () => {
  const history = fc.array(step, { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 4 }), (steps, depth) => {
      const levels_max = depth + 4
      const truth: Quantities = { buy: new Map(), sell: new Map() }
      const best = new BestLevels(depth, levels_max, {
        buy: storedOf('buy', truth.buy, levels_max),
        sell: storedOf('sell', truth.sell, levels_max),
      })
      const client: Quantities = { buy: new Map(), sell: new Map() }
      const done: LevelChange[] = []
      for (const { side, price, quantity, adds } of steps) {
        const old = truth[side].get(price) ?? 0n
        // One order at each level: it comes, changes or goes.
        const now = adds ? old + quantity : 0n
        if (old === now) continue
        const orders = (now > 0n ? 1 : 0) - (old > 0n ? 1 : 0)
        const change = { side, price, quantity: now - old, orders }
        if (now > 0n) truth[side].set(price, now)
        else truth[side].delete(price)
        const shown = best.apply([change])
        if (!best.is_enough) return
        done.push(change)
        follow(client, shown)
        for (const each of sides) {
          assert.deepEqual(best.best(each), sorted(each, truth[each]).slice(0, depth))
          assert.deepEqual(sorted(each, client[each]), sorted(each, truth[each]).slice(0, depth))
        }
      }
      for (const change of done.reverse()) best.undo([change])
      assert.deepEqual([best.best('buy'), best.best('sell')], [[], []])
    }),
    { numRuns: 300 },
  )
})

test('what is worse than all that is known is left out, and too few known levels are not enough', () => {
  const levels = [100n, 101n, 102n].map((price) => ({ price, quantity: 1n, orders: 1 }))
  const whole = { levels: [], is_whole: true }
  const best = new BestLevels(2, 3, { buy: whole, sell: { levels, is_whole: false } })
  assert.deepEqual(best.apply([{ side: 'sell', price: 110n, quantity: 5n, orders: 1 }]), [])
  const gone = (price: bigint) => best.apply([{ side: 'sell', price, quantity: -1n, orders: -1 }])
  assert.deepEqual(gone(100n), [
    { side: 'sell', price: 100n, quantity: 0n, orders: 0 },
    { side: 'sell', price: 102n, quantity: 1n, orders: 1 },
  ])
  assert.equal(best.is_enough, true)
  gone(101n)
  assert.equal(best.is_enough, false)
})
