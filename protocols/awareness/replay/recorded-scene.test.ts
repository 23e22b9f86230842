import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { endsRequest, isDeniedByOwnRule, recordedScene } from './recorded-scene.ts'

const hash = '0'.repeat(64)

function recordOf(meta: Record<string, unknown>, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    seq: 1,
    event_type: 'ProtocolInvocation',
    correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    timestamp: '2026-11-15T23:10:00.000Z',
    tenant_id: 'acme',
    caller_did: 'did:oas:acme:agent:x',
    protocol: 'MADE',
    operation: 'economic_contract_create',
    outcome: 'success',
    latency_ms: 1,
    meta: { caller_kind: 'Agent', caller_level: 'L1', capability: 'svc.made.x', origin: 'mcp', ...meta },
    previous_hash: hash,
    record_hash: hash,
    ...more,
  }
}

test('the policy input is rebuilt from the record', () => {
  const scene = { state_changing: true, amount_micro_usd: '2500000' }
  const supplied = { action_kind: 'refund' }
  const before = recordOf({ scene: { ...scene, ...supplied } })
  assert.deepEqual(recordedScene(before), recordedScene(recordOf({ scene, supplied })), 'as in older logs')
  assert.deepEqual(recordedScene(recordOf({ scene, supplied })), {
    scene: {
      principal: {
        did: 'did:oas:acme:agent:x',
        tenant: 'acme',
        kind: 'Agent',
        level: 1,
        lineage_verified: true,
        human_root: undefined,
      },
      resource: { protocol: 'MADE', operation: 'economic_contract_create', state_changing: true },
      context: {
        tenant: 'acme',
        target_tenant: 'acme',
        hour: 23,
        weekday: 7,
        origin: 'mcp',
        jurisdiction: undefined,
        treaty_id: undefined,
        action_kind: 'refund',
        amount_micro_usd: 2_500_000n,
      },
      at_ms: Date.parse('2026-11-15T23:10:00.000Z'),
    },
    unknown: ['input'],
  })
})

test('if no rules were evaluated, unknown facts are listed', () => {
  const { scene, unknown } = recordedScene(recordOf({}))!
  assert.deepEqual(
    [scene.resource.state_changing, scene.context.action_kind, scene.context.amount_micro_usd],
    [false, undefined, undefined],
  )
  assert.ok(unknown.includes('state_changing') && unknown.includes('amount_micro_usd'))
})

test('a cross-tenant call names both organizations, in either chain', () => {
  const context = recordedScene(recordOf({ target_tenant: 'globex' }))!.scene.context
  const copied = recordedScene(recordOf({ caller_tenant: 'acme' }, { tenant_id: 'globex' }))!.scene.context
  assert.deepEqual([context.tenant, context.target_tenant], ['acme', 'globex'])
  assert.deepEqual([copied.tenant, copied.target_tenant], ['acme', 'globex'])
})

test('a record that ends no request has no scene, nor has one refused before identity was known', () => {
  const event = recordOf({}, { event_type: 'PolicyAuthored' })
  assert.equal(endsRequest(event), false)
  for (const meta of [{ appended: true }, { dry_run: true }, { caller_level: undefined }])
    assert.equal(recordedScene(recordOf(meta)), undefined)
  assert.equal(recordedScene(event), undefined)
  const refused = recordOf({ code: 'rate_limited' }, { event_type: 'RateLimitExceeded' })
  assert.notEqual(recordedScene(refused), undefined)
  for (const amount_micro_usd of ['1.5', '-1', 7, '9'.repeat(40)])
    assert.equal(
      recordedScene(recordOf({ scene: { amount_micro_usd } }))?.scene.context.amount_micro_usd,
      undefined,
    )
})

test('of two organizations, the one evaluated last denied the call', () => {
  const denied = { code: 'policy_denied', denying_policy: 'maxim://night@1.0.0' }
  const both = { policy_sets: { acme: 'x', globex: 'y' } }
  const own = { policy_sets: { acme: 'x' } }
  const denied_meta = { ...denied, target_tenant: 'globex' }
  const copied = { ...denied, caller_tenant: 'acme' }
  const there = { tenant_id: 'globex' }
  assert.ok(isDeniedByOwnRule(recordOf({ ...denied, ...own })))
  assert.ok(isDeniedByOwnRule(recordOf({ ...denied_meta, ...own })))
  assert.ok(!isDeniedByOwnRule(recordOf({ ...denied_meta, ...both })))
  assert.ok(isDeniedByOwnRule(recordOf({ ...copied, ...both }, there)))
  assert.ok(!isDeniedByOwnRule(recordOf({ ...copied, ...own }, there)))
  assert.ok(!isDeniedByOwnRule(recordOf({ ...own, denying_policy: 'engine-owned event types' })))
})
