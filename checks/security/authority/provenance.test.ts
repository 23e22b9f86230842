// Whatever a caller writes: in records it is under meta.supplied, in its own log, and nothing acts on it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Asking, dispatch } from '../../engines/running-engine.ts'
import { hostileInputs, hostileMembers, phrase, word } from '../input/hostile-words.ts'

const victim = 'tenb'
/** They stop or change everything for later calls: each is tried last. */
const last = ['MAKER.emergency_stop', 'MAUSOLEUM.initiate']

let service: InProcessService
let attacker: Addresses

before(async () => {
  service = await startInProcess({ caller: { tenant_id: 'tena' } })
  attacker = service
  await service.newCaller({ tenant_id: victim })
})
after(() => service?.stop())

const call = (asking: Asking, headers?: Record<string, string>) => dispatch(attacker, asking, headers)

/** Where the attacker's text is in a record, outside of what is marked as supplied. */
function leaksIn(record: AuditRecord): string[] {
  const { meta, ...fields } = record
  const { supplied: _, ...engine } = meta
  const faults: string[] = []
  const walk = (value: unknown, place: string): void => {
    if (typeof value === 'string' && value.toLowerCase().includes(word)) faults.push(place)
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key.toLowerCase().includes(word)) faults.push(`${place}/${key}`)
      walk(inner, `${place}/${key}`)
    }
  }
  walk(fields, '')
  walk(engine, '/meta')
  return faults.map((place) => `${record.event_type} ${record.protocol}.${record.operation} ${place}`)
}

/** What is metered for the attacker must match its calls; nothing may be metered or recorded for others. */
async function assertUntouched(): Promise<void> {
  const records = await service.records('tena')
  assert.deepEqual([...new Set(records.flatMap(leaksIn))].sort(), [])
  assert.deepEqual(await service.records(victim), [], 'nothing stands in a log of somebody else')
  assert.deepEqual(
    records.filter(({ event_type }) => event_type === 'CrossingRecorded'),
    [],
  )
  const metered = records.filter(({ meta }) => meta.usage !== undefined)
  assert.ok(metered.every(({ event_type }) => event_type === 'ProtocolInvocation'))
  const { rows } = await service.service.store.engine_pool.query(
    'SELECT tenant_id, sum(calls)::int AS events FROM meter_sums GROUP BY tenant_id',
  )
  assert.deepEqual(rows, [{ tenant_id: 'tena', events: metered.length }])
}

test('every operation, with hostile text wherever it takes text', { timeout: 600_000 }, async () => {
  const operations = catalogue.flatMap(({ id, operations }) =>
    Object.entries(operations).map(([operation, facts]) => ({ protocol: id, operation, facts })),
  )
  const isLast = ({ protocol, operation }: Asking) => last.includes(`${protocol}.${operation}`)
  const ordered = [...operations.filter((one) => !isLast(one)), ...operations.filter(isLast)]
  let done = 0
  for (const { facts, ...named } of ordered) {
    for (const input of hostileInputs(facts, victim)) {
      const { status } = await call({ ...named, input })
      if (status === 200) done++
      assert.notEqual(status, 500, `${named.protocol}.${named.operation}`)
    }
  }
  assert.ok(done > 40, `only ${done} calls were done`)
  await assertUntouched()
})

const hostile = hostileMembers(victim)
const audit = { kind: 'Audit', event_type: 'custom.x', metadata: hostile }
const steps: Record<string, object[]> = {
  Audit: [audit],
  'Audit of an unknown tag': [{ ...audit, event_type: `${word} tag` }],
  Protocol: [
    {
      kind: 'Protocol',
      name: 'note',
      protocol: 'MAX',
      operation: 'audit_log_entry',
      payload: { event_type: 'Error', protocol: word, operation: word, meta: hostile },
    },
  ],
  Gate: [{ kind: 'Gate', condition: `"${word}" != ""`, on_true: [audit], on_false: [] }],
  Parallel: [{ kind: 'Parallel', steps: [audit, { ...audit, event_type: 'custom.y' }] }],
}

for (const [kind, list] of Object.entries(steps)) {
  test(`a workflow step: ${kind}`, { timeout: 120_000 }, async () => {
    const manifest = { name: kind.toLowerCase().replaceAll(' ', '-'), version: '1.0.0', steps: list }
    const submitted = await call({ protocol: 'MOON', operation: 'submit_manifest', input: { manifest } })
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body))
    const { manifest_ref } = submitted.body.output
    const input = { manifest_ref, input: { [word]: word }, wait_ms: 25_000 }
    const run = await call({ protocol: 'MOON', operation: 'execute_workflow', input })
    assert.equal(run.body.output?.state, 'succeeded', JSON.stringify(run.body))
    const records = await service.records('tena', {
      correlation_ids: [run.body.metadata.correlation_id],
      operation: 'audit_log_entry',
    })
    // The note itself, and the call that was authorized and metered for it.
    const calls = records.filter(({ event_type }) => event_type === 'ProtocolInvocation')
    const notes = records.filter(({ event_type }) => event_type !== 'ProtocolInvocation')
    assert.ok(calls.length > 0 && notes.length === calls.length)
    for (const { meta } of calls) assert.equal(meta.capability, 'svc.max.audit_log_entry')
    for (const { meta } of notes) {
      assert.deepEqual(Object.keys(meta).sort(), ['origin', 'supplied'])
      assert.equal((meta.supplied as typeof hostile).target_tenant, victim)
    }
    await assertUntouched()
  })
}

test('unknown names, headers, and the context of a call', async () => {
  const input = { event_type: 'custom.x', meta: {} }
  const noted = { protocol: 'MAX', operation: 'audit_log_entry', input }
  const headers = { 'x-svc-origin': word, traceparent: word, tracestate: `${word}=1`, baggage: `${word}=1` }
  assert.equal((await call(noted, headers)).status, 200)
  const context = { invoke_context: { metadata: hostile } } as Asking
  assert.equal((await call({ ...noted, ...context })).status, 200)
  assert.equal((await call({ ...noted, idempotency_key: word })).status, 200)
  const odd_names = [{ protocol: word }, { operation: word }, { version: word }, { tenant_id: phrase }]
  for (const odd of [...odd_names, { idempotency_key: word }])
    assert.ok((await call({ ...noted, input: {}, ...odd })).status >= 400)
  assert.equal((await call({ ...noted, tenant_id: phrase })).body.error.code, 'capability_denied')
  await assertUntouched()
})
