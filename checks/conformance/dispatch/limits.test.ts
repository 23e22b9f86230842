import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RateClass } from '@svc/contract/protocol'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { eventually } from '../../suite/eventually.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertRefusal, assertRefusedAndRecorded, assertSuccess } from './expectations.ts'

const limits = {
  infrastructure: { capacity: 4, refill_per_s: 2 },
  standard: { capacity: 4, refill_per_s: 2 },
  heavy: { capacity: 2, refill_per_s: 1 },
}
let service: InProcessService
let clock: ManualClock

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  const protocols = (['heavy', 'infrastructure'] as const).map((rate: RateClass) => ({
    ...trialProtocol('v1.0.0', rate.toUpperCase()).protocol,
    rate,
  }))
  const more_protocols = [trialProtocol().protocol, trialProtocol('v1.1.0').protocol, ...protocols]
  service = await startInProcess({ clock, more_protocols, config: { limits } })
})
after(() => service.stop())

let callers = 0
/** A charter-tier tenant without calls. */
function freshTenant(): Promise<Addresses> {
  return service.newCaller({ tenant_id: `fresh-${callers++}`, tier: 'charter' })
}

function left({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining'))
}

async function empty(caller: Addresses): Promise<void> {
  for (let taken = 0; taken < 4; taken++) assertSuccess(await ask(caller, 'echo'))
}

test('token bucket per tenant and protocol: RateLimited, 429 with Retry-After, when the bucket is exhausted', async () => {
  const caller = await freshTenant()
  for (const remaining of [3, 2, 1, 0]) assert.equal(left(await ask(caller, 'echo')), remaining)
  const answer = await ask(caller, 'echo')
  const expected = { code: 'rate_limited', stage: 3, reason: 'bucket empty' } as const
  const { error, record } = await assertRefusedAndRecorded(service, answer, expected, caller.tenant_id)
  assert.deepEqual([error.retry_after_ms, answer.headers.get('retry-after')], [500, '1'])
  // The event carries tenant, protocol and retry-after.
  const { tenant, protocol, retry_after_ms } = record.meta
  assert.deepEqual([tenant, protocol, retry_after_ms], [caller.tenant_id, 'TRIAL', 500])
})

test('a refused call costs nothing, and the bucket refills with time', async () => {
  const caller = await freshTenant()
  await empty(caller)
  assertRefusal(await ask(caller, 'echo'), { code: 'rate_limited', stage: 3 })
  clock.advance(500)
  assert.equal(left(await ask(caller, 'echo')), 0)
  assertRefusal(await ask(caller, 'echo'), { code: 'rate_limited', stage: 3 })
  clock.advance(60_000)
  assert.equal(left(await ask(caller, 'echo')), 3)
})

test('letter case and version aliases share one bucket', async () => {
  const caller = await freshTenant()
  const spellings = [
    { protocol: 'trial' },
    { protocol: 'Trial', version: 'v1' },
    { version: 'v1.1.0' },
    { version: 'latest' },
  ]
  for (const [index, more] of spellings.entries()) {
    assert.equal(left(await ask(caller, 'echo', {}, {}, more)), 3 - index)
  }
  assertRefusal(await ask(caller, 'echo', {}, {}, { protocol: 'tRIAL' }), { code: 'rate_limited', stage: 3 })
})

test('tenants do not share a bucket, nor do protocols', async () => {
  const [first, second] = [await freshTenant(), await freshTenant()]
  await empty(first)
  assert.equal(left(await ask(second, 'echo')), 3)
  assert.equal(left(await ask(first, 'echo', {}, {}, { protocol: 'INFRASTRUCTURE' })), 3)
  const colleague = await service.newCaller({ tenant_id: first.tenant_id })
  assertRefusal(await ask(colleague, 'echo'), { code: 'rate_limited', stage: 3 })
})

test('per-operation multipliers', async () => {
  const caller = await freshTenant()
  assert.equal(left(await ask(caller, 'costly')), 1)
  assertRefusal(await ask(caller, 'costly'), { code: 'rate_limited', stage: 3 })
  assert.equal(left(await ask(caller, 'echo')), 0)
})

test('heavy agents have lower capacity than infrastructure protocols', async () => {
  const caller = await freshTenant()
  const limitOf = async (protocol: string) =>
    Number((await ask(caller, 'echo', {}, {}, { protocol })).headers.get('x-ratelimit-limit'))
  assert.ok((await limitOf('HEAVY')) < (await limitOf('INFRASTRUCTURE')))
})

test("a tenant's tier scales its bucket", async () => {
  const limitOf = async (tier: 'charter' | 'institution' | 'sovereign') => {
    const caller = await service.newCaller({ tenant_id: `tier-${tier}`, tier })
    return (await ask(caller, 'echo')).headers.get('x-ratelimit-limit')
  }
  assert.deepEqual(
    [await limitOf('charter'), await limitOf('institution'), await limitOf('sovereign')],
    ['4', '20', '200'],
  )
})

test('MAX reads are never throttled', async () => {
  const caller = await freshTenant()
  const entry = { event_type: 'custom.x', meta: {} }
  const append = () => dispatch(caller, { protocol: 'MAX', operation: 'audit_log_entry', input: entry })
  for (let taken = 0; taken < 4; taken++) assertSuccess(await append())
  assertRefusal(await append(), { code: 'rate_limited', stage: 3 })
  const input = { outcome: 'refused' }
  for (let read = 0; read < 6; read++) {
    assertSuccess(await dispatch(caller, { protocol: 'MAX', operation: 'audit_query', input }))
  }
})

test('overflow: state-changing operations refused at Stage 3 with RateLimited; read operations continue; refusal records still written', async () => {
  // A negative limit: the buffer is always full.
  const config = { audit_bytes_max: -1 }
  const full = await startInProcess({ more_protocols: [trialProtocol().protocol], config })
  try {
    const answer = await ask(full, 'note', { text: 'x' })
    const expected = { code: 'rate_limited', stage: 3, reason: 'audit buffer overflow' } as const
    const { record } = await assertRefusedAndRecorded(full, answer, expected)
    assert.equal(record.event_type, 'RateLimitExceeded')
    assert.match(answer.headers.get('x-ratelimit-limit') ?? 'absent', /^\d+$/)
    assertSuccess(await ask(full, 'echo'))
    const ready = await fetch(`${full.api_url}/ready`)
    const body = (await ready.json()) as { ready: boolean; audit: object }
    assert.deepEqual([ready.status, body.ready, body.audit], [200, true, { state: 'overflow' }])
  } finally {
    await full.stop()
  }
})

test('calls that take nothing from a bucket are counted: dry runs, and refusals of what is never limited', async () => {
  const sent = 60
  const floods = {
    'a dry run': (caller: Addresses, n: number) =>
      ask(caller, n % 2 ? 'echo' : 'no_such', {}, { 'x-svc-dry-run': 'true' }),
    'an exempt operation': (caller: Addresses) =>
      dispatch(caller, { protocol: 'MAX', operation: 'audit_query', input: { no_such: 1 } }),
  }
  for (const [name, call] of Object.entries(floods)) {
    const caller = await freshTenant()
    await Promise.all(Array.from({ length: sent }, (_, n) => call(caller, n)))
    await eventually(async () => {
      const records = await service.records(caller.tenant_id)
      const counted = records.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
      assert.equal(counted, sent, name)
      assert.ok(records.length < sent / 2, `${name}: ${records.length} records`)
    })
  }
})

test('a dry run takes nothing from the bucket, and sees that it is empty', async () => {
  const caller = await freshTenant()
  const dry = () => ask(caller, 'echo', {}, { 'x-svc-dry-run': 'true' })
  for (let look = 0; look < 6; look++) assert.equal((await dry()).body.dry_run.verdict, 'allowed')
  await empty(caller)
  assert.equal((await dry()).body.dry_run.error.code, 'rate_limited')
})
