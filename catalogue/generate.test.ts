import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { operation, type Protocol } from '@svc/contract/protocol'
import { Closed, Text } from '@svc/contract/schema'
import { Check } from 'typebox/value'
import type { Catalogue } from '../generated/sdk-types.ts'
import { findProtocol } from './catalogue.ts'
import { compareGenerated, renderGenerated, writeGenerated } from './generate.ts'

const sample: Protocol = {
  id: 'ECHO',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Says it back.',
  operations: {
    say: operation({
      summary: 'Say it back.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ text: Text(100) }),
      output: Closed({ text: Text(100) }),
      example: { text: 'hello' },
      handle: ({ text }) => ({ text }),
    }),
  },
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-generate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('every surface is rendered, each file ends with one newline, and twice gives the same', () => {
  const files = renderGenerated([sample])
  for (const path of ['completions.json', 'sdk-types.ts', 'reference/echo.md', 'llms.txt']) {
    assert.ok(files.has(path), path)
  }
  for (const [path, text] of files) assert.match(text, /[^\n]\n$/, path)
  assert.deepEqual([...renderGenerated([sample])], [...files])
})

test('writing updates a folder and then has nothing left to do', (t) => {
  const folder = temporaryFolder(t)
  const files = renderGenerated([sample])
  assert.equal(writeGenerated(folder, files).length, files.size)
  assert.deepEqual(compareGenerated(folder, files), [])
  assert.deepEqual(writeGenerated(folder, files), [])
  assert.equal(readFileSync(join(folder, 'llms.txt'), 'utf8'), files.get('llms.txt'))
})

test('comparing names what is missing, different and no longer derived, and touches nothing', (t) => {
  const folder = temporaryFolder(t)
  const files = renderGenerated([sample])
  writeGenerated(folder, files)
  rmSync(join(folder, 'llms.txt'))
  writeFileSync(join(folder, 'completions.json'), '{}\n')
  writeFileSync(join(folder, 'reference', 'gone.md'), '# GONE\n')
  const expected = [
    { path: 'completions.json', why: 'different' },
    { path: 'llms.txt', why: 'missing' },
    { path: 'reference/gone.md', why: 'no longer derived' },
  ]
  assert.deepEqual(compareGenerated(folder, files), expected)
  assert.deepEqual(compareGenerated(folder, files), expected)
  writeGenerated(folder, files)
  assert.deepEqual(readdirSync(join(folder, 'reference')).sort(), ['README.md', 'echo.md'])
})

// Compiles only while the committed types accept what the committed schemas accept.
const emitted: Catalogue['MOTET']['emit']['input'] = {
  signals: [{ name: 'tasks_done', kind: 'counter', value: 1, labels: { queue: 'inbox' } }],
}

test('the derived types describe what the operation takes', () => {
  const emit = findProtocol('motet')?.operations.emit
  assert.ok(emit && Check(emit.input, emitted))
})
