import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/sdk'
import fc from 'fast-check'
import { decisionOf, stage_count, storyOf } from './stage-story.ts'

const record = (outcome: string, meta: Record<string, unknown>, event_type = 'ProtocolInvocation') =>
  ({
    id: 'r',
    seq: 7,
    event_type,
    correlation_id: 'c',
    timestamp: '2026-11-16T00:00:00Z',
    tenant_id: 'acme',
    caller_did: 'did:oas:acme:agent:0',
    protocol: 'MOAT',
    operation: 'sign',
    outcome,
    latency_ms: 3,
    meta,
    previous_hash: 'p',
    record_hash: 'h',
  }) satisfies AuditRecord

test('every field of the record is shown once, whatever its name', () => {
  const names = fc.uniqueArray(
    fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name !== '__proto__'),
  )
  fc.assert(
    fc.property(names, (facts) => {
      const meta = Object.fromEntries(facts.map((name) => [name, 1]))
      const fact_names = storyOf(record('success', { ...meta, origin: 'mcp', grant: 'svc.*.*' })).flatMap(
        ({ knew }) => knew.map(([fact]) => fact),
      )
      for (const name of [...facts, 'origin', 'grant'])
        assert.ok(fact_names.filter((fact) => fact === name).length >= 1, name)
    }),
  )
})

test('a refusal is at its stage: earlier stages passed, later ones were not reached, and it was recorded', () => {
  for (let stage = 0; stage < stage_count - 1; stage++) {
    const verdicts = storyOf(record('refused', { stage })).map(({ verdict }) => verdict)
    assert.equal(verdicts[stage], 'refused')
    assert.ok(verdicts.slice(0, stage).every((verdict) => verdict === 'passed'))
    assert.ok(verdicts.slice(stage + 1, -1).every((verdict) => verdict === 'not reached'))
    assert.equal(verdicts.at(-1), 'passed')
  }
  assert.equal(storyOf(record('error', { stage: 7 }))[7]?.verdict, 'failed')
  assert.ok(storyOf(record('success', {})).every(({ verdict }) => verdict === 'passed'))
})

test('of several records the call’s own shows how it ended', () => {
  const own = record('success', {})
  const check = record('success', {}, 'AuthorizationCheck')
  const refused = record('refused', {}, 'SecurityViolation')
  assert.equal(decisionOf([check, own]), own)
  assert.equal(decisionOf([check, refused]), refused)
  assert.equal(decisionOf([check]), check)
  assert.equal(decisionOf([]), undefined)
})
