import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitLines } from './help.ts'

const page = `Prose that was written for a
wide page flows again.

Flags
  --one <value>  what the first flag does, at some length
  --two          short
                 and its second line

  svc invoke MAX audit_query --input '{"outcome": "refused"}' --output human`

test('paragraphs flow, the second column wraps in place, and commands stay whole', () => {
  assert.deepEqual(fitLines(page, 44), [
    'Prose that was written for a wide page flows',
    'again.',
    '',
    'Flags',
    '  --one <value>  what the first flag does,',
    '                 at some length',
    '  --two          short',
    '                 and its second line',
    '',
    `  svc invoke MAX audit_query --input '{"outcome": "refused"}' --output human`,
  ])
})

test('if the second column would be too narrow, the line is unchanged', () => {
  assert.ok(fitLines(page, 30).includes('  --one <value>  what the first flag does, at some length'))
})
