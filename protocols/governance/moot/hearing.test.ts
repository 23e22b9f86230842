import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { compareChains } from './hearing.ts'

const at = '2026-11-15T10:00:00.000Z'
const tenants = ['acme', 'globex'] as const

function record(tenant_id: string, seq: number, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: '00000000-0000-4000-8000-000000000000',
    seq,
    event_type: 'ProtocolInvocation',
    correlation_id: '00000000-0000-4000-8000-000000000001',
    timestamp: at,
    tenant_id,
    caller_did: 'did',
    protocol: 'MARS',
    operation: 'discovery',
    outcome: 'success',
    latency_ms: 1,
    meta: {},
    previous_hash: '0'.repeat(64),
    record_hash: `${tenant_id}-${seq}`,
    ...more,
  }
}

const sound = (...records: AuditRecord[]) =>
  records.map((one) => ({ record: one, hash_ok: true, signature_ok: true }))
const factsOf = (...args: Parameters<typeof compareChains>) => compareChains(...args).map(({ fact }) => fact)

const request = record('acme', 1, { meta: { target_tenant: 'globex' } })
const copy = record('globex', 7, {
  meta: { caller_tenant: 'acme', counterpart: { tenant_id: 'acme', seq: 1, record_hash: 'acme-1' } },
})
const acknowledged = record('acme', 2, {
  event_type: 'CrossingRecorded',
  meta: { record_hash: 'acme-1', counterpart: { tenant_id: 'globex', seq: 7, record_hash: 'globex-7' } },
})

test('a cross-tenant call is reported once, with both records', () => {
  const [finding, ...more] = compareChains(sound(acknowledged, copy, request), tenants)
  assert.match(finding!.fact, /^MARS\.discovery .* is in both chains$/)
  assert.deepEqual(finding!.supported_by, ['max://acme/record/acme-1', 'max://globex/record/globex-7'])
  assert.deepEqual(more, [])
})

test('a record that only one side has is missing on the other', () => {
  assert.match(factsOf(sound(request), tenants)[0]!, /^missing on globex: MARS\.discovery/)
  assert.match(factsOf(sound(copy), tenants)[0]!, /^missing on acme: MARS\.discovery/)
  const notice = record('globex', 9, { event_type: 'CaseFiled', meta: { case_id: 'x', from_tenant: 'acme' } })
  assert.match(factsOf(sound(notice), tenants)[0]!, /^missing on acme: MARS\.discovery \(CaseFiled/)
  const original = record('acme', 3, { event_type: 'CaseFiled', meta: { case_id: 'x' } })
  assert.match(factsOf(sound(notice, original), tenants)[0]!, /is in both chains$/)
})

test('a call that never reached the other side is not missing there', () => {
  const meta = { target_tenant: 'globex', code: 'rate_limited', stage: 3 }
  const stopped = record('acme', 4, { event_type: 'RateLimitExceeded', outcome: 'refused', meta })
  const tried = record('acme', 5, { meta: { target_tenant: 'globex', dry_run: true } })
  const elsewhere = record('acme', 6, { meta: { target_tenant: 'initech' } })
  assert.deepEqual(factsOf(sound(stopped, tried, elsewhere), tenants), [])
})

test('two different records of one call contradict each other', () => {
  const [finding] = compareChains(sound(request, { ...copy, outcome: 'refused' }), tenants)
  assert.match(finding!.fact, /^the chains disagree about MARS\.discovery/)
  assert.deepEqual(finding!.contradicted_by, ['max://globex/record/globex-7'])
})

test('an altered record proves nothing for either side', () => {
  const spoiled = { record: copy, hash_ok: false, signature_ok: false }
  const hearing_findings = compareChains([...sound(request), spoiled], tenants)
  assert.deepEqual(hearing_findings, [
    {
      fact: 'record 7 of globex does not have the hash it states',
      supported_by: [],
      contradicted_by: ['max://globex/record/globex-7'],
    },
  ])
})

test("a tenant's own note has no counterpart", () => {
  const claimed = { ...copy, record_hash: 'globex-8', meta: { ...copy.meta, appended: true } }
  assert.match(
    factsOf(sound(request, claimed), tenants).join(),
    /^missing on globex: MARS\.discovery[^,]*,[^,]*$/,
  )
  assert.deepEqual(factsOf(sound(claimed), tenants), [])
})
