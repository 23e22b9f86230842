import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import { findRecords } from '@svc/audit/query/records'
import { entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { type ControlVerdict, type Framework, frameworks, judgeControls } from './compliance.ts'

let database: TestDatabase
let store: PostgresStore
let audit_log: AuditLog
let folder: string
let tenants = 0

before(async () => {
  database = await testDatabase()
  folder = await newFolder()
  store = await storeAt(database.url)
  audit_log = await openTestAuditLog(database.url, folder)
})
after(async () => {
  await audit_log.close()
  await store.close()
  await database.close()
  await rm(dirname(folder), { recursive: true })
})

/** The verdicts by control id for an audit log of exactly these records, and the records' hashes. */
async function judge(entries: Partial<AuditEntry>[], framework: Framework = 'core') {
  const tenant_id = `controls-${tenants++}`
  await audit_log.ready(tenant_id)
  for (const entry of entries) audit_log.record(entryOf(tenant_id, entry))
  await audit_log.flush()
  const transaction = store.transaction(tenant_id)
  const span = { first_seq: 1, last_seq: entries.length }
  const verdicts = await judgeControls(transaction.db, tenant_id, span, framework)
  const records = await findRecords(transaction.db, tenant_id, { after_seq: 0, limit: 100 })
  await transaction.rollback()
  const refs = records.map(({ record_hash }) => `max://${tenant_id}/record/${record_hash}`)
  return {
    verdicts,
    refs,
    of: (id: string) => verdicts.find((verdict) => verdict.id === id) as ControlVerdict,
  }
}

interface Case {
  readonly id: string
  readonly kept: Partial<AuditEntry>
  readonly broken: Partial<AuditEntry>
  /** Similar, but not covered by the control. */
  readonly other: Partial<AuditEntry>
}

const reconcile = { protocol: 'MEAL', operation: 'reconcile' }
const cases: readonly Case[] = [
  {
    id: 'refusals-have-reasons',
    kept: { event_type: 'Error', outcome: 'refused', meta: { reason: 'schema' } },
    broken: { event_type: 'Error', outcome: 'refused', meta: { code: 'policy_denied' } },
    other: { event_type: 'Error', outcome: 'error', meta: {} },
  },
  {
    id: 'changes-are-authorised',
    kept: { meta: { grant: 'svc.*.*' } },
    broken: { meta: { note: 'no grant' } },
    other: { event_type: 'CapabilityGrant', meta: {} },
  },
  {
    id: 'authority-is-named',
    kept: { meta: { grant: 'svc.*.*', grant_source: 'delegation', grant_ref: 'sha256:1' } },
    broken: { meta: { grant: 'svc.*.*', grant_source: 'delegation' } },
    other: { meta: { grant: 'svc.*.*', grant_source: 'key' } },
  },
  {
    id: 'charter-acts-have-verdicts',
    kept: {
      protocol: 'MOAT',
      operation: 'sign',
      meta: { grant: 'x', module: { verdict: 'mace://verdict/1' } },
    },
    broken: { protocol: 'MAXIM', operation: 'author', meta: { grant: 'x', module: {} } },
    other: { protocol: 'MOAT', operation: 'compliance_query', meta: { grant: 'x' } },
  },
  {
    id: 'books-reconciled',
    kept: { ...reconcile, meta: { grant: 'x', module: { balanced: true } } },
    broken: { ...reconcile, meta: { grant: 'x', module: { balanced: false } } },
    other: { protocol: 'MEAL', operation: 'statement', meta: { grant: 'x' } },
  },
  {
    id: 'dissent-kept',
    kept: { event_type: 'MotionTallied', meta: { dissent_count: 0 } },
    broken: { event_type: 'MotionTallied', meta: {} },
    other: { event_type: 'MotionConvened', meta: {} },
  },
]

for (const { id, kept, broken, other } of cases) {
  test(`${id}: no evidence, met, not met, each with the records that show it`, async () => {
    const none = await judge([other])
    assert.deepEqual([none.of(id).status, none.of(id).evidence], ['no_evidence', []])
    const met = await judge([other, kept, kept])
    assert.deepEqual([met.of(id).status, met.of(id).evidence], ['met', met.refs.slice(1)])
    const not_met = await judge([kept, broken, kept, broken])
    const breaches = [not_met.refs[1], not_met.refs[3]]
    assert.deepEqual([not_met.of(id).status, not_met.of(id).evidence], ['not_met', breaches])
    assert.match(none.of(id).statement, /^[A-Z].*\.$/)
  })
}

test('evidence is limited to a few records', async () => {
  const [{ kept, broken } = assert.fail()] = cases
  const many = (entry: Partial<AuditEntry>) => Array.from({ length: 9 }, () => entry)
  const met = await judge(many(kept))
  assert.deepEqual(met.of('refusals-have-reasons').evidence, met.refs.slice(0, 5))
  const not_met = await judge([...many(kept), ...many(broken)])
  assert.deepEqual(not_met.of('refusals-have-reasons').evidence, not_met.refs.slice(9, 14))
})

test('a framework evaluates the controls it has a clause for, under that clause', async () => {
  const idsOf = async (framework: Framework) => (await judge([{}], framework)).verdicts.map(({ id }) => id)
  const core = await idsOf('core')
  assert.deepEqual(
    core,
    cases.map(({ id }) => id),
  )
  for (const framework of frameworks.filter((name) => name !== 'core')) {
    for (const id of await idsOf(framework)) {
      const control = core.find((core_id) => id.endsWith(` ${core_id}`))
      assert.match(id, new RegExp(`^[A-Z][\\w. ]+ ${control}$`))
    }
  }
  assert.deepEqual((await idsOf('soc2')).length, 6)
  assert.ok(!(await idsOf('eu-ai-act')).some((id) => id.endsWith('books-reconciled')))
})

test('only records of the span and of the tenant are evaluated', async () => {
  const { broken } = cases[0]!
  const tenant_id = 'controls-span'
  await audit_log.ready(tenant_id)
  for (const meta of [{}, { reason: 'x' }, {}]) audit_log.record(entryOf(tenant_id, { ...broken, meta }))
  await audit_log.flush()
  const transaction = store.transaction(tenant_id)
  const span = { first_seq: 2, last_seq: 2 }
  const [verdict] = await judgeControls(transaction.db, tenant_id, span, 'core')
  const [foreign] = await judgeControls(transaction.db, 'controls-0', { first_seq: 1, last_seq: 99 }, 'core')
  await transaction.rollback()
  assert.deepEqual([verdict?.status, foreign?.status], ['met', 'no_evidence'])
})
