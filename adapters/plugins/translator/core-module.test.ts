import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import fc from 'fast-check'
import { readCoreModule } from './core-module.ts'

const limits = { max: undefined, is_64: false, is_shared: false }

async function read(fields: string) {
  return readCoreModule(await parse(`(module ${fields})`))
}

test('memories and tables are read with their limits, imported and own', async () => {
  assert.deepEqual(await read('(memory 3) (table 7 9 funcref)'), {
    memories: [{ ...limits, min: 3 }],
    tables: [{ ...limits, min: 7, max: 9 }],
    names: [],
  })
  const imported = await read(
    `(import "a" "f" (func)) (import "a" "g" (global (mut i64))) (import "a" "t" (tag)) (import "b" "m" (memory 65536))
     (import "b" "r" (table 1 (ref null func))) (import "b" "h" (global (ref null extern)))`,
  )
  assert.deepEqual(imported?.memories, [{ ...limits, min: 65_536 }])
  assert.deepEqual(imported?.tables, [{ ...limits, min: 1 }])
  assert.deepEqual(imported?.names, ['a', 'f', 'a', 'g', 'a', 't', 'b', 'm', 'b', 'r', 'b', 'h'])
})

test('memory64, shared memory and several memories are detected', async () => {
  assert.deepEqual((await read('(memory i64 1)'))?.memories[0], { ...limits, min: 1, is_64: true })
  assert.deepEqual((await read('(memory 1 2 shared)'))?.memories[0], {
    min: 1,
    max: 2,
    is_64: false,
    is_shared: true,
  })
  assert.equal((await read('(memory 1) (memory 1) (memory 1)'))?.memories.length, 3)
})

test('names are read verbatim, of exports as well', async () => {
  const module = await read(`(func (export "it's")) (memory (export "\\0a\\e2\\80\\a8") 1)`)
  assert.deepEqual(module?.names, ["it's", '\n\u2028'])
})

test('an invalid or truncated module is undefined', async () => {
  const whole = await parse('(module (import "abc" "def" (func)) (memory 1) (func (export "name")))')
  for (const bytes of [
    new Uint8Array(),
    whole.subarray(0, 7),
    Uint8Array.of(0, 0x61, 0x73, 0x6d, 13, 0, 1, 0),
  ])
    assert.equal(readCoreModule(bytes), undefined)
  assert.equal(
    await read('(table 1 (ref func) (ref.func 0)) (func)'),
    undefined,
    'a table with an initializer',
  )
})

test('a section reads none of the bytes behind it', () => {
  const beginning = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  const [one_memory, none] = [
    [5, 3, 1, 0, 1],
    [5, 1, 0],
  ]
  assert.equal(readCoreModule(Uint8Array.from([...beginning, ...one_memory, ...none]))?.memories.length, 1)
  const claims_two = [5, 3, 2, 0, 1]
  assert.equal(readCoreModule(Uint8Array.from([...beginning, ...claims_two, ...none])), undefined)
})

test('no bytes make it throw', async () => {
  const whole = await parse('(module (import "abc" "def" (func)) (memory 1) (func (export "name")))')
  const beginning = [...whole.subarray(0, 8)]
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 256 }), fc.boolean(), (bytes, is_module) => {
      readCoreModule(Uint8Array.from(is_module ? [...beginning, ...bytes] : bytes))
    }),
    { numRuns: 2_000 },
  )
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      readCoreModule(whole.with(at, byte))
    }),
    { numRuns: 2_000 },
  )
})
