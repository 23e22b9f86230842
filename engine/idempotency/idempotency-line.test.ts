import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../ports.ts'
import { standInLine, type Wait } from './idempotency-line.ts'

const patient: Wait = async (_ms, settled) => void (await settled)
const hasty: Wait = async () => {}
const openLine = () => {
  const store = {} as Store
  return (wait: Wait, name = 'a') => standInLine<string>(store, name, 1, wait)
}
/** Whether its turn has come by now. */
async function isIn(turn: Promise<unknown>): Promise<boolean> {
  const not_yet = Symbol('not yet')
  await new Promise(setImmediate)
  return (await Promise.race([turn, Promise.resolve(not_yet)])) !== not_yet
}

test('first come, first served; each name has its own line', async () => {
  const stand = openLine()
  const first = (await stand(patient))!
  const [second, third] = [stand(patient), stand(patient)]
  assert.ok(await stand(hasty, 'b'))
  assert.deepEqual([await isIn(second), await isIn(third)], [false, false])
  first.left()
  assert.deepEqual([await isIn(second), await isIn(third)], [true, false])
  ;(await second)!.left()
  assert.ok(await isIn(third))
})

test('a result is passed to the next in line, past those that gave up, and to nobody later', async () => {
  const stand = openLine()
  const first = (await stand(patient))!
  assert.equal(first.handed, undefined)
  assert.equal(await stand(hasty), undefined)
  const third = stand(patient)
  first.left('it')
  assert.equal((await third)?.handed, 'it')
  ;(await third)!.left('it')
  assert.equal((await stand(patient))?.handed, undefined)
})

test('a waiter that gives up leaves the line, and lets nobody pass those before it', async () => {
  const stand = openLine()
  const first = (await stand(patient))!
  assert.equal(await stand(hasty), undefined)
  const third = stand(patient)
  assert.equal(await isIn(third), false)
  first.left()
  assert.ok(await isIn(third))
  ;(await third)!.left()
  assert.ok(await stand(hasty), 'the line is empty again')
})

test('a line has a maximum length, and two stores have separate lines', async () => {
  const [stand, elsewhere] = [openLine(), openLine()]
  const first = (await stand(patient))!
  const waiting = Array.from({ length: 199 }, () => stand(patient))
  assert.equal(await stand(patient), undefined)
  assert.ok(await elsewhere(hasty))
  first.left()
  for (const turn of waiting) (await turn)!.left()
  assert.ok(await stand(hasty))
})

test('the first has its turn without waiting', async () => {
  const never: Wait = () => assert.fail('it waited')
  assert.ok(await openLine()(never))
})

test('whoever comes while a later one has its turn waits for it', async () => {
  const stand = openLine()
  const first = (await stand(patient))!
  const second = stand(patient)
  first.left()
  const turn = (await second)!
  const third = stand(patient)
  assert.equal(await isIn(third), false)
  turn.left()
  assert.ok(await isIn(third))
})
