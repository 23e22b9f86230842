// A page of a million-record audit log, with each filter, beside the same page of a small one. Times are
// reported, plans and ratios judged.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { findRecords, type RecordFilter } from '@svc/audit/query/records'
import { asOwner } from '@svc/audit/test-audit-log'
import type { Database, Statement } from '@svc/contract/database'
import { type Client, escapeLiteral } from 'pg'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { is_long, quantile, report } from '../faults/scene/chance.ts'
import { stopwatch } from '../suite/real-time.ts'
import { callersOf, momentAt, writeLargeAuditLog } from './large-audit-log.ts'

const small_records = 1_000
const large_records = 1_000_000
const long_only = { skip: is_long ? false : 'in the long form', timeout: 1_800_000 }
const page_records = 50
/** More than five: from then on the server may use one generic plan. */
const calls = 9
/** A page reads its rows and a few more, however long the audit log is. */
const passed_over_max = 2_500

type Question = Partial<Record<string, unknown>>

let service: InProcessService
let large: Addresses

before(async () => {
  if (!is_long) return
  service = await startInProcess()
  large = await auditLogOf('large', large_records)
})
after(() => service?.stop())

async function auditLogOf(tenant_id: string, records: number): Promise<Addresses> {
  await writeLargeAuditLog(service.db_url, tenant_id, records)
  return await service.newCaller({ tenant_id, capabilities: ['svc.max.*'] })
}

/** Filters of audit_query; each is tried in both orders. */
function questionsFor(tenant_id: string, records: number): Record<string, Question> {
  const { rare, early } = callersOf(tenant_id)
  const at = (share: number) => momentAt(share, records)
  return {
    everything: {},
    'event type, 5 of them': { event_type: ['Error'] },
    'event type, early': { event_type: ['CaseFiled'] },
    'event type, two': { event_type: ['Error', 'CaseFiled'] },
    'protocol, half of all': { protocol: 'MOTET' },
    'protocol, 5 of them': { protocol: 'MAUSOLEUM' },
    'protocol, early': { protocol: 'MOOT' },
    'protocol, none': { protocol: 'NONE' },
    'operation, 5 of them': { operation: 'seal' },
    'operation, early': { operation: 'file' },
    'outcome, refused': { outcome: 'refused' },
    'outcome, 5 of them': { outcome: 'error' },
    'caller, 5 of them': { caller_did: rare },
    'caller, early': { caller_did: early },
    'from the middle': { from: at(0.5) },
    'until the middle': { to: at(0.5) },
    'a hundredth in the middle': { from: at(0.5), to: at(0.51) },
    'refused, from the middle': { outcome: 'refused', from: at(0.5) },
    'protocol, until the middle': { protocol: 'MAX', to: at(0.5) },
  }
}

const ends = { oldest: { after_seq: 0 }, newest: { before_seq: Number.MAX_SAFE_INTEGER } }

async function timeOf(caller: Addresses, question: Question): Promise<number> {
  const input = { limit: page_records, ...question }
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const elapsed_ms = stopwatch()
    const { status, body } = await dispatch(caller, { protocol: 'MAX', operation: 'audit_query', input })
    times.push(elapsed_ms())
    assert.equal(status, 200, JSON.stringify(body))
  }
  return quantile(times, 0.5)
}

test('a page of a large audit log is measured beside one of a small audit log', long_only, async (t) => {
  const small = await auditLogOf('small', small_records)
  t.diagnostic(`N=${large_records}`)
  const middle = { after_seq: large_records / 2 }
  await compare(t, 'middle, everything', [large, middle], [small, { after_seq: small_records / 2 }])
  await compare(
    t,
    'end, everything',
    [large, { after_seq: large_records - page_records }],
    [small, { after_seq: small_records - page_records }],
  )
  const questions = questionsFor('large', large_records)
  const of_small = questionsFor('small', small_records)
  for (const [name, question] of Object.entries(questions))
    for (const [order, end] of Object.entries(ends))
      await compare(
        t,
        `${order}, ${name}`,
        [large, { ...question, ...end }],
        [small, { ...of_small[name], ...end }],
      )
})

type Query = readonly [Addresses, Question]

async function compare(t: TestContext, name: string, [large, question]: Query, [small, the_same]: Query) {
  const small_ms = await timeOf(small, the_same)
  const large_ms = await timeOf(large, question)
  const ratio = large_ms / small_ms
  report(t, { page: name, large_ms, small_ms, ratio })
}

test('every filter uses an index and discards few rows, with any cached plan', long_only, async () => {
  const questions = Object.entries(questionsFor('large', large_records))
  for (const [name, { event_type: event_types, ...question }] of questions)
    for (const [order, end] of Object.entries(ends)) {
      const newest_first = order === 'newest'
      const filter = { ...question, ...end, event_types, newest_first, limit: page_records } as RecordFilter
      for (const { plan_mode, node } of await plansOf(filter)) {
        const where = `${order}, ${name}, ${plan_mode}: ${JSON.stringify(node)}`
        assert.equal(node.scans.filter((scan) => scan === 'Seq Scan').length, 0, where)
        assert.ok(node.passed_over <= passed_over_max, where)
      }
    }
})

interface Plan {
  readonly scans: string[]
  /** Rows that were fetched and then discarded. */
  passed_over: number
}

/** Every statement of a search, with its custom and its generic plan. */
async function plansOf(filter: RecordFilter) {
  return await asOwner(service.db_url, async (client) => {
    await client.query("SET ROLE svc_app; SET svc.tenant_id = 'large'")
    const sent: { sql: string; values: readonly unknown[] }[] = []
    await findRecords(
      watched(client, (sql, values) => sent.push({ sql, values })),
      'large',
      filter,
    )
    const plans: { plan_mode: string; node: Plan }[] = []
    for (const plan_mode of ['force_custom_plan', 'force_generic_plan'])
      for (const [i, { sql, values }] of sent.entries()) {
        await client.query(`SET plan_cache_mode = ${plan_mode}; PREPARE asked_${i} AS ${sql}`)
        const parameters = values.length > 0 ? `(${values.map(literalOf).join(', ')})` : ''
        const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked_${i} ${parameters}`)
        plans.push({ plan_mode, node: readPlan(rows[0]['QUERY PLAN'][0].Plan) })
        await client.query(`DEALLOCATE asked_${i}`)
      }
    return plans
  })
}

/** A database that reports each statement, and runs it on this client. */
function watched(client: Client, onQuery: (sql: string, values: readonly unknown[]) => void): Database {
  return {
    ...service.service.store.engine,
    async execute<Row>({ text, values }: Statement) {
      onQuery(text, values)
      return { rows: (await client.query(text, [...values])).rows as Row[] }
    },
  }
}

function literalOf(value: unknown): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`)
  return typeof value === 'number' ? String(value) : escapeLiteral(String(value))
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

function readPlan(node: PlanNode, plan: Plan = { scans: [], passed_over: 0 }): Plan {
  // The tail of one tenant is a few rows, which the planner rightly reads as they lie.
  if (node['Relation Name'] !== 'audit_tail') plan.scans.push(node['Node Type'])
  plan.passed_over += node['Rows Removed by Filter'] ?? 0
  for (const below of node.Plans ?? []) readPlan(below, plan)
  return plan
}
