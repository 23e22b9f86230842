import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import { findRecords } from '@svc/audit/query/records'
import { entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { domain_events, taxonomy } from '@svc/contract/audit/event'
import { type TestDatabase, testDatabase } from '../../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../../checks/rehearsal/test-store.ts'
import { type ControlEvidence, evidenceOf } from './control-evidence.ts'
import { type FrameworkName, framework_names, frameworks } from './frameworks.ts'

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

/** What a log of exactly these records says to each control, and the names of the records. */
async function gather(entries: Partial<AuditEntry>[], framework: FrameworkName = 'core') {
  const tenant_id = `controls-${tenants++}`
  await audit_log.ready(tenant_id)
  for (const entry of entries) audit_log.record(entryOf(tenant_id, entry))
  await audit_log.flush()
  const transaction = store.transaction(tenant_id)
  const { db } = transaction
  const span = { first_seq: 1, last_seq: entries.length }
  const controls = await evidenceOf(frameworks[framework].controls, { db, tenant_id }, span)
  const records = await findRecords(db, tenant_id, { after_seq: 0, limit: 100 })
  await transaction.rollback()
  const refs = records.map(({ record_hash }) => `max://${tenant_id}/record/${record_hash}`)
  return { controls, refs, of: (id: string) => controls.find((control) => control.id === id)! }
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
    kept: { event_type: 'Error', outcome: 'refused', meta: { code: 'x', reason: 'schema' } },
    broken: { event_type: 'Error', outcome: 'refused', meta: { code: 'policy_denied' } },
    other: { event_type: 'Error', outcome: 'error', meta: { code: 'internal' } },
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
  test(`${id}: counts what answers it, names the first and last, and every exception`, async () => {
    const none = (await gather([other])).of(id)
    assert.deepEqual(
      [none.status, none.evidence[0]?.count, none.evidence[0]?.first],
      ['no_evidence', 0, undefined],
    )
    const log = await gather([other, kept, broken, kept, broken, other])
    const { status, evidence } = log.of(id)
    const [{ count, first, last, exceptions, exception_refs } = assert.fail()] = evidence
    assert.deepEqual(
      [status, count, first, last, exceptions, exception_refs],
      [
        'evidence',
        4,
        { seq: 2, ref: log.refs[1] },
        { seq: 5, ref: log.refs[4] },
        2,
        [log.refs[2], log.refs[4]],
      ],
    )
  })
}

test('all exceptions are counted, and a few of them named', async () => {
  const { broken } = cases[0]!
  const log = await gather(Array.from({ length: 9 }, () => broken))
  const [row] = log.of('refusals-have-reasons').evidence
  assert.deepEqual([row?.exceptions, row?.exception_refs], [9, log.refs.slice(0, 5)])
})

test('notes of callers are no evidence, whatever they say', async () => {
  const supplied = { reason: 'invented', grant: 'svc.*.*', dissent_count: 0 }
  const forged = ['Error', 'custom.MotionTallied', 'custom.x'].map((event_type) => ({
    event_type,
    outcome: 'refused' as const,
    meta: { supplied },
  }))
  const older = { event_type: 'MotionTallied', meta: { appended: true, dissent_count: 0 } }
  for (const framework of framework_names) {
    const { controls } = await gather([...forged, older], framework)
    assert.deepEqual(
      controls.filter(({ status }) => status === 'evidence'),
      [],
      framework,
    )
  }
})

test('what was only tried, or answered again to a retry, is no evidence and no exception', async () => {
  const { controls } = await gather([
    { ...reconcile, meta: { grant: 'x', replayed: true } },
    {
      event_type: 'AuthorizationCheck',
      outcome: 'refused',
      meta: { code: 'capability_denied', dry_run: true },
    },
  ])
  assert.deepEqual(
    controls.flatMap(({ evidence }) => evidence).map(({ count, exceptions }) => count + exceptions),
    Array(6).fill(0),
  )
})

test('denied access is what stage 4 refused, not an empty budget or a refusal of a module', async () => {
  const denied = (stage: number, code: string): Partial<AuditEntry> => ({
    event_type: 'Error',
    outcome: 'refused',
    meta: { code, reason: 'x', stage },
  })
  const log = await gather(
    [
      denied(4, 'capability_denied'),
      denied(4, 'policy_denied'),
      denied(5, 'policy_denied'),
      denied(7, 'policy_denied'),
    ],
    'soc2',
  )
  const { count, first, last } = log.of('CC6.1').evidence[1]!
  assert.deepEqual([count, first?.ref, last?.ref], [2, log.refs[0], log.refs[1]])
})

test('a failed workflow, action or report is an event and no failed call', async () => {
  const ended = (event_type: string): Partial<AuditEntry> => ({
    event_type,
    outcome: 'error',
    meta: { state: 'failed', error_code: 'timeout' },
  })
  const others = ['WorkflowFinished', 'StepCompleted', 'ActionFinished', 'ToolInvoked', 'Unbalanced'].map(
    ended,
  )
  const failed = (event_type: string, meta: object): Partial<AuditEntry> => ({
    event_type,
    outcome: 'error',
    meta: { ...meta },
  })
  const log = [
    ...others,
    failed('Error', { code: 'internal' }),
    failed('DependencyUnavailable', { code: 'unavailable' }),
    failed('DependencyUnavailable', {}),
  ]
  for (const [framework, id] of [
    ['iso42001', 'A.6.2.6'],
    ['eu-ai-act', 'Art. 12(2)(b)'],
  ] as const) {
    const row = (await gather(log, framework))
      .of(id)
      .evidence.find(({ counts }) => counts === 'Calls that failed, each with a code')
    assert.deepEqual([row?.count, row?.exceptions], [3, 1], framework)
  }
})

test('only records of the span and of the tenant count', async () => {
  const { broken } = cases[0]!
  const tenant_id = 'controls-span'
  await audit_log.ready(tenant_id)
  for (const reason of [undefined, 'x', undefined])
    audit_log.record(entryOf(tenant_id, { ...broken, meta: { code: 'x', ...(reason && { reason }) } }))
  await audit_log.flush()
  const transaction = store.transaction(tenant_id)
  const { db } = transaction
  const { controls } = frameworks.core
  const [own] = await evidenceOf(controls, { db, tenant_id }, { first_seq: 2, last_seq: 2 })
  const [foreign] = await evidenceOf(
    controls,
    { db, tenant_id: 'controls-0' },
    { first_seq: 1, last_seq: 99 },
  )
  const [empty] = await evidenceOf(controls, { db, tenant_id }, undefined)
  await transaction.rollback()
  assert.deepEqual([own?.status, own?.evidence[0]?.count, own?.evidence[0]?.exceptions], ['evidence', 1, 0])
  assert.deepEqual([foreign?.status, empty?.status], ['no_evidence', 'no_evidence'])
})

test('whoever stops waiting ends the pass', async () => {
  const { refs } = await gather([cases[0]!.kept])
  const tenant_id = refs[0]!.split('/')[2]!
  const transaction = store.transaction(tenant_id)
  const { db } = transaction
  const log = { db, tenant_id, signal: AbortSignal.abort(new Error('gone')) }
  await assert.rejects(evidenceOf(frameworks.core.controls, log, { first_seq: 1, last_seq: 1 }), /gone/)
  await transaction.rollback()
})

test('every framework maps each of its controls once, with question and gap, onto what the log can hold', () => {
  const events: ReadonlySet<string> = new Set([...taxonomy, ...domain_events])
  for (const framework of framework_names) {
    const { about, controls } = frameworks[framework]
    assert.match(about, /\.$/)
    assert.equal(new Set(controls.map(({ id }) => id)).size, controls.length, framework)
    for (const { id, title, question, gap, queries } of controls) {
      assert.ok(title.length > 2 && title.length <= 40, id)
      assert.match(question, /^[A-Z].*\?$/, id)
      assert.match(gap, /^[A-Z].*\.$/, id)
      for (const event of queries.flatMap(({ event_types = [] }) => event_types))
        assert.ok(events.has(event), `${id} ${event}`)
    }
  }
  const idsOf = (framework: FrameworkName) => frameworks[framework].controls.map(({ id }) => id)
  assert.deepEqual(
    idsOf('core'),
    cases.map(({ id }) => id),
  )
  const criteria = [5, 3, 4, 2, 3, 8, 5, 1, 2]
  assert.deepEqual(
    idsOf('soc2'),
    criteria.flatMap((count, at) => Array.from({ length: count }, (_, i) => `CC${at + 1}.${i + 1}`)),
  )
  assert.equal(idsOf('iso42001').length, 38)
  assert.deepEqual(
    [...new Set(idsOf('eu-ai-act').map((id) => /^Art\. \d+/.exec(id)?.[0]))],
    ['Art. 12', 'Art. 13', 'Art. 14', 'Art. 19', 'Art. 26'],
  )
})

test('no control is called satisfied', async () => {
  const states = new Set<ControlEvidence['status']>()
  for (const framework of framework_names) {
    const { controls } = await gather(
      cases.map(({ kept }) => kept),
      framework,
    )
    for (const { status } of controls) states.add(status)
    assert.doesNotMatch(JSON.stringify(controls), /compliant|conforms|satisfied/i)
  }
  assert.deepEqual([...states].sort(), ['evidence', 'no_evidence', 'not_shown'])
})
