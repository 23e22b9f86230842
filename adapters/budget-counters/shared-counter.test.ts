import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOwn } from './own-counter.ts'
import { isQuiet, openTold } from './shared-counter.ts'

test('a counter with possible double counting is kept until that was checked', () => {
  const counter = openTold(openOwn('acme', 'runway', 'usd', 'acme runway'), 'engine-1')
  assert.equal(isQuiet(counter), true)
  assert.equal(isQuiet({ ...counter, doubts: 1 }), false)
})
