import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, Registered } from '@svc/engine/routing/routing'
import fc from 'fast-check'
import { tenant_hash } from './tenant-hash.ts'

const registered = { balance: 'tenant-hash' } as Registered
const endpoint = (id: string, weight?: number): Endpoint => ({
  id,
  kind: 'external',
  healthy: true,
  weight,
  in_flight: 0,
  invoke: () => ({ data: {} }),
})
const placeOf = (tenant_id: string, healthy: readonly Endpoint[]) =>
  tenant_hash.choose(registered, tenant_id, healthy)?.id

const weights = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 2, maxLength: 8 })
const name = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
const some_names = fc.uniqueArray(name, { minLength: 50, maxLength: 200 })
const namesLike = (start: string, count: number) => Array.from({ length: count }, (_, i) => `${start}${i}`)
const fleet = (of: readonly number[]) =>
  of.map((weight, i) => endpoint(`https://node-${i}.example:8443`, weight))

test('a tenant keeps its endpoint across calls, restarts, replicas and list orders', () => {
  const three = ['a', 'b', 'c'].map((id) => endpoint(id))
  // Fixed values: another hash would move every tenant of every engine that is updated.
  assert.deepEqual(
    namesLike('tenant-', 12)
      .map((tenant) => placeOf(tenant, three))
      .join(''),
    namesLike('tenant-', 12)
      .map((tenant) => placeOf(tenant, three.toReversed()))
      .join(''),
  )
  assert.equal(
    namesLike('tenant-', 12)
      .map((tenant) => placeOf(tenant, three))
      .join(''),
    'aaacababcaaa',
  )
  assert.equal(placeOf('acme', []), undefined)
})

test('shares follow the weights, even with similar names', () => {
  fc.assert(
    fc.property(weights, fc.constantFrom('tenant-', 't', 'org:00000', 'ä'), (of, start) => {
      const all = fleet(of)
      const tenants = namesLike(start, 4_000)
      const total = of.reduce((sum, weight) => sum + weight, 0)
      const counts = new Map<string, number>()
      for (const tenant of tenants) {
        const id = placeOf(tenant, all)!
        counts.set(id, (counts.get(id) ?? 0) + 1)
      }
      for (const { id, weight } of all) {
        const expected = weight! / total
        // Five standard deviations of a fair draw.
        const slack = 5 * Math.sqrt((expected * (1 - expected)) / tenants.length)
        const share = (counts.get(id) ?? 0) / tenants.length
        assert.ok(Math.abs(share - expected) <= slack, `${id} has ${share}, not ${expected}`)
      }
    }),
    { numRuns: 25 },
  )
})

test('removing an endpoint moves only its own tenants, and a new one takes only its share', () => {
  fc.assert(
    fc.property(weights, some_names, fc.nat(), (of, tenants, pick) => {
      const all = fleet(of)
      const gone = all[pick % all.length]!
      const left = all.filter((one) => one !== gone)
      for (const tenant of tenants) {
        const before = placeOf(tenant, all)
        const after = placeOf(tenant, left)
        if (before !== gone.id) assert.equal(after, before)
        else assert.notEqual(after, gone.id)
      }
    }),
  )
})

test('a growing weight attracts tenants, and moves nobody between the others', () => {
  fc.assert(
    fc.property(weights, some_names, fc.nat(), (of, tenants, pick) => {
      const all = fleet(of)
      const grown = all[pick % all.length]!
      const heavier = all.map((one) => (one === grown ? endpoint(one.id, one.weight! * 2) : one))
      for (const tenant of tenants) {
        const after = placeOf(tenant, heavier)
        assert.ok(after === placeOf(tenant, all) || after === grown.id)
      }
    }),
  )
})
