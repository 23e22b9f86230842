import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cedar, CedarDecision, PolicySet, Scene } from '@svc/contract/authority/policy'
import type { PolicyVersion } from '@svc/contract/authority/policy-timeline'
import { Refusal } from '@svc/contract/refusal'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { policiesCache } from './policies-cache.ts'

const forbids: CedarDecision['determining'] = [
  { policy_id: 'p', version: '1.0.0', effect: 'forbid', text: '' },
]

function versionOf(ordinal: number, active_from_ms: number, retires = false): PolicyVersion {
  const version = `${ordinal}.0.0`
  return { policy_id: 'p', version, ordinal, body: 'x', digest: `d${ordinal}`, retires, active_from_ms }
}

function sceneOf(at_ms: number, resource: Partial<Scene['resource']> = {}): Scene {
  return {
    principal: { did: 'did', tenant: 'acme', kind: 'Agent', level: 1, lineage_verified: true },
    resource: { protocol: 'TRY', operation: 'run', state_changing: true, ...resource },
    context: { tenant: 'acme', target_tenant: 'acme', hour: 1, weekday: 1, origin: 'http' },
    at_ms,
  }
}

const council = { verdict: 'mace://verdict/sha256:1', dissent: [] }

/** A cache over what the test sets; version 2 of its policy forbids, the others do not. */
function open() {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const world = {
    versions: [versionOf(1, 0), versionOf(2, 100)],
    reads: 0,
    sits: false,
    fails: false,
    stalls: false,
    councils_read: 0,
  }
  const cedar: Cedar = {
    check: () => ({ policies: 1, faults: [], warnings: [] }),
    checking: { module: '' },
    decide(set: PolicySet) {
      const denied = set.policies[0]?.version === '2.0.0'
      return { decision: denied ? 'deny' : 'allow', determining: denied ? forbids : [], errors: [] }
    },
    unknownsOf: () => [],
  }
  const cache = policiesCache({
    cedar,
    clock,
    read: async () => {
      world.reads++
      if (world.fails) throw new Error('away')
      return world.versions
    },
    named: async () => undefined,
    councilOf: async (_tenant_id, policy) => {
      world.councils_read++
      if (world.stalls) await new Promise(() => {})
      if (world.fails) throw new Error('away')
      return policy === 'maxim://p@2.0.0' ? council : undefined
    },
    sitsInCharter: async () => world.sits,
  })
  return { clock, world, cache }
}

test("the set in force is that of the call's time, before and after a planned change", async () => {
  const { world, cache } = open()
  const allowed = async (at_ms: number) => (await cache.judge('acme', sceneOf(at_ms))).allowed
  assert.deepEqual([await allowed(99), await allowed(100), await allowed(99)], [true, false, true])
  assert.equal(world.reads, 1)
})

test('cached rules are used at once', async () => {
  const { cache } = open()
  await cache.judge('acme', sceneOf(1))
  assert.ok(!(cache.judge('acme', sceneOf(2)) instanceof Promise))
})

test('changed rules are read again, and a read that began before the change is not cached', async () => {
  const { world, cache } = open()
  const first = cache.judge('acme', sceneOf(1))
  cache.forget('acme')
  world.versions = [versionOf(2, 0)]
  assert.equal((await cache.judge('acme', sceneOf(1))).allowed, false)
  await first
  assert.equal((await cache.judge('acme', sceneOf(1))).allowed, false)
})

const undecided = (thrown: unknown) =>
  thrown instanceof Refusal && thrown.code === 'unavailable' && thrown.details.unavailable === 'policies'

test('possibly outdated rules apply for a minute while they are read again', async () => {
  const { world, cache, clock } = open()
  const allowed = async () => (await cache.judge('acme', sceneOf(1))).allowed
  assert.equal(await allowed(), true)
  world.versions = [versionOf(2, 0)]
  clock.advance(60_000)
  assert.equal(await allowed(), true)
  await new Promise(setImmediate)
  assert.equal(await allowed(), false)
  world.fails = true
  clock.advance(1)
  cache.doubtAll()
  assert.equal(await allowed(), false)
  clock.advance(60_000)
  await assert.rejects(allowed, undecided)
  world.fails = false
  world.versions = []
  assert.equal(await allowed(), true)
})

test('if rules cannot be read the call is refused, and the next call tries again', async () => {
  const { world, cache } = open()
  world.fails = true
  await assert.rejects(async () => cache.judge('acme', sceneOf(1)), undecided)
  world.fails = false
  assert.equal((await cache.judge('acme', sceneOf(1))).allowed, true)
})

test('a charter member reads the audit log despite all rules; nobody else does, and it does nothing else', async () => {
  const { world, cache } = open()
  const read = { protocol: 'MAX', state_changing: false }
  assert.equal((await cache.judge('acme', sceneOf(100, read))).allowed, false)
  world.sits = true
  assert.equal((await cache.judge('acme', sceneOf(100, read))).allowed, true)
  assert.equal((await cache.judge('acme', sceneOf(100, { protocol: 'MAX' }))).allowed, false)
  assert.equal((await cache.judge('acme', sceneOf(100))).allowed, false)
})

test('a tenant whose rules are all retired is forbidden nothing', async () => {
  const { world, cache } = open()
  world.versions = [versionOf(2, 0), versionOf(3, 50, true)]
  assert.equal((await cache.judge('acme', sceneOf(60))).allowed, true)
})

test('a stalled database delays a refusal only briefly', { timeout: 180_000 }, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { world, cache } = open()
  world.stalls = true
  const rejection = assert.rejects(async () => cache.councilOf('acme', 'maxim://p@2.0.0'), /no answer within/)
  t.mock.timers.tick(3_000)
  await rejection
})

test('the council behind a rule is read once; a failure is not kept', async () => {
  const { world, cache } = open()
  world.fails = true
  await assert.rejects(async () => cache.councilOf('acme', 'maxim://p@2.0.0'), /away/)
  world.fails = false
  assert.equal(await cache.councilOf('acme', 'maxim://p@2.0.0'), council)
  assert.equal(cache.councilOf('acme', 'maxim://p@2.0.0'), council)
  assert.equal(await cache.councilOf('acme', 'maxim://q@1.0.0'), undefined)
  assert.equal(cache.councilOf('acme', 'maxim://q@1.0.0'), undefined)
  assert.equal(world.councils_read, 3)
})
