import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportLines } from './export-lines.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-lines-'))

async function linesOf(text: string): Promise<string[]> {
  const file = join(folder, 'audit-log.jsonl')
  writeFileSync(file, text)
  const lines: string[] = []
  for await (const line of exportLines(file)) lines.push(line)
  return lines
}

test('only a line feed ends a line: separators inside a string are part of it', async (t) => {
  t.after(() => rmSync(folder, { recursive: true }))
  const record = JSON.stringify({ said: 'one\u2028two\u2029three\u0085four' })
  assert.deepEqual(await linesOf(`${record}\n{}\n`), [record, '{}'])
  assert.deepEqual(await linesOf(`{}\r\n${record}`), ['{}', record])
  assert.deepEqual(await linesOf(''), [])
  // Longer than one read, and split in the middle of a character.
  const long = JSON.stringify('ä'.repeat(100_000))
  assert.deepEqual(await linesOf(`${long}\n${long}\n`), [long, long])
})
