import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { domain_events, taxonomy } from '@svc/contract/audit/event'
import { unresolved } from '@svc/contract/identity/identity'
import type { ConformanceLevel } from '@svc/contract/schema'
import {
  ask,
  assertRefusal,
  assertSuccess,
  type Expected,
} from '../../../checks/conformance/dispatch/expectations.ts'
import { trialProtocol } from '../../../checks/conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../../../checks/engines/in-process.ts'
import type { Addresses } from '../../../checks/engines/running-engine.ts'

const nobody = '00000000-0000-4000-8000-000000000000'
const meta_bytes_max = 64 * 1024
const levels = new Map<string, ConformanceLevel>()
let service: InProcessService

before(async () => {
  service = await startInProcess({
    more_protocols: [trialProtocol().protocol],
    caller: { capabilities: ['svc.*.*'] },
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: levels.get(did) ?? 'L1' },
      }),
    },
  })
})
after(() => service.stop())

function askMax(operation: string, input: object, caller: Addresses = service) {
  return ask(caller, operation, input, {}, { protocol: 'MAX' })
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
async function max(operation: string, input: object, caller: Addresses = service): Promise<any> {
  return assertSuccess(await askMax(operation, input, caller)).output
}
async function refused(operation: string, input: object, expected: Partial<Expected>, caller?: Addresses) {
  return assertRefusal(await askMax(operation, input, caller), {
    code: 'policy_denied',
    stage: 7,
    ...expected,
  })
}
/** A tenant with an empty audit log. */
function freshTenant(tenant_id: string): Promise<Addresses> {
  return service.newCaller({ tenant_id, capabilities: ['svc.*.*'] })
}

test('audit_log_entry returns the actual position in the chain', async () => {
  const caller = await freshTenant('places')
  const first = await max('audit_log_entry', { event_type: 'custom.first', meta: { a: 1 } }, caller)
  const second = await max('audit_log_entry', { event_type: 'custom.second', meta: {} }, caller)
  const records = await service.records('places')
  assert.deepEqual(
    records.map(({ event_type }) => event_type),
    ['custom.first', 'ProtocolInvocation', 'custom.second', 'ProtocolInvocation'],
  )
  for (const [output, record] of [
    [first, records[0]],
    [second, records[2]],
  ]) {
    assert.deepEqual(output, {
      seq: record.seq,
      record_hash: record.record_hash,
      previous_hash: record.previous_hash,
      chain_head: record.record_hash,
      stored_event_type: record.event_type,
    })
  }
  const { meta, outcome, caller_did, correlation_id } = records[0]!
  assert.deepEqual(meta, { origin: 'http', supplied: { a: 1 } })
  assert.deepEqual(
    [outcome, caller_did, correlation_id],
    ['success', caller.agent_did, records[1]!.correlation_id],
  )
})

test('audit_log_entry stores the given outcome, correlation, protocol and operation', async () => {
  const entry = { outcome: 'error', correlation_id: crypto.randomUUID(), protocol: 'MINE', operation: 'try' }
  const { seq } = await max('audit_log_entry', { event_type: 'Error', meta: {}, ...entry })
  const records = await service.records(service.tenant_id, { correlation_ids: [entry.correlation_id] })
  const { outcome, correlation_id, protocol, operation, meta } = records[0]!
  assert.deepEqual([records.length, records[0]?.seq], [1, seq])
  assert.deepEqual({ outcome, correlation_id, ...Object(meta.supplied) }, entry)
  assert.deepEqual([protocol, operation], ['MAX', 'audit_log_entry'])
})

test('engine-owned tags are reserved, except Error', async () => {
  for (const event_type of [...taxonomy, ...domain_events]) {
    if (event_type === 'Error') continue
    const error = await refused(
      'audit_log_entry',
      { event_type, meta: {} },
      { reason: 'reserved event type' },
    )
    assert.equal(error.details.denying_policy, 'engine-owned event types')
  }
})

test('a custom tag is stored unchanged, any other unknown one as Error with its name', async () => {
  const store = async (event_type: string) => {
    const correlation_id = crypto.randomUUID()
    const input = { event_type, correlation_id, meta: { original_event_type: 'mine' } }
    const { stored_event_type } = await max('audit_log_entry', input)
    const [record] = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
    return [stored_event_type, record?.event_type, Object(record?.meta.supplied).original_event_type]
  }
  for (const tag of ['custom.a', 'custom.shift_started', 'custom.a-b.c_d1'])
    assert.deepEqual(await store(tag), [tag, tag, 'mine'])
  for (const tag of ['Custom.a', 'custom.', 'custom.A', 'protocolinvocation', 'constructor', 'Ünbekannt'])
    assert.deepEqual(await store(tag), ['Error', 'Error', tag])
})

test('meta may hold 64 KiB, counted in bytes', async () => {
  const filled = (letter: string, bytes: number) => ({
    x: letter.repeat((bytes - 8) / Buffer.byteLength(letter)),
  })
  assert.equal(Buffer.byteLength(JSON.stringify(filled('a', meta_bytes_max))), meta_bytes_max)
  await max('audit_log_entry', { event_type: 'custom.big', meta: filled('a', meta_bytes_max) })
  for (const meta of [filled('a', meta_bytes_max + 1), filled('é', meta_bytes_max + 2)]) {
    const input = { event_type: 'custom.big', meta }
    const error = await refused('audit_log_entry', input, { code: 'invalid_payload', reason: 'too_large' })
    assert.equal((error.details.faults as { pointer: string }[])[0]?.pointer, '/meta')
  }
})

test('audit_log_entry and compliance_report require L1, queries L0', async () => {
  const caller = await freshTenant('plain')
  levels.set(caller.agent_did, 'L0')
  const at_gate = { stage: 4, reason: 'verified lineage required' }
  await refused('audit_log_entry', { event_type: 'custom.x', meta: {} }, at_gate, caller)
  const period = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
  await refused('compliance_report', { period }, at_gate, caller)
  const { records } = await max('audit_query', { outcome: 'refused' }, caller)
  assert.equal(records.length, 2)
  const { correlation_id } = records[0]
  assert.equal((await max('traceability_graph', { correlation_id }, caller)).complete, true)
  assert.equal((await max('explainability_request', { correlation_id }, caller)).decision, 'refused')
  const inputs = { outcome: 'refused', include_inputs: true }
  await refused('audit_query', inputs, { reason: 'verified lineage required' }, caller)
})

test('audit_query: every selector narrows, alone and together', async () => {
  const caller = await freshTenant('selecting')
  const other = await freshTenant('selecting')
  const ids: string[] = [crypto.randomUUID(), crypto.randomUUID()]
  for (const correlation_id of ids)
    await max('audit_log_entry', { event_type: 'custom.a', correlation_id, meta: {} }, caller)
  await refused('audit_log_entry', { event_type: 'CapabilityGrant', meta: {} }, {}, other)
  await ask(caller, 'echo')
  const all = await service.records('selecting')
  const [from, to] = [all[2]!.timestamp, all.at(-1)!.timestamp]
  const cases: [object, (record: AuditRecord) => boolean][] = [
    [{ correlation_id: ids[0] }, (record) => record.correlation_id === ids[0]],
    [{ correlation_ids: ids }, (record) => ids.includes(record.correlation_id)],
    [{ correlation_id: ids[0], correlation_ids: [ids[1]] }, (record) => ids.includes(record.correlation_id)],
    [{ event_type: ['custom.a', 'Error'] }, (record) => ['custom.a', 'Error'].includes(record.event_type)],
    [{ protocol: 'TRIAL' }, (record) => record.protocol === 'TRIAL'],
    [{ operation: 'audit_log_entry' }, (record) => record.operation === 'audit_log_entry'],
    [{ outcome: 'refused' }, (record) => record.outcome === 'refused'],
    [{ caller_did: other.agent_did }, (record) => record.caller_did === other.agent_did],
    [{ from }, ({ timestamp }) => timestamp >= from],
    [{ to }, ({ timestamp }) => timestamp < to],
    [{ after_seq: 3 }, ({ seq }) => seq > 3],
    [{ outcome: 'success', caller_did: other.agent_did }, () => false],
  ]
  for (const [input, holds] of cases) {
    const { records } = await max('audit_query', input, caller)
    // The queries themselves are recorded, too.
    const visible = records.filter(({ seq }: AuditRecord) => seq <= all.length)
    assert.deepEqual(visible, all.filter(holds), JSON.stringify(input))
  }
  await refused('audit_query', { limit: 5, verify: true }, { code: 'invalid_payload', reason: 'no_selector' })
})

test('audit_query pages through the whole chain in order, each record once', async () => {
  const caller = await freshTenant('paging')
  for (let i = 0; i < 4; i++) await max('audit_log_entry', { event_type: 'custom.page', meta: { i } }, caller)
  const whole = await service.records('paging')
  const collected: AuditRecord[] = []
  for (let after_seq = 0; ; ) {
    const page = await max(
      'audit_query',
      { after_seq, limit: 3, event_type: ['custom.page', 'ProtocolInvocation'] },
      caller,
    )
    collected.push(...page.records)
    assert.match(page.head, /^[0-9a-f]{64}$/)
    if (page.next_after_seq === undefined) break
    assert.deepEqual([page.records.length, page.next_after_seq], [3, page.records[2].seq])
    after_seq = page.next_after_seq
  }
  assert.deepEqual(collected.slice(0, whole.length), whole)
  const backwards: AuditRecord[] = []
  for (let before_seq: number | undefined = whole.length + 1; before_seq !== undefined; ) {
    const page = await max('audit_query', { before_seq, limit: 3 }, caller)
    assert.equal(page.next_after_seq, undefined)
    backwards.push(...page.records)
    before_seq = page.next_before_seq
  }
  assert.deepEqual(backwards, whole.toReversed())
})

test('audit_query: times that do not exist and other tenants are refused', async () => {
  for (const from of ['2026-02-31T00:00:00Z', '0000-01-01T00:00:00Z', '2025-02-29T10:00:00.5Z']) {
    const error = await refused(
      'audit_query',
      { from },
      { code: 'invalid_payload', reason: 'no_such_moment' },
    )
    assert.deepEqual(error.details.faults, [{ pointer: '/from', message: 'is no moment that exists' }])
  }
  await max('audit_query', { from: '2024-02-29T23:59:59.999999999Z', to: '9999-12-31T23:59:59Z' })
  for (const tenant_id of ['places', 'nobody-at-all'])
    await refused(
      'audit_query',
      { outcome: 'refused', tenant_id },
      { code: 'invalid_payload', reason: 'no_selector' },
    )
  await max('audit_query', { outcome: 'refused', tenant_id: service.tenant_id })
})

test('audit_query finds nothing in the audit log of another tenant', async () => {
  const [mine, theirs] = [await freshTenant('mine'), await freshTenant('theirs')]
  const { seq } = await max('audit_log_entry', { event_type: 'custom.secret', meta: { theirs: 1 } }, theirs)
  const [record] = await service.records('theirs', { after_seq: seq - 1 })
  for (const tenant_id of [undefined, 'theirs', 'nobody-at-all']) {
    const query = { correlation_id: record?.correlation_id, ...(tenant_id && { tenant_id, verify: true }) }
    const answer = await max('audit_query', query, mine)
    assert.deepEqual([answer.records, answer.head], [[], '0'.repeat(64)])
  }
  for (const operation of ['traceability_graph', 'explainability_request']) {
    const not_found = { code: 'invalid_payload', reason: 'not_found' } as const
    const theirs_asked = await refused(operation, { correlation_id: record?.correlation_id }, not_found, mine)
    const nobodys = await refused(operation, { correlation_id: nobody }, not_found, mine)
    const nameless = (message: string) => message.replace(/[0-9a-f-]{36}/, '')
    assert.equal(nameless(theirs_asked.message), nameless(nobodys.message))
  }
})

test('include_inputs returns what the caller sent, or redacted if its key is destroyed', async () => {
  const caller = await freshTenant('inputs')
  const input = { event_type: 'custom.kept', meta: { word: 'kept' } }
  await max('audit_log_entry', input, caller)
  const query = { event_type: ['ProtocolInvocation'], operation: 'audit_log_entry', include_inputs: true }
  const { records, inputs } = await max('audit_query', query, caller)
  assert.deepEqual(inputs, { [records[0].meta.input_hash]: input })
  const other = await service.newCaller({ tenant_id: 'inputs' })
  assert.deepEqual((await max('audit_query', query, other)).inputs, {}, "another's inputs are closed")
  await addMember(service.service.store.engine, 'inputs', other.agent_did, new Date(0))
  assert.deepEqual((await max('audit_query', query, other)).inputs, inputs, 'but open to the charter')
  await asOwner(service.db_url, (owner) =>
    owner.query("UPDATE audit_inputs SET wrapped_key = NULL WHERE tenant_id = 'inputs'"),
  )
  assert.deepEqual((await max('audit_query', query, caller)).inputs, {
    [records[0].meta.input_hash]: 'redacted',
  })
})

test('traceability_graph rebuilds a request: nodes, edges, module metadata, heads', async () => {
  const { metadata } = assertSuccess(await ask(service, 'echo'))
  const { correlation_id } = metadata
  const graph = await max('traceability_graph', { correlation_id })
  const types = graph.nodes.map(({ type }: { type: string }) => type).sort()
  assert.deepEqual(types, ['agent', 'policy', 'record', 'request'])
  assert.deepEqual(graph.edges.map(({ rel }: { rel: string }) => rel).sort(), [
    'authorizedBy',
    'wasAssociatedWith',
    'wasGeneratedBy',
  ])
  assert.deepEqual(graph.metadata, { looked_at: ['the invoke context'] })
  assert.deepEqual([graph.complete, graph.missing, graph.prov], [true, [], undefined])
  const heads = (await service.records(service.tenant_id)).map(({ record_hash }) => record_hash)
  assert.ok(heads.includes(graph.heads[service.tenant_id]))
  assert.deepEqual((await max('traceability_graph', { correlation_id, depth: 0 })).edges, [])
  const { prov } = await max('traceability_graph', { correlation_id, format: 'prov' })
  assert.deepEqual(Object.keys(prov).sort(), [
    'activity',
    'agent',
    'entity',
    'prefix',
    'wasAssociatedWith',
    'wasGeneratedBy',
    'wasInfluencedBy',
  ])
})

test('a request without its final record reports what is missing', async () => {
  const correlation_id = crypto.randomUUID()
  const meta = { code: 'capability_denied', stage: 4, grant: 'svc.*.*', dry_run: true }
  await max('audit_log_entry', { event_type: 'Error', correlation_id, meta })
  const { complete, missing, nodes } = await max('traceability_graph', { correlation_id })
  assert.deepEqual([complete, missing], [false, ['the record that ends the request']])
  // What the author of a record claims about stages and grants is content, not a statement of the service.
  assert.deepEqual(nodes.map(({ type }: { type: string }) => type).sort(), ['agent', 'record', 'request'])
  await refused(
    'explainability_request',
    { correlation_id },
    { code: 'invalid_payload', reason: 'not_found' },
  )
})

test('a record written by a caller cannot pass as the decision on the call that wrote it', async () => {
  const forged = { code: 'internal', capability: 'nothing', grant: 'svc.*', stage: 7 }
  const answer = assertSuccess(await askMax('audit_log_entry', { event_type: 'Error', meta: forged }))
  const { correlation_id } = answer.metadata
  const explanation = await max('explainability_request', { correlation_id })
  assert.deepEqual(
    [explanation.decision, explanation.consistent, explanation.capability.matched],
    ['allowed', true, 'svc.*.*'],
  )
  assert.deepEqual(
    await service.records(service.tenant_id, {
      correlation_ids: [correlation_id],
      event_types: ['SecurityViolation'],
    }),
    [],
  )
})
