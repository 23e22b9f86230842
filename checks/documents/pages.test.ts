// The documents are tested: every shell block runs as a newcomer would paste it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocks, parsed, reader, run, tryBlocks } from './tried-blocks.ts'

/** Pages that build or start something of their own are in another file. */
tryBlocks((path) => !/^docs\/(plugins|rust|guides\/)/.test(path))

test('README.md: the line that npm start printed works when pasted', () => {
  const { output } = parsed(run(reader.curl, { PATH: reader.env.PATH }))
  assert.equal(output.stored_event_type, 'custom.hello')
})

test('README.md: X-SVC-Dry-Run gives any call the same verdict, stage by stage, without effects', () => {
  const refused = blocks.find(({ script }) => script.includes('somebody-else'))
  assert.ok(refused)
  const dry = refused.script.replace('curl -s', 'curl -s -H "X-SVC-Dry-Run: true"')
  const { dry_run } = parsed(run(dry, reader.env))
  assert.deepEqual([dry_run.verdict, dry_run.error.reason], ['refused', 'no active treaty'])
  assert.equal(dry_run.stages.length, 8)
})
