import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lookWhileAwake, step_ms_max } from './awake-time.ts'

function holdUp(ms: number): void {
  const until_ms = performance.now() + ms
  while (performance.now() < until_ms);
}

test('time in which a process was blocked does not count as waiting', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const began_ms = performance.now()
  let awake_ms = 0
  let looks = 0
  lookWhileAwake((step_ms) => {
    awake_ms += step_ms
    if (++looks < 6) holdUp(4 * step_ms_max)
    else resolve()
    return looks < 6
  })
  await promise
  assert.ok(performance.now() - began_ms >= 5 * 4 * step_ms_max)
  assert.ok(awake_ms <= 6 * step_ms_max, `${awake_ms} ms`)
  assert.ok(awake_ms >= 5 * step_ms_max, `${awake_ms} ms`)
})

test('what arrived while it was busy is read before the check', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let has_come = false
  lookWhileAwake(() => {
    resolve(has_come)
    return false
  })
  setImmediate(() => {
    has_come = true
  })
  holdUp(2 * step_ms_max)
  assert.equal(await promise, true)
})
