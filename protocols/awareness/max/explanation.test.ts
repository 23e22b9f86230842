import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { explain, terminalRecord } from './explanation.ts'

const did = `did:oas:acme:agent:${'a'.repeat(64)}`

function recordOf(more: Partial<AuditRecord>): AuditRecord {
  return {
    id: '11111111-1111-4111-8111-111111111111',
    seq: 1,
    event_type: 'ProtocolInvocation',
    correlation_id: '22222222-2222-4222-8222-222222222222',
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id: 'acme',
    caller_did: did,
    protocol: 'MAX',
    operation: 'audit_query',
    outcome: 'success',
    latency_ms: 1,
    meta: {},
    previous_hash: '0'.repeat(64),
    record_hash: 'f'.repeat(64),
    ...more,
  }
}
const capability = 'svc.max.audit_query'
const allowed = recordOf({ meta: { capability, grant: 'svc.max.*', grant_source: 'key', credential: 'k3y' } })
function refusedWith(code: string, stage: number, meta: Record<string, unknown> = {}): AuditRecord {
  const capability_part = stage > 1 ? { capability } : {}
  return recordOf({
    event_type: 'Error',
    outcome: 'refused',
    meta: { ...capability_part, code, stage, ...meta },
  })
}

test('an allowed call names its grant', () => {
  assert.deepEqual(explain(allowed), {
    decision: 'allowed',
    stage: 8,
    code: undefined,
    reason: 'svc.max.* grants svc.max.audit_query',
    capability: {
      requested: capability,
      matched: 'svc.max.*',
      source: 'key',
      ref: undefined,
      credential: 'k3y',
    },
    limits: undefined,
    appeal_path: undefined,
    narrative: `At 2026-11-15T10:00:00.000Z ${did} was allowed MAX audit_query: svc.max.* grants svc.max.audit_query.`,
    consistent: true,
  })
})

test('the explanation is reproducible and does not change the record', () => {
  const before = JSON.stringify(allowed)
  assert.deepEqual(explain(allowed), explain(allowed))
  assert.equal(JSON.stringify(allowed), before)
})

test('a refusal says at which stage, why, and how to contest it', () => {
  const denied = refusedWith('capability_denied', 4, { reason: 'no matching capability' })
  assert.equal(explain(denied).decision, 'refused')
  assert.match(explain(denied).narrative, /was refused MAX audit_query at stage 4: no matching capability\.$/)
  const foreign = refusedWith('capability_denied', 4, {
    reason: 'no active treaty',
    appeal_path: 'MOAT propose',
  })
  assert.equal(explain(foreign).appeal_path, 'MOAT propose')
  const limited = refusedWith('rate_limited', 3, { reason: 'bucket empty', retry_after_ms: 40 })
  assert.deepEqual(explain(limited).limits, { retry_after_ms: 40 })
})

test('an error is a failure, not a refusal', () => {
  const broken = recordOf({ event_type: 'Error', outcome: 'error', meta: { code: 'internal', stage: 7 } })
  assert.equal(explain(broken).decision, 'failed')
  assert.match(explain(broken).narrative, /failed in MAX audit_query at stage 7/)
})

test('a refusal before the pipeline is placed before its first stage, and is consistent', () => {
  const at_the_endpoint = recordOf({
    event_type: 'Error',
    outcome: 'refused',
    protocol: undefined,
    operation: undefined,
    meta: { code: 'invalid_request', reason: 'malformed body', origin: 'http' },
  })
  const { stage, consistent, narrative } = explain(at_the_endpoint)
  assert.deepEqual([stage, consistent], [0, true])
  assert.match(narrative, /was refused a protocol at stage 0: malformed body\.$/)
})

test('a record that contradicts its own rule is detected', () => {
  const consistent = (record: AuditRecord) => explain(record).consistent
  assert.equal(consistent(refusedWith('circuit_open', 5, { grant: 'svc.*.*' })), true)
  assert.equal(consistent(recordOf({ meta: { capability, grant: 'svc.macs.*' } })), false)
  assert.equal(consistent(recordOf({ meta: { capability, grant: 'svc.*' } })), false)
  assert.equal(consistent(recordOf({ meta: { capability } })), false)
  assert.equal(consistent(refusedWith('circuit_open', 5)), false)
  assert.equal(consistent(refusedWith('capability_denied', 4, { grant: 'svc.max.*' })), false)
  assert.equal(consistent(refusedWith('capability_denied', 4)), true)
  assert.equal(consistent(refusedWith('unknown_protocol', 1)), true)
})

test('the record of a dispatch is the outermost that ends one, whatever else was recorded', () => {
  const inner = recordOf({ seq: 1, meta: { capability, depth: 1 } })
  const event = recordOf({ seq: 2, event_type: 'CapabilityGrant', meta: { capability } })
  const alarm = recordOf({
    seq: 3,
    event_type: 'SecurityViolation',
    outcome: 'refused',
    meta: { reason: 'x' },
  })
  const outer = recordOf({ seq: 4, outcome: 'refused', event_type: 'Error', meta: { code: 'policy_denied' } })
  assert.equal(terminalRecord([inner, event, alarm, outer])?.seq, 4)
  assert.equal(terminalRecord([outer, alarm, event, inner])?.seq, 4)
  assert.equal(terminalRecord([event, alarm]), undefined)
  assert.equal(terminalRecord([]), undefined)
  const dry = recordOf({ seq: 5, event_type: 'AuthorizationCheck', meta: { dry_run: true } })
  assert.equal(terminalRecord([event, dry])?.seq, 5)
  const foreign = recordOf({
    seq: 1,
    event_type: 'SecurityViolation',
    meta: { code: 'x', caller_tenant: 'rival' },
  })
  assert.equal(terminalRecord([foreign, outer])?.seq, 4, 'a stranger under the same id')
  assert.equal(terminalRecord([foreign])?.seq, 1)
})

test('a call of a public operation is consistent without a grant of the caller', () => {
  const open = recordOf({ meta: { capability, grant: capability, grant_source: 'open' } })
  assert.equal(explain(open).consistent, true)
})
