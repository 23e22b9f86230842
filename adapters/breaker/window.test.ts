import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clearWindow, countIn, newWindow, slide } from './circuit.ts'

const ended = fc.record({
  after_ms: fc.oneof(fc.nat(900), fc.nat(20_000), fc.nat(90_000)),
  failed: fc.boolean(),
})

test('it holds all of the last 29 s, nothing older than 30 s, and exactly the seconds in between', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.array(ended, { maxLength: 200, size: 'max' }), (start_ms, ends) => {
      const window = newWindow(start_ms)
      const calls: { at_ms: number; failed: boolean }[] = []
      let now_ms = start_ms
      for (const { after_ms, failed } of ends) {
        now_ms += after_ms
        countIn(window, failed, now_ms)
        calls.push({ at_ms: now_ms, failed })
        const younger = (ms: number) => calls.filter(({ at_ms }) => now_ms - at_ms < ms)
        const failures = (of: typeof calls) => of.filter((one) => one.failed).length
        assert.ok(window.calls >= younger(29_000).length && window.calls <= younger(30_000).length)
        assert.ok(window.failures >= failures(younger(29_000)))
        assert.ok(window.failures <= failures(younger(30_000)) && window.failures <= window.calls)
      }
    }),
  )
})

test('a clock that goes back loses nothing, a leap empties it, and so does clearing', () => {
  const window = newWindow(50_000)
  countIn(window, true, 50_000)
  countIn(window, false, 10_000)
  assert.deepEqual([window.calls, window.failures], [2, 1])
  slide(window, 50_000 + 1e12)
  assert.deepEqual([window.calls, window.failures], [0, 0])
  countIn(window, true, 50_000 + 1e12)
  clearWindow(window)
  slide(window, 50_000 + 2e12)
  assert.deepEqual([window.calls, window.failures], [0, 0])
})
