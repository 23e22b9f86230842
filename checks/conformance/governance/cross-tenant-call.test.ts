// "A cross-treaty request is recorded in both organizations' chains": also a refused one, and only what
// concerns both.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { treatyHour } from '@svc/contract/money/budget-counter'
import { spentOf } from '@svc/protocols/economic/usage/spend-store'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { testTreaty } from '../../scenes/test-treaty.ts'
import { eventually, until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

const start = '2026-11-16T10:00:00.000Z'
const clock = manualClock(start)
let service: InProcessService
let ann: Addresses
let bob: Addresses
let treaties: StandingTreaty[] = []
const hour_ms = 3_600_000

before(async () => {
  service = await startInProcess({
    clock,
    treaties: { find: async () => treaties[0], between: () => treaties },
  })
  ann = await service.newCaller({ tenant_id: 'acme' })
  bob = await service.newCaller({ tenant_id: 'globex' })
})
after(() => service.stop())

function agree(more: Partial<StandingTreaty>, limits = {}): void {
  const parties = [ann, bob].map(({ tenant_id, agent_did }) => ({ tenant: tenant_id, did: agent_did }))
  const grant = { to: 'acme', capability: 'svc.mars.query_registry', limits }
  treaties = [testTreaty([parties[0]!, parties[1]!], [grant], more)]
}

const look = (more = {}, headers = {}): Promise<Answer> =>
  dispatch(
    ann,
    { protocol: 'MARS', operation: 'query_registry', tenant_id: 'globex', input: { kind: 'agent' }, ...more },
    headers,
  )

/** The records of one call in both chains, once there are `count`. */
async function bothSides(
  { body }: Pick<Answer, 'body'>,
  count: number,
): Promise<Record<'acme' | 'globex', AuditRecord[]>> {
  const correlation_id = (body.metadata ?? body.error).correlation_id
  return await until(`${count} records are there`, async () => {
    const acme = await service.records('acme', { correlation_ids: [correlation_id] })
    const globex = await service.records('globex', { correlation_ids: [correlation_id] })
    return acme.length + globex.length >= count && { acme, globex }
  })
}

test('a call under a treaty is recorded in both chains, and each record has the hash of the other', async () => {
  agree({})
  const answer = await look()
  assertSuccess(answer)
  const { acme, globex } = await bothSides(answer, 3)
  const [own, acknowledged] = acme
  const [copy] = globex
  assert.deepEqual(
    [own, acknowledged, copy].map((record) => record?.event_type),
    ['ProtocolInvocation', 'CrossingRecorded', 'ProtocolInvocation'],
  )
  assert.equal(globex.length, 1)
  const { meta } = copy!
  assert.deepEqual(meta.counterpart, { tenant_id: 'acme', seq: own!.seq, record_hash: own!.record_hash })
  assert.deepEqual(acknowledged!.meta.counterpart, {
    tenant_id: 'globex',
    seq: copy!.seq,
    record_hash: copy!.record_hash,
  })
  assert.equal(acknowledged!.meta.record_hash, own!.record_hash)
  assert.deepEqual(
    [meta.caller_tenant, meta.treaty_id, copy!.caller_did],
    ['acme', treaties[0]!.id, ann.agent_did],
  )
  assert.equal(meta.usage, undefined, 'who called pays')
  assert.equal(copy!.outcome, 'success')
  const period = { from: '2026-11-16T00:00:00Z', to: '2026-11-17T00:00:00Z' }
  const auditor = await service.newCaller({ tenant_id: 'globex', capabilities: ['svc.max.*'] })
  for (const [reader, calls] of [
    [auditor, 1],
    [await service.newCaller({ tenant_id: 'acme', capabilities: ['svc.max.*'] }), 1],
  ] as const) {
    const report = await dispatch(reader, {
      protocol: 'MAX',
      operation: 'compliance_report',
      input: { period },
    })
    const { authorities, controls } = assertSuccess(report).output as {
      authorities: object[]
      controls: { id: string; status: string }[]
    }
    assert.deepEqual(authorities, [{ source: 'treaty', ref: treaties[0]!.id, calls }])
    assert.equal(controls.find(({ id }) => id === 'authority-is-named')?.status, 'evidence', reader.tenant_id)
  }
})

test('a refusal is recorded in both chains, with its reason', async () => {
  treaties = []
  const answer = await look()
  assertRefusal(answer, { code: 'capability_denied', stage: 4, reason: 'no active treaty' })
  const { acme, globex } = await bothSides(answer, 3)
  assert.deepEqual([acme[0]!.meta.reason, globex[0]!.meta.reason], ['no active treaty', 'no active treaty'])
  assert.deepEqual([globex[0]!.event_type, globex[0]!.outcome], ['SecurityViolation', 'refused'])
})

test('callers without a treaty cannot flood another log: their refusals are counted in both, completely', async () => {
  treaties = []
  const eve = await service.newCaller({ tenant_id: 'evil' })
  const [sent, before_all] = [60, (await service.records('globex')).length]
  const calls = [
    { protocol: 'MARS', operation: 'query_registry' },
    { protocol: 'MAX', operation: 'audit_query' },
  ]
  const ask = (n: number) => dispatch(eve, { ...calls[n % 2], input: {}, tenant_id: 'globex' })
  await Promise.all(Array.from({ length: sent }, (_, n) => ask(n)))
  const sumOf = (records: readonly AuditRecord[]) =>
    records.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
  await eventually(async () => {
    const own = (await service.records('evil')).filter(({ outcome }) => outcome === 'refused')
    const copies = (await service.records('globex')).slice(before_all)
    assert.deepEqual([sumOf(own), sumOf(copies)], [sent, sent])
    assert.ok(copies.length < sent / 2, `${copies.length} copies`)
    assert.ok(
      copies.every(({ meta, caller_did }) => meta.caller_tenant === 'evil' && caller_did === eve.agent_did),
    )
  })
  await Promise.all(
    Array.from({ length: sent }, (_, n) =>
      dispatch(eve, { ...calls[1], input: {}, tenant_id: `made-up-${n}` }),
    ),
  )
  await eventually(async () => {
    const own = (await service.records('evil')).filter(({ outcome }) => outcome === 'refused')
    assert.equal(sumOf(own), 2 * sent)
    assert.ok(own.length < sent, 'names that are made up are not counted apart')
  })
})

test('dry runs, calls stopped before stage 4, and own notes reach no other log', async () => {
  agree({})
  const before_all = (await service.records('globex')).length
  const answer = await look({}, { 'x-svc-dry-run': 'true' })
  assert.equal(answer.status, 200)
  assertRefusal(await look({ operation: 'no_such' }), { code: 'unknown_operation', stage: 1 })
  const meta = {
    target_tenant: 'globex',
    code: 'x',
    counterpart: { tenant_id: 'globex', record_hash: 'y' },
    caller_tenant: 'acme',
  }
  const forged = { protocol: 'MAX', operation: 'audit_log_entry', input: { event_type: 'Error', meta } }
  assertSuccess(await dispatch(ann, forged))
  const nobody = await look({ tenant_id: 'nobody-there' })
  assertRefusal(nobody, { code: 'capability_denied', stage: 4, reason: 'no active treaty' })
  // A cross-tenant call that is recorded: the writer has then processed everything before it.
  await bothSides(await look(), 3)
  assert.equal((await service.records('globex')).length, before_all + 1)
  assert.deepEqual(await service.records('nobody-there'), [])
})

test('a treaty counts the calls and the cost of the whole organization', async () => {
  clock.advance(2 * hour_ms)
  // Two calls of this day were made above; new terms count them, too.
  agree({ rate_limits: { per_hour: 2, per_day: 5 } })
  const eve = await service.newCaller({ tenant_id: 'acme' })
  const ask = (caller: Addresses) =>
    dispatch(caller, {
      protocol: 'MARS',
      operation: 'query_registry',
      tenant_id: 'globex',
      input: { kind: 'agent' },
    })
  assertSuccess(await ask(ann))
  await bothSides(await ask(eve), 3)
  assertRefusal(await ask(ann), { code: 'rate_limited', stage: 5, reason: 'limit reached: per_hour' })
  const { calls } = await spentOf(
    service.service.store.engine,
    'acme',
    treatyHour(treaties[0]!.root_id, '2026-11-16T12'),
  )
  assert.equal(calls, 2n, 'what is refused is not counted')
  clock.advance(hour_ms)
  assertSuccess(await ask(eve))
  assertRefusal(await ask(eve), { code: 'rate_limited', stage: 5, reason: 'limit reached: per_day' })
  clock.advance(24 * hour_ms)
  agree({}, { weekly_budget_usd: '0.000001' })
  assertRefusal(await ask(ann), {
    code: 'capability_denied',
    stage: 4,
    reason: 'limit reached: weekly_budget_usd',
  })
})
