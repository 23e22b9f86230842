import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dueChecks, figuresOf, hasLongForm, runCheck } from '../assurance.ts'
import { readResults, resultsPage } from './assurance-results.ts'

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
    `test('x', (t) => t.diagnostic('N=7 seed=42 long=' + process.env.SVC_TEST_ASSURANCE))`,
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

const result = { N: '20', seed: '1', result: 'ok', seconds: 3, machine: '2 cores' }

test('the page keeps every result, and names what was never run', () => {
  const results = [
    { ...result, check: 'a/b.test.ts', commit: 'c1', date: '2026-11-02T10:00' },
    { ...result, check: 'a/c.test.ts', commit: 'c2+', date: '2026-11-01T10:00', result: 'FAILED' },
  ]
  const page = join(folder, 'results.md')
  writeFileSync(page, resultsPage(results, ['a/b.test.ts', 'a/c.test.ts', 'a/d.test.ts']))
  assert.deepEqual(readResults(page), results)
  assert.match(resultsPage(results, ['a/d.test.ts']), /^Not run yet: a\/d\.test\.ts\.$/m)
  assert.match(resultsPage(results, []), /^Every check has been run\.$/m)
})

test('what was never run is due first, then the oldest; what passed on this code is not due', () => {
  const results = [
    { ...result, check: 'new', commit: 'here', date: '2026-11-04' },
    { ...result, check: 'failed', commit: 'here', date: '2026-11-03', result: 'FAILED' },
    { ...result, check: 'old', commit: 'before', date: '2026-11-02' },
  ]
  const checks = ['failed', 'never', 'new', 'old']
  assert.deepEqual(
    dueChecks(checks, results, (commit) => commit === 'here'),
    ['never', 'old', 'failed'],
  )
  assert.deepEqual(
    dueChecks(checks, results, () => false),
    ['never', 'old', 'failed', 'new'],
  )
})

test('a check has a long form if its file asks for it', () => {
  assert.ok(hasLongForm('if (is_long) run()') && hasLongForm("process.env.SVC_TEST_ASSURANCE === '1'"))
  assert.ok(!hasLongForm('const is_longer = 1'))
})
