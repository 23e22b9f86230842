import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCedar } from '@svc/adapters/policy/cedar'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { PolicySet } from '@svc/contract/authority/policy'
import { judgeAgain, setNamed } from './rejudgement.ts'

const cedar = openCedar()
const body =
  '@reason("closed") forbid(principal, action, resource) when { resource.protocol == "TRY" && context.hour < 9 };'
const set: PolicySet = { set_digest: 'sha256:s', policies: [{ policy_id: 'hours', version: '1.0.0', body }] }
const denied = {
  code: 'policy_denied',
  stage: 4,
  reason: 'policy hours@1.0.0 forbids: closed',
  denying_policy: 'maxim://hours@1.0.0',
}

function recordOf(
  timestamp: string,
  meta: Record<string, unknown>,
  more: Partial<AuditRecord> = {},
): AuditRecord {
  return {
    id: '11111111-1111-4111-8111-111111111111',
    seq: 1,
    event_type: meta.code ? 'SecurityViolation' : 'ProtocolInvocation',
    correlation_id: '22222222-2222-4222-8222-222222222222',
    timestamp,
    tenant_id: 'acme',
    caller_did: `did:oas:acme:agent:${'a'.repeat(64)}`,
    protocol: 'TRY',
    operation: 'run',
    outcome: meta.code ? 'refused' : 'success',
    latency_ms: 1,
    meta: {
      capability: 'svc.try.run',
      caller_kind: 'Agent',
      caller_level: 'L1',
      policy_sets: { acme: 'sha256:s' },
      scene: { state_changing: true },
      ...meta,
    },
    previous_hash: '0'.repeat(64),
    record_hash: 'f'.repeat(64),
    ...more,
  }
}
const night = '2026-11-15T08:10:00.000Z'
const day = '2026-11-15T09:10:00.000Z'

test('a verdict is reproduced with its policy', () => {
  const verdict = judgeAgain(recordOf(night, denied), 'acme', set, cedar)
  assert.deepEqual(verdict, {
    consistent: true,
    policies: [{ id: 'hours', version: '1.0.0', effect: 'forbid', text: body }],
  })
  const allowed = judgeAgain(recordOf(day, {}), 'acme', set, cedar)
  assert.deepEqual(allowed, { consistent: true, policies: [] })
})

test('a record that contradicts its rules is detected', () => {
  const wrong: [string, AuditRecord][] = [
    ['allowed what was forbidden', recordOf(night, {})],
    ['forbidden what was allowed', recordOf(day, denied)],
    ['another policy', recordOf(night, { ...denied, denying_policy: 'maxim://other@1.0.0' })],
    ['another reason', recordOf(night, { ...denied, reason: 'policy hours@1.0.0 forbids: open' })],
    ['another call', recordOf(night, denied, { protocol: 'MAX' })],
  ]
  for (const [what, record] of wrong)
    assert.equal(judgeAgain(record, 'acme', set, cedar).consistent, false, what)
  assert.equal(judgeAgain(recordOf(night, denied), 'acme', undefined, cedar).consistent, false)
})

test('a refusal of another stage, a dry run and an audit log read by a charter member agree with rules that allow them', () => {
  const later = recordOf(day, { code: 'rate_limited', stage: 5, reason: 'full' })
  assert.equal(judgeAgain(later, 'acme', set, cedar).consistent, true)
  const dry = { event_type: 'AuthorizationCheck' } as const
  assert.equal(
    judgeAgain(recordOf(night, { ...denied, dry_run: true }, dry), 'acme', set, cedar).consistent,
    true,
  )
  assert.equal(judgeAgain(recordOf(day, { dry_run: true }, dry), 'acme', set, cedar).consistent, true)
  const all = {
    ...set,
    set_digest: 'x',
    policies: [{ ...set.policies[0]!, body: 'forbid(principal, action, resource);' }],
  }
  const read = recordOf(day, { scene: { state_changing: false } }, { protocol: 'MAX' })
  assert.equal(judgeAgain(read, 'acme', all, cedar).consistent, true)
})

test('a refusal by another organization does not contradict our rules', () => {
  const cross_tenant_call = { target_tenant: 'globex', policy_sets: { acme: 'sha256:s', globex: 'sha256:g' } }
  const refused = recordOf(day, { ...denied, ...cross_tenant_call, denying_policy: 'maxim://theirs@1.0.0' })
  assert.equal(setNamed(refused, 'globex'), 'sha256:g')
  assert.equal(judgeAgain(refused, 'acme', set, cedar).consistent, true)
  assert.equal(setNamed(recordOf(day, { policy_sets: undefined }), 'acme'), undefined)
})

test('a verdict on the input is not judged again, only whether the policy it names was in force', () => {
  const by_input =
    'forbid(principal, action, resource) when { resource.operation == "run" && context.input.amount > 7 };'
  const input_set = {
    set_digest: 'sha256:i',
    policies: [{ policy_id: 'hours', version: '1.0.0', body: by_input }],
  }
  const judged = judgeAgain(recordOf(day, denied), 'acme', input_set, cedar)
  assert.deepEqual([judged.consistent, judged.policies], [true, []])
  const forged = { ...denied, denying_policy: 'maxim://other@1.0.0' }
  assert.equal(judgeAgain(recordOf(day, forged), 'acme', input_set, cedar).consistent, false)
  assert.equal(
    judgeAgain(recordOf(day, {}, { operation: 'stop' }), 'acme', input_set, cedar).consistent,
    true,
  )
})
