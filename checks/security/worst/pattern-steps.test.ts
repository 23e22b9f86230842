// Patterns of published schemas take linear steps; those in code are judged in checks/tidy.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { deriveSchemas } from '@svc/catalogue/derive/json-schemas'
import { findSteepText } from '../../tidy/pattern-steps.ts'

test('every pattern of a published schema takes steps in proportion to the text', () => {
  const patterns = new Set<string>()
  JSON.stringify([...deriveSchemas(catalogue)], (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    if (key === 'patternProperties') for (const name of Object.keys(value)) patterns.add(name)
    return value
  })
  assert.ok(patterns.size > 20, `only ${patterns.size} patterns were found`)
  const steep = [...patterns].filter((pattern) => findSteepText(new RegExp(pattern)) !== undefined)
  assert.deepEqual(steep, [])
})

test('patterns with more than linear steps are found, and bounded ones are not', () => {
  const steep = [
    /^(a+)+$/,
    /\s+$/,
    /^(\w+\s?)*$/,
    /^[a-z]+([a-z0-9]+)*-$/,
    /\[[^\]]*\]/,
    /^.*b.*c/,
    /^"(\\.|[^"])*",(\\.|[^"])*$/,
    /^(?:a|a)*$/,
    /^(?<name>[ab]+)+;/u,
    /(x{1,}y?)+z/,
  ]
  for (const pattern of steep) assert.notEqual(findSteepText(pattern), undefined, String(pattern))
  const flat = [
    /^[a-z][a-z0-9-]{0,62}$/,
    /[a-z]{0,99}x/,
    /^(?:ab|c)*$/,
    /^\d+\.\d+$/,
    /a|b/,
    /^\p{L}+$/u,
    /^(?=a)b*$/,
  ]
  for (const pattern of flat) assert.equal(findSteepText(pattern), undefined, String(pattern))
})
