import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workFault } from './schema-work.ts'

const itself = { $ref: '#' }

test('ordinary schemas are checked quickly, even recursive ones', () => {
  for (const schema of [
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    { properties: { value: { type: 'number' }, below: { type: 'array', items: itself } } },
    { properties: { left: itself, right: itself } },
    { additionalProperties: itself },
    { properties: { next: { anyOf: [{ type: 'null' }, itself] } } },
    {
      $defs: {
        A: { properties: { b: { $ref: '#/$defs/B' } } },
        B: { properties: { a: { $ref: '#/$defs/A' } } },
      },
      properties: { a: { $ref: '#/$defs/A' } },
    },
    {
      properties: { a: { $ref: '#/$defs/T' }, b: { $ref: '#/$defs/T' } },
      $defs: { T: { properties: { t: { $ref: '#/$defs/T' } } } },
    },
  ])
    assert.equal(workFault(schema), undefined, JSON.stringify(schema))
})

test('a member that is checked twice on every level is refused', () => {
  const a = { properties: { a: itself } }
  for (const schema of [
    {
      anyOf: [
        { ...a, required: ['x'] },
        { ...a, required: ['y'] },
      ],
    },
    { ...a, patternProperties: { '^a$': itself } },
    { ...a, additionalProperties: itself },
    { anyOf: [a, { properties: { a } }] },
    { properties: { b: { items: itself } }, oneOf: [{ properties: { b: { items: itself } } }] },
    {
      properties: { x: { $ref: '#/$defs/T' } },
      $defs: { T: { allOf: [{ properties: { y: { $ref: '#/$defs/T' } } }, { properties: { y: itself } }] } },
    },
  ])
    assert.match(workFault(schema)!, /more than once/, JSON.stringify(schema))
})

test('a reference cycle is refused', () => {
  for (const schema of [
    { $ref: '#' },
    { allOf: [{ not: itself }] },
    { dependencies: { a: itself } },
    { dependencies: { a: { $recursiveRef: '#' } } },
    { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } },
  ])
    assert.match(workFault(schema)!, /circle/, JSON.stringify(schema))
})

test('short schemas that expand to long ones are refused before they are expanded', () => {
  const names = Array.from({ length: 60 }, (_, i) => `d${i}`)
  const unfolding = names.map((name, i) => {
    const next = { $ref: `#/$defs/d${i + 1}` }
    return [name, { anyOf: [next, next] }]
  })
  const $defs = { ...Object.fromEntries(unfolding), d60: { type: 'null' } }
  assert.match(workFault({ $ref: '#/$defs/d0', $defs })!, /more than 5000 steps/)
})
