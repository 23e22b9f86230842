import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withNames } from './shorten.ts'

const did = (digit: string) => `did:oas:acme:agent:${digit.repeat(64)}`

test('a sentence names who it is about, and shortens the others', () => {
  const names = new Map([[did('a'), 'Planner']])
  assert.equal(
    withNames(`${did('a')} may not act for ${did('b')}; ask ${did('a')}.`, names),
    'Planner may not act for did:oas:acme:agent:bbbbbbbb…; ask Planner.',
  )
})
