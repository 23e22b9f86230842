import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArguments } from './arguments.ts'

const options = {
  key: { type: 'string', multiple: true },
  json: { type: 'boolean', short: 'j' },
} as const
const read = (...args: string[]) => readArguments({ args, options, allowPositionals: true })

test('a value may begin with a dash, as one key in sixty-four does', () => {
  for (const value of ['-abc', '--a_b', '-', 'plain'])
    assert.deepEqual(read('--key', value, 'file', '-j').values, { __proto__: null, key: [value], json: true })
})

test('a flag is not a value', () => {
  for (const flag of ['-j', '--json', '--key=x']) assert.throws(() => read('--key', flag), /ambiguous/)
  assert.throws(() => read('--key'), /argument missing/)
})

test('what follows two dashes is not a flag', () => {
  assert.deepEqual(read('--', '--key', '-abc').positionals, ['--key', '-abc'])
})
