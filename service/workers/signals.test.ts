import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { arrives } from '../../checks/suite/eventually.ts'
import { stopOnSignals } from './signals.ts'

/** Exits are reported instead of done; the listeners are removed after the test. */
function watched(
  t: TestContext,
  stop: () => Promise<void>,
): { readonly exits: unknown[]; exited: Promise<void> } {
  const exits: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  t.mock.method(console, 'error', () => {})
  t.mock.method(process, 'exit', (code: unknown) => {
    exits.push(code)
    resolve()
  })
  const added = t.mock.method(process, 'on')
  stopOnSignals(stop)
  for (const {
    arguments: [signal, listener],
  } of added.mock.calls)
    t.after(() => process.off(signal as 'SIGTERM', listener))
  return { exits, exited: promise }
}

test('a signal exits with 0 once the engine has stopped, and with 1 if it could not', async (t) => {
  for (const [stop, code] of [
    [() => Promise.resolve(), 0],
    [() => Promise.reject(new Error('no')), 1],
  ] as const)
    await t.test(String(code), async (t) => {
      const { exits, exited } = watched(t, stop)
      process.emit('SIGTERM', 'SIGTERM')
      assert.deepEqual(exits, [], 'not before it has stopped')
      await arrives('the exit', exited)
      assert.deepEqual(exits, [code])
    })
})

test('a second signal exits at once, by the code of its signal', (t) => {
  const { exits } = watched(t, () => new Promise(() => {}))
  process.emit('SIGINT', 'SIGINT')
  assert.deepEqual(exits, [])
  process.emit('SIGTERM', 'SIGTERM')
  process.emit('SIGINT', 'SIGINT')
  assert.deepEqual(exits, [143, 130])
})
