// Laws over HTTP for every operation of the catalogue: new operations are covered before their author writes
// a test.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Operation, Protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import { Client } from 'pg'
import { Type } from 'typebox'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { tryProtocol } from '../../rehearsal/test-ports.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from './expectations.ts'
import { newValidator } from './published-schemas.ts'

/** A module's own refusals: the example names an object that this tenant does not have. */
const domain_refusals: readonly string[] = ['invalid_payload', 'policy_denied', 'missing_capability']

/** Violates its own schema, as an author may: the law must say where. */
const careless = tryProtocol(() => ({ known: 1, nobody_declared: { deep: 1 } }), {
  output: Closed({ known: Type.Integer() }),
})

let service: InProcessService
let owner: Client
let digests_sql: string

before(async () => {
  service = await startInProcess({ with_nodes: true, more_protocols: [careless] })
  owner = new Client({ connectionString: service.db_url })
  await owner.connect()
  // Many small tables in one statement would start parallel workers, which take ten times as long.
  await owner.query('SET max_parallel_workers_per_gather = 0')
  digests_sql = await digestsSql()
})
after(async () => {
  await owner.end()
  await service.stop()
})

interface Subject {
  readonly name: string
  readonly operation: Operation
  call(input?: unknown, headers?: Record<string, string>): Promise<Answer>
}

const subjectsOf = ({ id, version, operations }: Protocol): Subject[] =>
  Object.entries(operations).map(([name, operation]) => ({
    name: `${id} ${name}`,
    operation,
    call: (input: unknown = operation.example, headers = {}) =>
      dispatch(service, { protocol: id, version, operation: name, input }, headers),
  }))

const subjects: readonly Subject[] = catalogue.flatMap(subjectsOf)

async function responseSchema(name: string): Promise<(value: unknown) => string[]> {
  const [protocol, operation] = name.toLowerCase().split(' ')
  const path = `/schemas/${protocol}/v1/operations.${protocol}.${operation}.response.json`
  return newValidator((await (await fetch(service.api_url + path)).json()) as object)
}

async function recordsOf(answer: Answer) {
  const correlation_id = answer.headers.get('x-correlation-id')!
  return service.records(service.tenant_id, { correlation_ids: [correlation_id] })
}

async function judgeExample({ name, call }: Subject): Promise<void> {
  const answer = await call()
  const records = await recordsOf(answer)
  if (answer.status === 200) {
    assert.deepEqual((await responseSchema(name))(assertSuccess(answer).output), [])
  } else {
    // The caller does not learn the cause; the record has it.
    const causes = records.flatMap(({ meta }) => meta.supplied ?? [])
    assert.ok(domain_refusals.includes(answer.body.error.code), JSON.stringify([causes, answer.body]))
    assert.notEqual(answer.body.error.reason, 'schema')
    assertRefusal(answer, { code: answer.body.error.code, stage: 7 })
  }
  const ending = records.filter(({ event_type, meta }) =>
    // Calls to other operations are one level deeper.
    answer.status === 200
      ? event_type === 'ProtocolInvocation' && meta.depth === undefined
      : meta.code === answer.body.error.code,
  )
  assert.equal(ending.length, 1)
}

test('an answer with a field outside its output schema breaks the law, which names the field', async () => {
  const [subject] = subjectsOf(careless)
  await assert.rejects(
    judgeExample(subject!),
    /TRY\.run does not fit its output schema: \/nobody_declared is not a/,
  )
})

for (const subject of subjects) {
  const { name, operation, call } = subject
  test(`${name}: the example is accepted, or refused by the module itself; the response matches its schema`, () =>
    judgeExample(subject))

  test(`${name}: an unknown field is refused 422 with a pointer, and leaves exactly one record`, async () => {
    const answer = await call({ ...(operation.example as object), 'nobody/declared~this': 1 })
    const expected = { code: 'invalid_payload', stage: 7, reason: 'schema' } as const
    const { error } = await assertRefusedAndRecorded(service, answer, expected)
    const faults = error.details.faults as { pointer: string }[]
    assert.ok(
      faults.some(({ pointer }) => pointer === '/nobody~1declared~0this'),
      JSON.stringify(faults),
    )
  })

  test(`${name}: anything but an object is refused 422`, async () => {
    for (const input of [null, 1, 'text', [], [operation.example]]) {
      assertRefusal(await call(input), { code: 'invalid_payload', stage: 7, reason: 'schema' })
    }
  })

  test(`${name}: a dry run of the example is allowed and invokes nothing`, async () => {
    const answer = await call(operation.example, { 'x-svc-dry-run': 'true' })
    assert.equal(answer.body.dry_run.verdict, 'allowed')
    // Many refusals in a second are counted: the record is then the count, or a similar earlier one.
    const events = (await recordsOf(answer)).map(({ event_type }) => event_type)
    assert.deepEqual([...new Set(events)], ['AuthorizationCheck'])
  })

  if (operation.effect === 'write') {
    test(`${name}: a write honours the idempotency key`, async () => {
      const headers = { 'idempotency-key': `law of ${name}` }
      const before = await tableDigests()
      const first = await call(operation.example, headers)
      if (first.status !== 200) return
      const afterwards = await tableDigests()
      assert.notDeepEqual(afterwards, before)
      const again = assertSuccess(await call(operation.example, headers))
      assert.deepEqual(await tableDigests(), afterwards, 'a replay changes nothing')
      assert.deepEqual(again.output, first.body.output)
      assert.deepEqual([first.body.metadata.replayed, again.metadata.replayed], [false, true])
      const correlation_ids = [again.metadata.correlation_id as string]
      const own = await service.records(service.tenant_id, { correlation_ids })
      assert.deepEqual(
        own.map(({ event_type }) => event_type),
        ['ProtocolInvocation'],
        'a replay has no event of the domain',
      )
    })
  } else {
    test(`${name}: a read changes nothing but the audit log`, async () => {
      const before = await tableDigests()
      await call()
      assert.deepEqual(await tableDigests(), before)
    })
  }
}

/** Every call changes the audit log, usage, spending and times of last use. Measurements change with time. */
const always_changing = [
  'mind_cell',
  'meter_events',
  'meter_hours',
  'meter_sums',
  'spend',
  'billing',
  'runway_state',
  'audit_records',
  'audit_tree',
  'audit_checkpoints',
  'chain_heads',
  'journal_positions',
  'api_keys',
  // An index that can be lost is rebuilt in the background.
  'content_index',
  'content_index_epoch',
  'metric_series',
  'metric_point',
  'metric_sources',
]

/**
 * A digest of every other table, whoever owns it: one prepared statement, since it runs hundreds of times.
 */
async function tableDigests(): Promise<Record<string, string>> {
  await service.service.audit_log.flush()
  const { rows } = await owner.query<{ name: string; digest: string }>({ name: 'digests', text: digests_sql })
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

async function digestsSql(): Promise<string> {
  const { rows } = await owner.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND NOT tablename = ANY($1)",
    [always_changing],
  )
  const names = rows.map(({ name }) => name)
  assert.ok(names.includes('audit_inputs') && names.includes('idempotency_keys'))
  const digest = "md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest"
  return names.map((name) => `SELECT '${name}' AS name, ${digest} FROM ${name} t`).join(' UNION ALL ')
}
