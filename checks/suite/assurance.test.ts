import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { figuresOf, runCheck, tableOf } from '../assurance.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-assurance-'))
after(() => rmSync(folder, { recursive: true }))

async function run(body: string) {
  writeFileSync(join(folder, 'a.test.ts'), `import { test } from 'node:test'\n${body}\n`)
  let output = ''
  const row = await runCheck('a.test.ts', folder, (text) => {
    output += text
  })
  return { row, said: output }
}

test('a check runs in its long form, and its N and seed are found', async () => {
  const { row, said } = await run(
    `test('x', (t) => t.diagnostic('N=7 seed=42 long=' + process.env.SVC_ASSURANCE))`,
  )
  assert.deepEqual([row.check, row.N, row.seed, row.result], ['a.test.ts', '7', '42', 'ok'])
  assert.match(said, /long=1/)
})

test('a check that fails, that crashes, or that runs nothing is not ok', async () => {
  assert.equal((await run(`test('x', () => { throw new Error('no') })`)).row.result, 'FAILED')
  assert.equal((await run('process.exit(3)')).row.result, 'FAILED')
  assert.equal((await run(`test.skip('x', () => {})`)).row.result, 'FAILED: nothing ran')
})

test('skipped tests are reported', async () => {
  const { row } = await run(`test('x', () => {})\ntest.skip('y', () => {})`)
  assert.equal(row.result, 'ok, 1 skipped')
})

test('several figures of one file are combined, and a missing one is a dash', () => {
  assert.deepEqual(figuresOf('N=3 seed=1; N=4 seed=1'), { N: '3 4', seed: '1' })
  assert.deepEqual(figuresOf('ℹ 12 books; seed 5\n  ℹ 40 cases'), { N: '12 40', seed: '5' })
  assert.deepEqual(figuresOf('nothing\nℹ tests 5'), { N: '-', seed: '-' })
})

test('the table has one line for each check', () => {
  const rows = [{ check: 'a', N: '20', seed: '1', result: 'ok', seconds: '1.0' }]
  assert.equal(tableOf(rows), 'check  N   seed  result  seconds\na      20  1     ok      1.0')
})
