import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signals } from './signals.ts'

const never_ms = 2 ** 30

test('a writer that waits for a fuller batch goes on as soon as somebody waits for it', async () => {
  const main = new Signals()
  const writer = new Signals(main.buffer)
  let is_over = false
  const waiting = writer.awaitHurry(never_ms).then(() => {
    is_over = true
  })
  main.publish({ segment: 1, offset: 9 })
  await new Promise(setImmediate)
  assert.equal(is_over, false, 'a record alone does not hurry it')
  main.changeHurry(1)
  await waiting
  await writer.awaitHurry(never_ms)
  main.changeHurry(-1)
  await writer.awaitHurry(1)
  assert.equal(writer.hurried(), false)
})
