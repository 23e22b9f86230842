import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recent } from './recent.ts'

test('past its capacity it forgets what was used least recently', () => {
  const cache = recent<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3)
  assert.equal(cache.get('b'), undefined)
  assert.equal(cache.get('a'), 1)
  assert.equal(cache.get('c'), 3)
})

test('writing a key again counts as using it and does not grow it', () => {
  const cache = recent<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [3, undefined, 4, 2])
})

const step = fc.record({ what: fc.constantFrom('get', 'set', 'delete', 'clear'), key: fc.nat(8).map(String) })

test('it is a list of the newest uses, whatever is done to it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
      const cache = recent<number>(capacity)
      let model: [string, number][] = []
      for (const [i, { what, key }] of steps.entries()) {
        const held = model.find(([name]) => name === key)
        const others = model.filter(([name]) => name !== key)
        if (what === 'get') {
          assert.equal(cache.get(key), held?.[1])
          if (held) model = [...others, held]
        } else if (what === 'set') {
          cache.set(key, i)
          model = [...others, [key, i] as [string, number]].slice(-capacity)
        } else if (what === 'delete') {
          cache.delete(key)
          model = others
        } else if (i % 7 === 0) {
          cache.clear()
          model = []
        }
        assert.equal(cache.size, model.length)
      }
      for (const [key, value] of model) assert.equal(cache.get(key), value)
    }),
  )
})
