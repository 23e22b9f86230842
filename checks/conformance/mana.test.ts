// MANA over HTTP: envelopes, throttles, holds and budgets as their members meet them.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { manualClock } from '@svc/adapters/clock/manual'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { sweepHolds } from '@svc/protocols/economic/hold-placing'
import { type InProcessService, startInProcess } from '../in-process.ts'
import { type Addresses, type Answer, dispatch } from '../running-engine.ts'
import { assertRefusal, assertSuccess } from './expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-15T10:00:00.000Z')
const admin = localAdminResolver()
/** Those who hold only what their keys and departments give them. */
const plain = new Set<string>()
const hour_ms = 3_600_000
/** A worst case of a second fits once; beside what the first call really used it does not fit again. */
const one_call = '0.018010'
const spent = { code: 'policy_denied', stage: 5, reason: 'envelope day limit reached' } as const
let service: InProcessService
let member: Addresses

before(async () => {
  service = await startInProcess({
    clock,
    identity: {
      async resolve(did) {
        const found = await admin.resolve(did)
        if (found.outcome === 'Failed' || !plain.has(did)) return found
        return { outcome: 'Resolved', identity: { ...found.identity, capabilities: [] } }
      },
    },
  })
  await addMember(
    service.service.store.engine,
    service.tenant_id,
    service.agent_did,
    new Date(clock.now_ms()),
  )
  member = await service.newCaller()
})
after(() => service.stop())

const at = (ms: number) => new Date(clock.now_ms() + ms).toISOString()
const ask = (who: Addresses, operation: string, input: unknown) =>
  dispatch(who, { protocol: 'MANA', operation, input })
const done = async (who: Addresses, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input)).output
const refused = async (who: Addresses, operation: string, input: unknown, reason: string) =>
  assertRefusal(await ask(who, operation, input), { code: 'policy_denied', stage: 7, reason })
const look = (who: Addresses) =>
  dispatch(who, { protocol: 'MARS', operation: 'query_registry', input: { kind: 'agent' } })
const budgetOf = (more: Fields = {}) =>
  done(service, 'budget', { tenant_id: service.tenant_id, dimension: 'usd', ...more })

/** What is changed binds within a second: until then the books of before may count. */
const wait = { interval: 10, timeout: 20_000 }
async function heard(t: TestContext, envelope_id: string, day_limit: string | undefined): Promise<void> {
  await t.waitFor(async () => {
    const { envelopes } = await budgetOf()
    const found = envelopes.find(({ id }: Fields) => id === envelope_id)
    assert.equal(found?.day.limit, day_limit)
  }, wait)
}

const allocation = (department: string, day: string, more: Fields = {}) => ({
  envelope: { department, max_per_month_usd: '20', max_per_day_usd: day, ...more },
  capabilities_granted: [] as string[],
  authority: 'mace://sole-member',
})

test('a department spends its day and no more, and has a new one at midnight UTC', async (t) => {
  const made = await done(
    service,
    'allocate',
    allocation('research', one_call, { members: [member.agent_did] }),
  )
  const { envelope_id } = made
  assert.deepEqual([made.version, made.state, made.tenant_committed_usd], [1, 'ACTIVE', '20.000000'])
  await heard(t, envelope_id, one_call)
  assertSuccess(await look(member))
  assertRefusal(await look(member), spent)
  assertSuccess(await look(service))
  const budget = await budgetOf({ envelope_id })
  const [{ state, day }] = budget.envelopes
  assert.deepEqual([state, day.limit, day.reserved], ['ACTIVE', one_call, '0.000000'])
  assert.ok(Number(day.spent) > 0 && Number(budget.remaining) < Number(one_call))
  clock.advance(14 * hour_ms)
  assertSuccess(await look(member))
  const lower = allocation('research', '0', { envelope_id, max_per_month_usd: '0.000001' })
  assert.equal((await done(service, 'allocate', lower)).state, 'EXHAUSTED')
  await heard(t, envelope_id, '0.000000')
  assertRefusal(await look(member), spent)
  assertSuccess(await ask(member, 'budget', { tenant_id: 'dev', dimension: 'tokens' }))
  const wider = await done(service, 'allocate', allocation('research', '1', { envelope_id }))
  assert.deepEqual([wider.version, wider.state, wider.members], [3, 'ACTIVE', 1])
  await heard(t, envelope_id, '1.000000')
  assertSuccess(await look(member))
  const records = await service.records(service.tenant_id)
  const events = records.filter(({ event_type }) => event_type === 'EnvelopeAllocated')
  assert.deepEqual(
    events.map(({ meta }) => [meta.version, meta.day_limit_usd]),
    [
      [1, one_call],
      [2, '0.000000'],
      [3, '1.000000'],
    ],
  )
})

test('a throttle halves the bucket of a department, and factor 0 stops it until it is lifted', async (t) => {
  const { id: envelope_id } = (await budgetOf()).envelopes.find(
    ({ department }: Fields) => department === 'research',
  )
  const limitOf = (answer: Answer) => Number(answer.headers.get('x-ratelimit-limit'))
  const whole = limitOf(await look(member))
  const rules = [
    { match: 'svc.mars.*', factor: 0.5 },
    { match: '*', factor: 0.9 },
  ]
  const set = await done(service, 'throttle', { envelope_id, rules })
  assert.deepEqual(set.ignored_for, ['MAX reads'])
  assert.deepEqual(set.rules[0], { match: 'svc.mars.*', factor_bps: 5000 })
  await t.waitFor(async () => assert.equal(limitOf(await look(member)), whole / 2), wait)
  assert.equal(limitOf(await look(service)), whole, 'nobody else is slowed')
  await refused(
    member,
    'throttle',
    { envelope_id, rules: [] },
    'not the envelope authority or a charter member',
  )
  await done(service, 'throttle', { envelope_id, rules: [{ match: '*', factor: 0 }] })
  await t.waitFor(async () => assert.equal((await look(member)).status, 429), wait)
  const seen = await dispatch(member, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { protocol: 'MANA' },
  })
  assertSuccess(seen)
  await done(service, 'throttle', { envelope_id, rules: [] })
  await t.waitFor(async () => assert.equal((await look(member)).status, 200), wait)
})

test('a hold refuses in its own words until its moment, or until it is released', async (t) => {
  const until = at(hour_ms)
  const scope = `agent:${member.agent_did}`
  const placed = await done(member, 'hold', { reason: 'under review', scope, until })
  assert.deepEqual([placed.state, placed.affects], ['HELD', { kind: 'agent', id: member.agent_did }])
  const held = { code: 'policy_denied', stage: 5, reason: 'held: under review' } as const
  await t.waitFor(async () => assertRefusal(await look(member), held), wait)
  assertSuccess(await look(service))
  assertSuccess(
    await dispatch(member, { protocol: 'MAX', operation: 'audit_query', input: { protocol: 'MANA' } }),
  )
  clock.advance(hour_ms)
  assertSuccess(await look(member))
  assert.equal(await sweepHolds(service.service.store.engine, new Date(clock.now_ms())), 1)
  assert.equal(await sweepHolds(service.service.store.engine, new Date(clock.now_ms())), 0)
  const tenant = { reason: 'audit', scope: 'tenant', until: at(hour_ms) }
  await refused(member, 'hold', tenant, 'charter member required')
  const all = await done(service, 'hold', tenant)
  await t.waitFor(async () => assert.equal((await look(service)).status, 422), wait)
  await refused(member, 'hold', { ...tenant, until: at(0) }, 'not the placer or a charter member')
  const free = await done(service, 'hold', { ...tenant, until: at(-1), hold_id: all.hold_id })
  assert.deepEqual([free.state, free.released, free.still_held], ['RELEASED', 1, 0])
  await t.waitFor(async () => assertSuccess(await look(service)), wait)
  for (const wrong of [
    { until: at(91 * 24 * hour_ms) },
    { until: at(-1) },
    { scope: 'protocol:' },
    { scope: 'x' },
  ])
    assertRefusal(await ask(service, 'hold', { ...tenant, ...wrong }), { code: 'invalid_payload', stage: 7 })
  const records = await service.records(service.tenant_id)
  const ends = records.filter(({ event_type }) => event_type === 'HoldReleased').map(({ meta }) => meta.by)
  assert.deepEqual(ends.sort(), [service.agent_did, 'until'].sort())
})
