import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recent } from './recent.ts'

test('frequently used entries survive', () => {
  const cache = recent<number>(10)
  cache.set('kept', 1)
  for (let i = 0; i < 1000; i++) {
    cache.set(`other ${i}`, i)
    assert.equal(cache.get('kept'), 1)
  }
  assert.equal(cache.get('other 0'), undefined)
  assert.ok(cache.size <= 10)
})

test('an overwritten key has its new value, even once the old one has aged', () => {
  const cache = recent<number>(4)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('c', 3)
  cache.set('a', 4)
  assert.equal(cache.get('a'), 4)
  cache.delete('a')
  assert.equal(cache.get('a'), undefined)
})

const step = fc.record({
  what: fc.constantFrom('get', 'set', 'set', 'delete', 'clear'),
  key: fc.nat(12).map(String),
})

test('it returns only the last written value, stays within its capacity, and keeps the newest half', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 8 }), fc.array(step, { maxLength: 80 }), (capacity, steps) => {
      const cache = recent<number>(capacity)
      const written = new Map<string, number>()
      /** Includes deleted entries: they may already have evicted an older one. */
      let used: string[] = []
      for (const [i, { what, key }] of steps.entries()) {
        if (what === 'set') {
          cache.set(key, i)
          written.set(key, i)
        } else if (what === 'delete') {
          cache.delete(key)
          written.delete(key)
        } else if (what === 'clear' && i % 5 === 0) {
          cache.clear()
          written.clear()
          used = []
        }
        const value = cache.get(key)
        assert.ok(value === undefined || value === written.get(key))
        if (value !== undefined) used = [...used.filter((name) => name !== key), key]
        assert.ok(cache.size <= capacity, `${cache.size} of ${capacity}`)
      }
      for (const key of used.slice(-Math.floor(capacity / 2)))
        assert.equal(cache.get(key), written.get(key), key)
    }),
    { numRuns: 500 },
  )
})
