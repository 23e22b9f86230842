import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prometheus } from '@svc/adapters/telemetry/prometheus'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { MemoryAuditLog } from '../../checks/rehearsal/memory-audit-log.ts'
import type { Config } from '../settings/config.ts'
import { recordedBreaker } from './recorded-breaker.ts'

test("every state change of a circuit is in the operator's audit log once, and counted", async () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const audit_log = new MemoryAuditLog()
  const meters = prometheus({ debug() {}, info() {}, warn() {}, error() {} })
  const config = { tenant_id: 'operator', agent_did: `did:oas:operator:service:${'0'.repeat(64)}` } as Config
  const breaker = recordedBreaker(config, { clock, audit_log, meters })
  for (let i = 0; i < 6; i++) breaker.failed('TRY', 'native', 'timeout')
  clock.advance(20_000)
  for (let i = 0; i < 2; i++) await breaker.probe(async () => true)
  const records = audit_log.records('operator')
  assert.deepEqual(
    records.map(({ event_type, protocol, meta }) => [
      event_type,
      protocol,
      meta.endpoint,
      `${meta.from} ${meta.to}`,
    ]),
    ['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN CLOSED'].map((moved) => [
      'CircuitBreakerTransition',
      'TRY',
      'native',
      moved,
    ]),
  )
  assert.match(await meters.registry.metrics(), /^svc_circuit_transitions_total\{to="CLOSED"\} 1$/m)
})
