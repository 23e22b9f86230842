// npm run example: each story runs to its end, as a reader would run it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { is_long } from '../../faults/scene/chance.ts'

async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const program = join(import.meta.dirname, '../../../examples/run.ts')
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

test('without a name, lists the examples', async () => {
  const { code, out, err } = await run()
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^Name an example: .*npm run example two-organizations/)
})

test('two organizations', { skip: !is_long && 'only in npm run assurance', timeout: 600_000 }, async () => {
  const { code, out, err } = await run('two-organizations')
  assert.deepEqual([code, err], [0, ''])
  for (const pattern of [
    /capability_denied, no active treaty/,
    /The treaty is ACTIVE/,
    /limit reached: per_hour/,
    /payment_overdue/,
    /treaty suspended/,
    /all verified/,
    /CaseRemedyExecuted, REMEDIED/,
    /organization sealed/,
    /Verified against pinned key [0-9a-f]{8}, .*: \d+ records of northwind, .*witnessed up to record \d+/,
    /Verified against pinned key [0-9a-f]{8}, .*: \d+ records of southgate, .*sealed at head/,
  ])
    assert.match(out, pattern)
})
