import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scenarios } from '../scenarios.ts'
import { bugs } from './bugs.ts'

const root = join(import.meta.dirname, '../../..')

test('every planted bug still has a place in the code, and every part has some', () => {
  const lost = bugs.filter(
    ({ file, old_text }) => readFileSync(join(root, file), 'utf8').split(old_text).length !== 2,
  )
  assert.deepEqual(
    lost.map(({ part, name }) => `${part}: ${name}`),
    [],
  )
  const parts = new Set(bugs.map(({ part }) => part))
  assert.deepEqual([...parts].sort(), scenarios.map(({ name }) => name).sort())
})
