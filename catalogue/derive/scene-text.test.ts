import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { Closed } from '@svc/contract/schema'
import { callerSentences, sceneSentences } from './scene-text.ts'

const facts: OperationFacts = {
  summary: 'Trade.',
  effect: 'write',
  level: 'L0',
  meters: [],
  input: Closed({}),
  output: Closed({}),
  example: {},
}

test('an example without a scene needs no words', () => {
  assert.deepEqual([sceneSentences(facts), callerSentences(facts)], [[], []])
})

test('first what an operator sets up, then each step: who calls it, where, and what it gives', () => {
  const sentences = sceneSentences({
    ...facts,
    example_needs: 'Register a service.',
    scene: [
      { call: 'MOAT.propose', input: {}, answer: { treaty_id: 'id' } },
      { as: 'partner', tenant_id: 'acme', call: 'MARKET.create_order', input: {} },
      { call: 'MAX.health', input: {}, until: { ok: true } },
    ],
  })
  assert.deepEqual(sentences, [
    'Register a service.',
    '`MOAT.propose`, which gives `treaty_id`.',
    '`MARKET.create_order`, called by the other organization in `acme`.',
    '`MAX.health`, until it answers `{"ok":true}`.',
  ])
})

test('an example that somebody else calls says so', () => {
  assert.deepEqual(callerSentences({ ...facts, example_by: 'operator' }), [
    'The example is called by the organization that runs the engine.',
  ])
})
