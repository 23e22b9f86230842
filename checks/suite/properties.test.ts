// The long form of all property tests: the suite draws the same values every time, this draws new ones.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { isSlow, testFiles } from './choose-files.ts'

const root = join(import.meta.dirname, '../..')
const rounds = 10
const output_bytes_max = 64 * 1024 * 1024
const skip = process.env.SVC_TEST_ASSURANCE === '1' ? false : 'only in npm run assurance'

test('every property holds for new draws', { skip }, async (t) => {
  const files = testFiles(root).filter(
    (file) => !isSlow(file) && readFileSync(join(root, file), 'utf8').includes("from 'fast-check'"),
  )
  assert.ok(files.length > 0)
  t.diagnostic(`N=${files.length * rounds}`)
  const { SVC_TEST_ASSURANCE: _, NODE_TEST_CONTEXT: __, ...env } = process.env
  const options = { cwd: root, env, maxBuffer: output_bytes_max }
  for (let round = 0; round < rounds; round++)
    await promisify(execFile)(process.execPath, ['--test', ...files], options).catch((error) => {
      // A failed property prints its seed and path, to be drawn again.
      throw new Error(error.stdout.split('failing tests:').at(-1))
    })
})
