// Keeps the table of docs/assurance.md true: every slow test is in it once, and each short test that it names exists and is short.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isSlow, testFiles } from './choose-files.ts'

const root = join(import.meta.dirname, '../..')
const heading = '## Slow tests and what holds their property in the short suite\n'

interface Row {
  readonly slow_tests: readonly string[]
  readonly property: string
  readonly short_tests: readonly string[]
}

function readRows(page: string): Row[] {
  const section = page.slice(page.indexOf(heading) + heading.length).split('\n## ')[0]!
  const rows = section.split('\n').filter((line) => line.startsWith('| ['))
  return rows.map((line) => {
    const [, slow_test = '', property = '', short_tests = ''] = line.split('|')
    return { slow_tests: linksOf(slow_test), property: property.trim(), short_tests: linksOf(short_tests) }
  })
}

const linksOf = (cell: string): string[] =>
  [...cell.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path]) => path!)

/** In sentences; empty if the table is true. */
function faultsOf(page: string, files: readonly string[]): string[] {
  const rows = readRows(page)
  const listed = rows.flatMap(({ slow_tests }) => slow_tests)
  const slow_tests = files.filter(isSlow)
  return [
    ...slow_tests.filter((file) => !listed.includes(file)).map((file) => `${file} is not in the table`),
    ...listed.filter((file) => !slow_tests.includes(file)).map((file) => `${file} is no slow test`),
    ...listed.filter((file, at) => listed.indexOf(file) !== at).map((file) => `${file} is listed twice`),
    ...rows.flatMap(({ slow_tests: [slow_test], property, short_tests }) => [
      ...(property && short_tests.length > 0 ? [] : [`${slow_test} has no property or no short test`]),
      ...short_tests
        .filter((file) => isSlow(file) || !files.includes(file))
        .map((file) => `${slow_test} names ${file}, which is no short test`),
    ]),
  ]
}

test('every slow test is in docs/assurance.md, with short tests that exist', () => {
  assert.deepEqual(faultsOf(readFileSync(join(root, 'docs/assurance.md'), 'utf8'), testFiles(root)), [])
})

test('a missing, unknown or repeated slow test and a short test that is none are named', () => {
  const files = ['a.slow.test.ts', 'b.slow.test.ts', 'c.test.ts']
  const row = (slow_test: string, ...short_tests: string[]) =>
    `| [x](../${slow_test}) | p | ${short_tests.map((file) => `[y](../${file})`).join(', ')} | |`
  const page = (...rows: string[]) => `# Page\n\n${heading}\n| slow test |\n| --- |\n${rows.join('\n')}\n`
  const [good, other] = [row('a.slow.test.ts', 'c.test.ts'), row('b.slow.test.ts', 'c.test.ts')]
  assert.deepEqual(faultsOf(page(good, other), files), [])
  assert.deepEqual(faultsOf(page(good), files), ['b.slow.test.ts is not in the table'])
  assert.deepEqual(faultsOf(page(good, other, row('d.slow.test.ts', 'c.test.ts')), files), [
    'd.slow.test.ts is no slow test',
  ])
  assert.deepEqual(faultsOf(page(good, other, good), files), ['a.slow.test.ts is listed twice'])
  assert.deepEqual(faultsOf(page(good, row('b.slow.test.ts')), files), [
    'b.slow.test.ts has no property or no short test',
  ])
  assert.deepEqual(faultsOf(page(good, row('b.slow.test.ts', 'a.slow.test.ts', 'e.test.ts')), files), [
    'b.slow.test.ts names a.slow.test.ts, which is no short test',
    'b.slow.test.ts names e.test.ts, which is no short test',
  ])
})
