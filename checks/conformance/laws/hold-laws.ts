// Laws over HTTP for every operation of a plane, each on its example after its scene: new operations are
// covered before their author writes a test. An operation whose example does not succeed fails.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Operation, Plane, Protocol } from '@svc/contract/protocol'
import { Closed } from '@svc/contract/schema'
import { Client } from 'pg'
import { Type } from 'typebox'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { tryProtocol } from '../../rehearsal/test-ports.ts'
import { type ExampleEngine, type Prepared, startExampleEngine } from '../../scenes/example-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { newValidator } from '../dispatch/published-schemas.ts'
import { TableDigests } from './table-digests.ts'

/** Violates its own schema, as an author may: the law must say where. */
const careless = tryProtocol(() => ({ known: 1, nobody_declared: { deep: 1 } }), {
  output: Closed({ known: Type.Integer() }),
})

let service: ExampleEngine
let digests: TableDigests
let owner: Client

interface Subject {
  readonly name: string
  readonly protocol: Protocol
  readonly operation: Operation
  call(by: Addresses, input: unknown, headers?: Record<string, string>, tenant_id?: string): Promise<Answer>
}

/** Called by the test file of each plane, so that planes are judged in several processes. */
export function holdLaws(plane: Plane): void {
  before(async () => {
    service = await startExampleEngine({ more_protocols: [careless] })
    owner = new Client({ connectionString: service.db_url })
    await owner.connect()
    digests = await TableDigests.open(owner, service)
  })
  after(async () => {
    await owner.end()
    await service.stop()
  })
  const subjects = catalogue.filter((protocol) => protocol.plane === plane).flatMap(subjectsOf)
  test(`the plane ${plane} has operations`, () => assert.ok(subjects.length > 0))
  test('an answer with a field outside its output schema breaks the law, which names the field', async () => {
    const [subject] = subjectsOf(careless)
    await assert.rejects(
      judgeExample(subject!, await service.prepare(subject!.operation)),
      /TRY\.run does not fit its output schema: \/nobody_declared is not a/,
    )
  })
  for (const subject of subjects) test(`${subject.name} keeps the laws`, (t) => judge(t, subject))
}

const subjectsOf = (protocol: Protocol): Subject[] =>
  Object.entries(protocol.operations).map(([name, operation]) => ({
    name: `${protocol.id}.${name}`,
    protocol,
    operation,
    call: (by, input, headers = {}, tenant_id = by.tenant_id) =>
      dispatch(
        by,
        { protocol: protocol.id, version: protocol.version, operation: name, input, tenant_id },
        headers,
      ),
  }))

async function responseSchema(name: string): Promise<(value: unknown) => string[]> {
  const [protocol, operation] = name.toLowerCase().split(/\.(.*)/s)
  const path = `/schemas/${protocol}/v1/operations.${protocol}.${operation}.response.json`
  return newValidator((await (await fetch(service.api_url + path)).json()) as object)
}

async function recordsOf({ tenant_id }: Addresses, answer: Answer) {
  return service.records(tenant_id, { correlation_ids: [answer.headers.get('x-correlation-id')!] })
}

/** The example succeeds, its answer fits the published schema, and it is recorded and metered once. */
async function judgeExample({ name, operation, call }: Subject, { you, input }: Prepared, headers = {}) {
  const answer = await call(you, input, headers)
  const records = await recordsOf(you, answer)
  // The caller does not learn the cause of a failure; the record has it.
  assert.equal(answer.status, 200, JSON.stringify([answer.body, records.map(({ meta }) => meta.supplied)]))
  const { output, metadata } = assertSuccess(answer)
  assert.deepEqual((await responseSchema(name))(output), [])
  // Calls to other operations are one level deeper.
  const own = records.filter(
    ({ event_type, meta }) => event_type === 'ProtocolInvocation' && meta.depth === undefined,
  )
  assert.equal(own.length, 1, 'one record of the call')
  const recorded = own[0]!.meta.usage as { ms: number; tokens_in: number; uwh: number }
  const { seconds, tokens_in, watt_hours } = metadata.usage
  assert.ok(seconds > 0, 'its time is metered')
  assert.deepEqual(
    [recorded.ms / 1000, recorded.tokens_in, recorded.uwh / 1e6],
    [seconds, tokens_in, watt_hours],
  )
  if (!operation.meters.includes('tokens')) assert.equal(tokens_in, 0)
  return { answer, output, metadata }
}

async function judgeRepetition(subject: Subject, prepared: Prepared): Promise<void> {
  const { you, input } = prepared
  const headers = { 'idempotency-key': `law of ${subject.name}` }
  let first: Awaited<ReturnType<typeof judgeExample>> | undefined
  const changed = await digests.changedBy(async () => {
    first = await judgeExample(subject, prepared, headers)
  })
  assert.ok(changed.length > 0, 'a write writes')
  const changed_again = await digests.changedBy(async () => {
    const repeated = await subject.call(you, input, headers)
    const { output, metadata } = assertSuccess(repeated)
    assert.deepEqual(output, first!.output)
    assert.deepEqual([first!.metadata.replayed, metadata.replayed], [false, true])
    const events = (await recordsOf(you, repeated)).map(({ event_type }) => event_type)
    assert.deepEqual(events, ['ProtocolInvocation'], 'a replay has no event of the domain')
  })
  assert.deepEqual(changed_again, [])
}

async function judge(t: TestContext, subject: Subject): Promise<void> {
  const { operation, call } = subject
  const prepared = await service.prepare(operation)
  const { you, input } = prepared
  // Has no treaty with you. What it does with the same input lasts, too.
  const stranger = await service.newOrganization()

  await t.test('an unknown field is refused 422 with a pointer, and recorded', async () => {
    const answer = await call(you, { ...(input as object), 'nobody/declared~this': 1 })
    const error = assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason: 'schema' })
    const pointers = (error.details.faults as { pointer: string }[]).map(({ pointer }) => pointer)
    assert.ok(pointers.includes('/nobody~1declared~0this'), JSON.stringify(pointers))
    const codes = (await recordsOf(you, answer)).map(({ meta }) => meta.code)
    assert.deepEqual(codes, ['invalid_payload'])
  })

  await t.test('anything but an object is refused 422', async () => {
    for (const other of [null, 1, 'text', [], [input]])
      assertRefusal(await call(you, other), { code: 'invalid_payload', stage: 7, reason: 'schema' })
  })

  await t.test('another organization is refused in yours, and a dry run says the same', async () => {
    const refused = await call(stranger, input, {}, you.tenant_id)
    assert.equal(refused.status, 403, JSON.stringify(refused.body))
    const { dry_run } = (await call(stranger, input, { 'x-svc-dry-run': 'true' }, you.tenant_id)).body
    assert.deepEqual([dry_run.verdict, dry_run.error.code], ['refused', refused.body.error.code])
  })

  await t.test('a dry run of the example is allowed and does nothing', async () => {
    await digests.begin()
    const changed = await digests.changedBy(async () => {
      const answer = await call(you, input, { 'x-svc-dry-run': 'true' })
      assert.equal(answer.body.dry_run.verdict, 'allowed')
      const events = (await recordsOf(you, answer)).map(({ event_type }) => event_type)
      assert.deepEqual([...new Set(events)], ['AuthorizationCheck'])
    })
    assert.deepEqual(changed, [])
  })

  if (operation.effect === 'read')
    await t.test('the example succeeds, and changes nothing but the audit log', async () => {
      const changed = await digests.changedBy(() => judgeExample(subject, prepared))
      assert.deepEqual(changed, [])
    })
  else
    await t.test('the example succeeds, and its repetition by key changes nothing', () =>
      judgeRepetition(subject, prepared),
    )

  await t.test('another organization learns nothing of it by the same input', async () => {
    const { body } = await call(stranger, input)
    const text = JSON.stringify(body.output ?? body.error)
    // Who runs the engine is known to all.
    const own_texts = [you.tenant_id, you.agent_did].filter(
      (own) => own !== service.operator.tenant_id && !JSON.stringify(input).includes(own),
    )
    for (const own of own_texts) assert.ok(!text.includes(own), `${own} is in ${text}`)
  })
}
