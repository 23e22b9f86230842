import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partName, reasonText, stateText, withNames } from './shorten.ts'

const did = (digit: string) => `did:oas:acme:agent:${digit.repeat(64)}`

test('a sentence names who it is about, and shortens the others', () => {
  const names = new Map([[did('a'), 'Planner']])
  assert.equal(
    withNames(`${did('a')} may not act for ${did('b')}; ask ${did('a')}.`, names),
    'Planner may not act for did:oas:acme:agent:bbbbbbbb…; ask Planner.',
  )
})

test('states and kinds of the wire read as words, and what is one stays as it is', () => {
  const texts = {
    PENDING: 'Pending',
    PARTIALLY_SIGNED: 'Partially signed',
    half_open: 'Half open',
    HumanRoot: 'Human root',
    success: 'Success',
    'no quorum': 'No quorum',
    ok: 'OK',
    L2: 'L2',
    soc2: 'Soc2',
    '': '',
  }
  for (const [name, text] of Object.entries(texts)) assert.equal(stateText(name), text, name)
})

test('a part of a device has its own name, and a reason stands in the middle of a sentence', () => {
  assert.equal(partName(`${did('a')}/temperature`), 'temperature')
  assert.equal(reasonText('circuit OPEN'), 'circuit open')
  assert.equal(reasonText('circuit HALF_OPEN'), 'circuit half open')
  assert.equal(reasonText('no_active_treaty of DID'), 'no active treaty of DID')
})
