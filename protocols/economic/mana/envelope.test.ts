import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldCapability } from '@svc/contract/authority/capability'
import { covers } from '@svc/contract/authority/capability'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { isHeldAt, limitsOf, requireHeld, requireOwnMembers, stateAt } from './envelope.ts'
import { bpsOf } from './throttle-rules.ts'

const reason = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return error.details.reason
  }
}
const capabilityOf = (name: string, more: Partial<HeldCapability> = {}): HeldCapability => ({
  name,
  caveats: [],
  source: 'declared',
  ...more,
})

test('only unconditional capabilities of the tenant itself can be granted', () => {
  const requested = ['svc.mars.discovery']
  assert.deepEqual(requireHeld([...requested, ...requested], [capabilityOf('svc.mars.*')]), requested)
  assert.deepEqual(requireHeld(requested, [capabilityOf('svc.*.*', { source: 'key' })]), requested)
  const lesser: HeldCapability[] = [
    capabilityOf('svc.mars.query_registry'),
    capabilityOf('svc.mars.*', { caveats: ['time:09-17'] }),
    capabilityOf('svc.mars.*', { limits: { max_per_hour: 5 } }),
    capabilityOf('svc.mars.*', { expires_at: '2027-01-01T00:00:00Z' }),
    capabilityOf('svc.mars.*', { source: 'delegation' }),
    capabilityOf('svc.mars.*', { source: 'envelope' }),
    capabilityOf('svc.mars.*', { source: 'treaty' }),
  ]
  assert.equal(
    reason(() => requireHeld(requested, lesser)),
    'capability amplification',
  )
  assert.equal(
    reason(() => requireHeld(['svc.mars.*'], [capabilityOf('svc.mars.discovery')])),
    'capability amplification',
  )
})

test('no grant exceeds what was already covered', () => {
  const name = fc.constantFrom('svc.mars.discovery', 'svc.mars.*', 'svc.max.*', 'svc.max.audit_query')
  fc.assert(
    fc.property(fc.array(name), fc.array(name), name, (requested, owned, checked) => {
      const own = owned.map((one) => capabilityOf(one))
      if (reason(() => requireHeld(requested, own)) !== undefined) return
      const granted = requireHeld(requested, own)
      if (granted.some((one) => covers(one, checked))) assert.ok(owned.some((one) => covers(one, checked)))
    }),
  )
})

test('members belong to the tenant, each listed once', () => {
  const [a, b, foreign] = ['acme:agent:a', 'acme:agent:b', 'rival:agent:a'].map(
    (end) => `did:oas:${end.slice(0, -1)}${end.slice(-1).repeat(64)}`,
  ) as [string, string, string]
  assert.deepEqual(requireOwnMembers([b, a, b], 'acme'), [a, b])
  assert.equal(
    reason(() => requireOwnMembers([a, foreign], 'acme')),
    'member of another tenant',
  )
})

test('limits are whole millionths, and a day stays within its month', () => {
  const limits = (day: string | number, month: string | number) =>
    limitsOf({ department: 'x', max_per_day_usd: day, max_per_month_usd: month })
  assert.deepEqual(limits(0.5, '1.000001'), {
    day_limit_micro_usd: 500_000n,
    month_limit_micro_usd: 1_000_001n,
  })
  assert.equal(
    reason(() => limits('2', '1')),
    'day limit above month limit',
  )
  assert.equal(
    reason(() => limits(0.1 + 0.2, '1')),
    'not an amount in USD',
  )
})

test('an envelope can be held or exhausted while active, and is closed for good', () => {
  const limits = { day_limit_micro_usd: 10n, month_limit_micro_usd: 100n }
  const budget_counter = (spent_micro_usd: bigint) => ({ spent_micro_usd, reserved_micro_usd: 0n })
  const state = (day: bigint, month: bigint, is_held = false) =>
    stateAt('ACTIVE', limits, { is_held, day: budget_counter(day), month: budget_counter(month) })
  assert.equal(state(9n, 99n), 'ACTIVE')
  assert.equal(state(10n, 10n), 'EXHAUSTED')
  assert.equal(state(0n, 100n), 'EXHAUSTED')
  assert.equal(state(10n, 10n, true), 'HELD')
  assert.equal(
    stateAt('CLOSED', limits, { is_held: true, day: budget_counter(0n), month: budget_counter(0n) }),
    'CLOSED',
  )
  const hold = { hold_id: 'h', scope: 'envelope:e', reason: 'r', until_ms: 10 }
  assert.deepEqual(
    [isHeldAt([hold], 'e', 9), isHeldAt([hold], 'e', 10), isHeldAt([hold], 'f', 9)],
    [true, false, false],
  )
  assert.ok(isHeldAt([{ ...hold, scope: 'tenant' }], 'f', 9))
})

test('a factor that is not 0 never becomes 0', () => {
  assert.deepEqual([0, 1e-9, 0.5, 0.99999, 1].map(bpsOf), [0, 1, 5000, 10_000, 10_000])
})
