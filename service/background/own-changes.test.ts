import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import { forgetOwn } from './own-changes.ts'

function eventOf(event_type: EventType, tenant_id = 'acme'): AuditEntry {
  return {
    id: crypto.randomUUID(),
    event_type,
    correlation_id: crypto.randomUUID(),
    timestamp: '2026-11-16T00:00:00Z',
    tenant_id,
    caller_did: 'did:oas:acme:agent:x',
    outcome: 'success',
    latency_ms: 1,
    meta: { key_id: 'k1' },
  }
}

/** What was dropped from caches, in order. */
function forgottenAfter(...events: AuditEntry[]): string[] {
  const forgotten: string[] = []
  const noting = (cache: string) => ({
    forget: (id: string) => void forgotten.push(`${cache} ${id}`),
    forgetAll: () => void forgotten.push(cache),
  })
  forgetOwn(events, {
    treaties: noting('treaties'),
    policies: noting('policies'),
    books: noting('books'),
    resolver: noting('identities'),
    delegations: noting('delegations'),
    keys: noting('keys'),
  })
  return forgotten
}

test('what this engine committed is in force in it with the next call, whatever it affects', () => {
  const both = ['books acme', 'policies acme']
  const cases: [EventType, string[]][] = [
    ['PolicyAuthored', both],
    ['EnvelopeAllocated', both],
    ['HoldPlaced', both],
    ['RateChanged', both],
    ['CreditGranted', both],
    ['SettlementFinal', both],
    ['InvoiceSettled', both],
    ['IdentityVerified', ['identities', 'delegations']],
    ['IdentityDerived', ['identities', 'delegations']],
    ['IdentitySuspended', ['identities', 'delegations']],
    ['KeyRotated', ['keys', 'identities', 'delegations']],
    ['KeyRevoked', ['keys k1']],
    ['MessageSent', []],
  ]
  for (const [event_type, expected] of cases)
    assert.deepEqual(forgottenAfter(eventOf(event_type)), expected, event_type)
})

test('a treaty is dropped from the cache for the two tenants whose logs record it', () => {
  assert.deepEqual(forgottenAfter(eventOf('TreatySigned'), eventOf('TreatySigned', 'globex')), [
    'treaties acme|globex',
  ])
  assert.deepEqual(forgottenAfter(eventOf('TreatySigned')), [])
})
