import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { countedCallOf } from './counted-call.ts'

test('a reason is cut without leaving half a character, which would stop the writer', () => {
  const reasonOf = (last: string) => {
    const body = {
      event_type: 'SecurityViolation',
      tenant_id: 'acme',
      timestamp: '2026-11-18T10:00:00.000Z',
      caller_did: 'did:oas:acme:agent:1',
      protocol: 'MAX',
      operation: 'audit_query',
      outcome: 'refused',
      latency_ms: 1,
      meta: { code: 'policy_denied', reason: 'x'.repeat(199) + last },
    }
    return countedCallOf(body as unknown as AuditBody)?.names.reason
  }
  assert.equal(reasonOf('\u{1f600}'), reasonOf('\u{1d400}'))
  assert.ok(reasonOf('\u{1f600}')!.isWellFormed())
})
