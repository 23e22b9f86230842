import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { system_clock } from '../clock/system.ts'
import { lookWhileAwake, step_ms_max } from './awake-time.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Time passes only by its `pass`: as long as the process was blocked, then the timers that became due. */
function manualTime(t: TestContext) {
  let now_ms = 0
  t.mock.method(system_clock, 'monotonic_ms', () => now_ms)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return {
    pass(ms: number): Promise<unknown> {
      now_ms += ms
      t.mock.timers.tick(step_ms_max)
      return nextTurn()
    },
  }
}

test('time in which a process was blocked does not count as waiting', async (t) => {
  const time = manualTime(t)
  const steps_ms: number[] = []
  lookWhileAwake((step_ms) => steps_ms.push(step_ms) < 6)
  for (let look = 0; look < 8; look++) await time.pass(4 * step_ms_max)
  assert.deepEqual(steps_ms, Array(6).fill(step_ms_max))
})

test('what arrived while it was busy is read before the check', async (t) => {
  const time = manualTime(t)
  let has_come = false
  const looks: boolean[] = []
  lookWhileAwake(() => looks.push(has_come) < 1)
  setImmediate(() => {
    has_come = true
  })
  await time.pass(2 * step_ms_max)
  assert.deepEqual(looks, [true])
})
