import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinearMachine } from './linear-machine.ts'

test('the copies of a repeated part test a character once', () => {
  let tests = 0
  const accepts = (code: number) => {
    tests++
    return code === 0x61
  }
  const machine = new LinearMachine({ repeated: { accepts }, least: 500, most: 500 }, 2_000)
  assert.equal(machine.test('a'.repeat(499)), false)
  assert.equal(tests, 499)
  assert.equal(machine.test('a'.repeat(500)), true)
})

test('a text of ever new characters is still matched', () => {
  const accepts = (code: number) => code % 2 === 0
  const machine = new LinearMachine({ repeated: { accepts }, least: 2, most: undefined }, 10)
  const odd = Array.from({ length: 3_000 }, (_, at) => String.fromCodePoint(0x4001 + 2 * at)).join('')
  assert.equal(machine.test(odd), false)
  assert.equal(machine.test(`${odd}\u4000${odd}`), false)
  assert.equal(machine.test(`${odd}\u4000\u4002`), true)
})

test('empty alternatives cost neither states nor ways, and repeating them is bounded', () => {
  const nothing = { sequence: [] }
  const accepts = (code: number) => code === 0x61
  const choice = Array.from({ length: 1_000 }, () => nothing)
  const empty = new LinearMachine({ repeated: { choice }, least: 5_000, most: 5_000 }, 100)
  assert.deepEqual([empty.weight, empty.test('')], [1, true])
  const some = { choice: [...choice, { accepts }] }
  assert.equal(new LinearMachine(some, 100).weight, 3)
  const many = { repeated: some, least: 30, most: 30 }
  assert.throws(() => new LinearMachine(many, 100), RangeError)
})
