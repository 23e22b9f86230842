// The rules of reading series: windows, access, and refused queries.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { Refusal } from '@svc/contract/refusal'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { keepPoints } from '../metrics/store.ts'
import { motif } from './motif.ts'

const start_ms = Date.parse('2026-11-15T04:00:00.000Z')
const timeAt = (minute: number) => new Date(start_ms + minute * 60_000).toISOString()
const cpuAt = (minute: number) => 30 + 20 * Math.sin((2 * Math.PI * minute) / 60)
const question = { metric: 'cpu_percent', from: timeAt(0), to: timeAt(360) }
let stage: Rehearsal

before(async () => {
  stage = await rehearse(motif, {
    tenants: [test_tenant, 'globex'],
    ports: { identity: localAdminResolver() },
  })
  const points = Array.from({ length: 360 }, (_, minute) => ({
    ...({
      tenant_id: test_tenant,
      name: 'cpu_percent',
      labels: { host: 'a' },
      kind: 'gauge',
      own: true,
    } as const),
    ...{
      at_ms: start_ms + minute * 60_000,
      value: cpuAt(minute),
      count: 1,
      min: cpuAt(minute),
      max: cpuAt(minute),
      last: cpuAt(minute),
    },
  }))
  const source = '00000000-0000-4000-8000-000000000000'
  await keepPoints(stage.store.engine, { source, number: 1, now_ms: stage.ports.clock.now_ms(), points })
})
after(() => stage.close())

test('a series is read back in windows, and only by its tenant', async () => {
  const input = { ...question, from: timeAt(180), to: timeAt(240), step_ms: 60_000, function: 'max' }
  const { series, partial, resolution_ms } = await stage.run('query', input)
  assert.deepEqual([partial, resolution_ms, series.length], [false, 10_000, 1])
  assert.deepEqual(series[0].labels, { host: 'a' })
  assert.deepEqual(
    series[0].points,
    Array.from({ length: 60 }, (_, i) => [start_ms + (180 + i) * 60_000, cpuAt(180 + i)]),
  )
  const other = { tenant_id: 'globex', did: `did:oas:globex:agent:${'b'.repeat(64)}` }
  assert.deepEqual((await stage.run('query', input, other)).series, [])
  assert.equal((await stage.run('detect', { metric: 'cpu_percent' }, other)).points, 0)
  assert.equal((await stage.run('detect', { metric: 'cpu_percent' })).points, 360)
})

test('an invalid query is refused with what to do', async () => {
  const refused = async (more: object, reason: string, operation = 'query', code = 'invalid_payload') => {
    const refusal = await stage.run(operation, { ...question, ...more }).then(
      () => assert.fail('not refused'),
      (error) => error,
    )
    assert.ok(refusal instanceof Refusal, String(refusal))
    assert.deepEqual([refusal.code, refusal.details.reason], [code, reason], refusal.message)
    assert.match(refusal.message, /^\S.*[.?]$/s)
  }
  await refused({ function: 'rate' }, 'wrong_function')
  await refused({ step_ms: 1000 }, 'too_large')
  await refused({ to: timeAt(0) }, 'empty_period')
  await refused({ from: '2026-02-30T00:00:00Z' }, 'no_such_moment')
  await refused({ from: '2026-02-30T00:00:00Z' }, 'no_such_moment', 'detect')
  await refused({ all_tenants: true }, 'operator only', 'query', 'policy_denied')
})
