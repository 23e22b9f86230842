import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cedarFault } from './cedar.ts'

const policy = [
  '// not ( this',
  '@reason("we (bind) \\"ourselves\\"; to nobody")',
  'forbid(principal, action, resource)',
  'when { resource.protocol == "MOAT" && context has x };',
].join('\n')

test('a policy that is whole has no fault, whatever its texts and comments hold', () => {
  assert.equal(cedarFault(policy), undefined)
  assert.equal(cedarFault(`${policy}\n${policy}\n// end`), undefined)
  assert.equal(cedarFault(' \n'), undefined)
})

test('the first fault is named with its line', () => {
  const wrong: readonly [string, RegExp][] = [
    ['forbid(principal, action, resource);\npermit(principal, action, resource)', /^Line 2: .*semicolon/],
    ['forbid(principal,\naction, resource;', /^Line 1: \( is not closed/],
    ['forbid(principal]\n;', /^Line 1: ] does not close the \( of line 1/],
    ['permit(principal);\n};', /^Line 2: } closes nothing/],
    ['@reason("no\nforbid(principal, action, resource);', /^Line 1: .*quote/],
  ]
  for (const [text, sentence] of wrong) assert.match(cedarFault(text) ?? '', sentence, text)
})
