import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runFiles } from './test-files.ts'

const imports = `import { executionAsyncId } from 'node:async_hooks'
import { after, before, beforeEach, describe, test } from 'node:test'
`
/** By fault: a file, and how many of its tests pass and fail. */
const cases: Readonly<Record<string, readonly [text: string, passed: number, failed: number]>> = {
  nothing: [`test('a', () => {}); test.skip('b', () => {})`, 1, 0],
  'nothing, within a suite': [
    `let ready; before(() => { ready = true }); describe('s', () => { beforeEach(() => { ready || no }); test('a', () => {}) })`,
    1,
    0,
  ],
  'nothing, and promises are not followed': [
    `test('a', async () => { await null; if (executionAsyncId() !== 0) throw new Error('no') })`,
    1,
    0,
  ],
  'an assertion': [`test('a', () => {}); test('b', () => { throw new Error('no') })`, 1, 1],
  'a hook': [`after(() => { throw new Error('no') }); test('a', () => {})`, 1, 1],
  'while it is loaded': [`throw new Error('no')`, 0, 1],
  'after its test ended': [`test('a', () => { setTimeout(() => { throw new Error('no') }) })`, 1, 1],
  'while its test waits': [
    `test('a', async () => { await null; setImmediate(() => { throw new Error('no') }); await new Promise((end) => setTimeout(end, 9)) })`,
    1,
    1,
  ],
  'a promise nobody waits for': [`test('a', () => { Promise.reject(new Error('no')) })`, 1, 1],
  'an end of the process': [`test('a', () => process.exit(0))`, 0, 1],
}

test('any fault in a file makes it fail, and the files after it still run', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-files-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const names = Object.keys(cases)
  for (const [place, [text]] of Object.values(cases).entries())
    writeFileSync(join(folder, `${place}.test.mjs`), `${imports}${text}`)
  const files = names.map((_, place) => `${place}.test.mjs`)
  const lines: string[] = []
  const results = await runFiles([...files, files[0]!], 1, folder, (text) => lines.push(text))
  assert.deepEqual(
    results.map(({ file, passed, failed }) => [names[Number.parseInt(file, 10)], passed, failed]),
    [...names, names[0]!].map((name) => [name, cases[name]![1], cases[name]![2]]),
  )
  assert.equal(results[0]?.skipped, 1)
  const uncaught = results[names.indexOf('while its test waits')]
  assert.match(uncaught!.faults, /Error: no\n +at /)
  assert.ok(lines.some((text) => text.includes(`${names.length - 1}.test.mjs: its process ended or hung`)))
})
