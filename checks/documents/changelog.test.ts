// The changelog reads as one text: branches that were joined leave no entry twice and no two sections without a line between.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './documents.ts'

/** So many characters in common are no chance: it is one entry, changed on one branch. */
const same_start = 60

function faultsOf(text: string): string[] {
  return text.split(/^(?=## )/m).flatMap((release) => {
    const lines = release.split('\n')
    const entries = lines.filter((line) => line.startsWith('- ') && line.length > same_start)
    const starts = entries.map((line) => line.slice(0, same_start))
    const twice = starts.filter((start, place) => starts.indexOf(start) !== place)
    const joined = lines.filter((line, at) => /^\p{L}.*:$/u.test(line) && lines[at - 1] !== '')
    return [...twice.map((start) => `twice: ${start}`), ...joined.map((line) => `no line before: ${line}`)]
  })
}

test('the changelog has no entry twice, and a blank line before each section', () => {
  assert.deepEqual(faultsOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')), [])
  const entry = `- ${'One entry of a branch, which another branch has changed in its end'}`
  assert.equal(faultsOf(`## 1\n\nA:\n\n${entry}.\n${entry}, too.\nB:\n`).length, 2)
})
