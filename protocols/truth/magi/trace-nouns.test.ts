import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { grantsDelegatedBy, namedBy } from './trace-nouns.ts'

const did = `did:oas:acme:agent:${'a'.repeat(64)}`

function recordOf(meta: Record<string, unknown>, event_type = 'ProtocolInvocation'): AuditRecord {
  return {
    id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    seq: 1,
    event_type,
    correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a11',
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id: 'acme',
    caller_did: did,
    outcome: 'success',
    latency_ms: 0,
    meta,
    previous_hash: '0'.repeat(64),
    record_hash: '1'.repeat(64),
  }
}

const grant = 'svc.mind.*'

test('the grant of a call is the delegation, treaty or envelope its record names', () => {
  for (const [grant_source, grant_ref, name] of [
    ['delegation', 'sha256:1', 'grant:sha256:1'],
    ['treaty', 'sha256:2', 'moat://sha256:2'],
    ['envelope', 'e1', 'mana://envelope/e1'],
    ['declared', undefined, `grant:${did}:${grant}`],
    ['key', undefined, `grant:${did}:${grant}`],
    ['open', undefined, undefined],
    [undefined, undefined, `grant:${did}:${grant}`],
  ] as const)
    assert.equal(namedBy(recordOf({ grant, grant_source, grant_ref })).grant, name, String(grant_source))
})

test('a delegation is not the grant of a call that does not name it, whatever it granted', () => {
  const delegated = recordOf({ token_id: 'sha256:1', to: did, capabilities: [grant] }, 'CapabilityGrant')
  assert.deepEqual(grantsDelegatedBy(delegated), ['grant:sha256:1'])
  const unnamed = recordOf({ grant, grant_source: 'delegation' })
  assert.ok(!grantsDelegatedBy(delegated).includes(namedBy(unnamed).grant!))
})
