import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TreatyBody, TreatyState } from '@svc/contract/authority/treaty'
import { grantsByTreaty, treatyStateAt } from '@svc/contract/authority/treaty-grants'
import fc from 'fast-check'
import { diffOf, widens } from './amendment.ts'
import { advance, asStanding, isIntact, nextMoment, type StoredTreaty, treatyId } from './treaty.ts'
import { transitions } from './treaty-states.ts'

const tenants = ['acme', 'globex'] as const
const did = (tenant: string) => `did:oas:${tenant}:agent:${'a'.repeat(64)}`
const base_ms = Date.parse('2026-11-15T00:00:00.000Z')
const span_ms = 100 * 86_400_000
const moment = fc.integer({ min: 0, max: span_ms }).map((ms) => new Date(base_ms + ms))

const names = [
  'svc.mind.recall_memory',
  'svc.mind.store_memory',
  'svc.mind.*',
  'svc.mars.*',
  'svc.mars.discovery',
]
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const grant = fc
  .record({
    to: fc.constantFrom(...tenants),
    capability: fc.constantFrom(...names),
    caveats: fc.subarray(['time:00-12', 'time:12-24', 'jurisdiction:DE', 'weekly_budget:3']),
    per_hour: optional(fc.integer({ min: 0, max: 3 })),
    week: optional(fc.constantFrom('1', '2', '4')),
  })
  .map(({ per_hour, week, ...rest }) => ({
    ...rest,
    limits: {
      ...(per_hour !== undefined && { max_per_hour: per_hour }),
      ...(week !== undefined && { weekly_budget_usd: week }),
    },
  }))

const body: fc.Arbitrary<TreatyBody> = fc
  .record({
    grants: fc.array(grant, { minLength: 1, maxLength: 4 }),
    per_hour: optional(fc.integer({ min: 1, max: 3 })),
    per_day: optional(fc.integer({ min: 1, max: 3 })),
    from: moment,
    days: fc.integer({ min: 1, max: 90 }),
    fee: fc.constantFrom(5, 25),
  })
  .map(({ grants, per_hour, per_day, from, days, fee }) => ({
    v: 1,
    parent: null,
    parties: tenants.map((tenant) => ({ tenant, did: did(tenant) })),
    grants,
    rate_limits: { ...(per_hour && { per_hour }), ...(per_day && { per_day }) },
    settlement: { rail: 'internal', currency: 'usd', clearing_fee_bps: fee },
    dispute_resolution: { via: 'MOOT', venue: 'operator' },
    effective_from: from.toISOString(),
    expires_at: new Date(from.getTime() + days * 86_400_000).toISOString(),
    nonce: 'x',
  }))

function kept(terms: TreatyBody, more: Partial<StoredTreaty> = {}): StoredTreaty {
  const id = treatyId(terms)
  const proposed_at = new Date(base_ms)
  return {
    id,
    body: terms,
    root_id: id,
    proposer_tenant: 'acme',
    proposed_by: did('acme'),
    proposed_at,
    sign_by: new Date(base_ms + 30 * 86_400_000),
    state: 'PROPOSED',
    activated_at: null,
    in_force_at: null,
    suspended: null,
    open_cases: [],
    ended_at: null,
    signatures: [],
    ...more,
  }
}

/** Signed by both, optionally suspended, with or without an open case. */
const agreed = fc
  .record({ terms: body, at: moment, days: fc.integer({ min: 0, max: 40 }), is_open: fc.boolean() })
  .map(({ terms, at, days, is_open }) => {
    const [signed] = advance(
      kept(terms, { state: 'SIGNED', activated_at: at }),
      new Date(base_ms + 10 * span_ms),
    )
    const active = signed?.treaty ?? kept(terms)
    if (days === 0) return kept(terms, { state: 'SIGNED', activated_at: at })
    const from = active.in_force_at ?? at
    const until = new Date(from.getTime() + days * 86_400_000)
    return {
      ...active,
      state: 'SUSPENDED' as const,
      suspended: { from, until, by: 'acme' },
      open_cases: is_open ? ['moot://case/x'] : [],
    }
  })

test('time allows only listed transitions, and repeated or later calls do not change earlier ones', () => {
  const start = fc.oneof(
    agreed,
    body.map((terms) => kept(terms)),
    body.map((terms) => kept(terms, { state: 'PARTIALLY_SIGNED' })),
  )
  fc.assert(
    fc.property(start, moment, moment, (treaty, one, other) => {
      const [sooner, later] = one < other ? [one, other] : [other, one]
      const at_once = advance(treaty, later)
      let state: TreatyState = treaty.state
      for (const step of at_once) {
        assert.ok(transitions[state].includes(step.treaty.state), `${state} > ${step.treaty.state}`)
        state = step.treaty.state
      }
      const halfway = advance(treaty, sooner).at(-1)?.treaty ?? treaty
      const in_two = advance(halfway, later).at(-1)?.treaty ?? halfway
      assert.deepEqual(in_two, at_once.at(-1)?.treaty ?? treaty)
      const next = nextMoment(in_two)
      assert.ok(next === null || next > later)
    }),
  )
})

test('stage 4 sees the current state even in a row stored earlier', () => {
  fc.assert(
    fc.property(agreed, moment, (treaty, now) => {
      const advanced = advance(treaty, now).at(-1)?.treaty ?? treaty
      // A suspension has a start: before it only earlier changes apply.
      fc.pre(!treaty.suspended || now >= treaty.suspended.from)
      assert.equal(treatyStateAt(asStanding(treaty), now.getTime()), advanced.state)
      assert.equal(treatyStateAt(asStanding(advanced), now.getTime()), advanced.state)
    }),
  )
})

test('any change of the terms gives another treaty id', () => {
  fc.assert(
    fc.property(body, body, (one, other) => {
      assert.equal(treatyId(one) === treatyId(other), JSON.stringify(one) === JSON.stringify(other))
      assert.equal(isIntact({ id: treatyId(one), body: { ...one, nonce: 'y' } }), false)
    }),
  )
})

/** Whether a call is allowed, with this usage in the hour and the week of each name. */
function lets(terms: TreatyBody, call: { capability: string; to: string; at: Date; used: number }): boolean {
  const from_tenant = call.to
  const to_tenant = tenants.find((tenant) => tenant !== from_tenant)!
  const in_force = {
    state: 'ACTIVE',
    activated_at: new Date(base_ms),
    in_force_at: new Date(base_ms),
  } as const
  const question = { from_tenant, to_tenant, capability: call.capability, at_ms: call.at.getTime() }
  const { grants } = grantsByTreaty([asStanding(kept(terms, in_force))], question)
  const { per_hour = 9, per_day = 9 } = terms.rate_limits
  return (
    call.used < Math.min(per_hour, per_day) &&
    grants.some(
      ({ caveats, limits }) =>
        call.used < (limits?.max_per_hour ?? 9) &&
        caveats.every((caveat) =>
          caveat.startsWith('weekly_budget:')
            ? call.used < Number(caveat.slice('weekly_budget:'.length))
            : caveat === (call.at.getUTCHours() < 12 ? 'time:00-12' : 'time:12-24'),
        ),
    )
  )
}

test('an amendment that does not widen allows nothing that the old terms did not', () => {
  const question = fc.record({
    capability: fc.constantFrom('svc.mind.recall_memory', 'svc.mind.store_memory', 'svc.mars.discovery'),
    to: fc.constantFrom(...tenants),
    at: moment,
    used: fc.integer({ min: 0, max: 4 }),
  })
  // Mostly similar pairs, so that small differences are covered.
  const pair = fc.oneof(
    fc.tuple(body, body),
    fc
      .tuple(body, fc.nat(), fc.constantFrom('caveat', 'limit', 'drop', 'earlier'))
      .map(([terms, place, how]) => {
        const spot = place % terms.grants.length
        const grants = terms.grants.flatMap((one, index) => {
          if (index !== spot) return [one]
          if (how === 'drop') return terms.grants.length > 1 ? [] : [one]
          if (how === 'caveat') return [{ ...one, caveats: [...(one.caveats ?? []), 'time:00-12'] }]
          return [
            { ...one, limits: { ...one.limits, max_per_hour: Math.min(1, one.limits?.max_per_hour ?? 1) } },
          ]
        })
        const middle = (Date.parse(terms.effective_from) + Date.parse(terms.expires_at)) / 2
        const expires_at = how === 'earlier' ? new Date(middle).toISOString() : terms.expires_at
        const after: TreatyBody = { ...terms, grants, expires_at }
        assert.equal(widens(terms, after), false, how)
        return [terms, after] as const
      }),
  )
  fc.assert(
    fc.property(pair, fc.array(question, { minLength: 1, maxLength: 12 }), ([before, after], questions) => {
      assert.equal(widens(before, before), false)
      if (widens(before, after)) return
      for (const call of questions) assert.ok(!lets(after, call) || lets(before, call))
    }),
  )
})

test('removing a limit or a caveat, lasting longer, or splitting a counter widens', () => {
  fc.assert(
    fc.property(body, (terms) => {
      const later = { ...terms, expires_at: new Date(Date.parse(terms.expires_at) + 1).toISOString() }
      const more = { ...terms, grants: [...terms.grants, { to: 'acme', capability: 'svc.made.*' }] }
      for (const after of [later, more]) assert.equal(widens(terms, after), true)
      const counted = { to: 'acme', capability: 'svc.mind.*', limits: { weekly_budget_usd: '1' } }
      const split = ['svc.mind.a', 'svc.mind.b'].map((capability) => ({ ...counted, capability }))
      assert.equal(widens({ ...terms, grants: [counted] }, { ...terms, grants: split }), true)
      const free = { ...terms, grants: [{ ...counted, limits: {} }] }
      assert.equal(widens({ ...terms, grants: [counted] }, free), true)
      assert.equal(
        widens(free, { ...terms, grants: [{ ...counted, limits: {}, caveats: ['weekly_budget:1'] }] }),
        false,
      )
    }),
  )
})

/** The subset of RFC 6902 used here. */
function apply(document: unknown, changes: ReturnType<typeof diffOf>): unknown {
  const copy = structuredClone({ root: document }) as unknown as Record<string, never>
  for (const { op, path, value } of changes) {
    const keys = ['root', ...path.split('/').slice(1)].map((key) =>
      key.replaceAll('~1', '/').replaceAll('~0', '~'),
    )
    const last = keys.pop()!
    let place = copy as Record<string, never>
    for (const key of keys) place = place[key]!
    if (Array.isArray(place) && op !== 'replace') {
      if (op === 'add') (place as unknown[]).push(value)
      else (place as unknown[]).splice(Number(last), 1)
    } else if (op === 'remove') delete place[last]
    else place[last] = structuredClone(value) as never
  }
  return copy.root
}

test('the difference turns the old terms into the new, and is empty for equal terms', () => {
  fc.assert(
    fc.property(body, body, (before, after) => {
      assert.deepEqual(apply(before, diffOf(before, after)), after)
      assert.deepEqual(diffOf(before, { ...before, nonce: 'other', parent: `sha256:${'0'.repeat(64)}` }), [])
    }),
  )
})
