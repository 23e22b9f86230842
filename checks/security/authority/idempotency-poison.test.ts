// T20, poisoned idempotency keys: whatever is tried with a key, there is one effect, no answer to another
// caller, and a record.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { revokeKey } from '@svc/adapters/access/api-keys'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, Text } from '@svc/contract/schema'
import {
  assertRefusal,
  assertRefusedAndRecorded,
  assertSuccess,
} from '../../conformance/dispatch/expectations.ts'
import { connect, keyOf, type McpScene, startWithMcp } from '../../conformance/gateway/mcp-scene.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Asking, dispatch } from '../../engines/running-engine.ts'
import { startRedis, type TestRedis } from '../../neighbours/test-redis.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { eventually } from '../../suite/eventually.ts'

const day_ms = 24 * 3_600_000
const begun = '2026-11-15T10:00:00.000Z'
const duplicates = 100
const stream = { accept: 'text/event-stream' }
const carried = { capabilities: ['svc.poison.*'] }

/** What any replica executed, and the gates that hold some of it. */
const executed: string[] = []
const gates = new Map<string, PromiseWithResolvers<void>>()
const allowed = new Set<string>()

async function happen({ name }: { name: string }, context: OperationContext) {
  executed.push(name)
  context.audit('custom.happened', { name })
  await gates.get(name)?.promise
  return { nth: executed.length, canary: `canary of ${name}` }
}
const shape = { level: 'L0', meters: ['seconds'], effect: 'write', output: AnyObject } as const
const named = { ...shape, input: Closed({ name: Text(100) }), example: { name: 'x' } }
const poison = protocol({
  id: 'POISON',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Effects to be had with a key.',
  operations: {
    happen: operation({ ...named, summary: 'Happen.', handle: happen }),
    recur: operation({ ...named, summary: 'Happen under another name.', handle: happen }),
    attempt: operation({
      ...named,
      summary: 'Count a try, and happen where it is allowed.',
      handle(input, context) {
        context.audit('custom.tried', { name: input.name })
        if (allowed.has(input.name)) return happen(input, context)
        throw context.keepingRows(refuse('policy_denied', 'Not yet; try later.', { reason: 'not yet' }))
      },
    }),
  },
})

let redis: TestRedis
let service: McpScene
let replica: InProcessService
/** The clocks of both. */
let clocks: ManualClock[]

before(async () => {
  redis = await startRedis()
  clocks = [manualClock(begun, 'a'), manualClock(begun, 'b')]
  const choices = { identity: key_only_resolver, more_protocols: [poison], caller: carried }
  const config = { redis_url: redis.url, master_key: randomBytes(32) }
  service = await startWithMcp({ ...choices, clock: clocks[0]!, config })
  replica = await startInProcess({
    ...choices,
    clock: clocks[1]!,
    config: { ...config, db_url: service.db_url },
  })
})
after(async () => {
  await replica?.stop()
  await service?.stop()
  await redis?.close()
})

const atReplica = (caller: Addresses) => ({ ...caller, api_url: replica.api_url })
const timesOf = (name: string) => executed.filter((entry) => entry === name).length

/** A call of POISON happen with this key; any part can be replaced. */
function ask(caller: Addresses, key: string, name: string, more: Asking = {}, headers = {}) {
  const request = { protocol: 'POISON', version: 'v1.0.0', operation: 'happen', input: { name }, ...more }
  return dispatch(caller, request, { 'idempotency-key': key, ...headers })
}
async function outputOf(call: ReturnType<typeof ask>, replayed: boolean) {
  const { output, metadata } = assertSuccess(await call)
  assert.equal(metadata.replayed, replayed)
  return output
}
const reused = (reason: string) => ({ code: 'idempotency_key_reused', stage: 7, reason }) as const
const holding = (name: string) => {
  const gate = Promise.withResolvers<void>()
  gates.set(name, gate)
  return gate
}

test('another body, operation or version under a used key is refused, recorded, and changes nothing', async () => {
  const output = await outputOf(ask(service, 'used', 'first'), false)
  const before_all = executed.length
  for (const [name, more] of [
    ['second', {}],
    ['first', { operation: 'recur' }],
    ['first', { version: 'v1' }],
    ['first', { input: { name: 'first ' } }],
  ] as const) {
    for (const caller of [service, atReplica(service)]) {
      const answer = await ask(caller, 'used', name, more)
      await assertRefusedAndRecorded(
        caller === service ? service : replica,
        answer,
        reused('another request'),
      )
      assert.doesNotMatch(JSON.stringify(answer.body), /canary/)
    }
  }
  assert.equal(executed.length, before_all)
  assert.deepEqual(await outputOf(ask(service, 'used', 'first'), true), output)
})

test('a key means nothing to another tenant, and another caller is refused without any part of the answer', async () => {
  const output = await outputOf(ask(service, 'whose', 'ours'), false)
  const neighbour = await service.newCaller({ ...carried, tenant_id: 'neighbour' })
  assert.notDeepEqual(await outputOf(ask(neighbour, 'whose', 'ours'), false), output)
  const colleague = await service.newCaller(carried)
  const answer = await ask(colleague, 'whose', 'ours')
  await assertRefusedAndRecorded(service, answer, reused('another caller'))
  assert.doesNotMatch(JSON.stringify(answer.body), /canary/)
  const intruder = await ask(neighbour, 'whose', 'ours', { tenant_id: service.tenant_id })
  assertRefusal(intruder, { code: 'capability_denied', stage: 4 })
  assert.equal(timesOf('ours'), 2)
})

test('a caller whose permission or key is gone gets no replay, and does not learn whether there is one', async () => {
  const expires_at = new Date(clocks[0]!.now_ms() + 1_000).toISOString()
  const short = { capabilities: [{ name: 'svc.poison.*', caveats: [], expires_at }] }
  const [caller, colleague] = [await service.newCaller(short), await service.newCaller(short)]
  await outputOf(ask(caller, 'revoked', 'rights'), false)
  await outputOf(ask(atReplica(caller), 'revoked', 'rights'), true)
  for (const clock of clocks) clock.advance(1_001)
  for (const asking of [caller, colleague, atReplica(caller)]) {
    const answer = await ask(asking, 'revoked', 'rights')
    assertRefusal(answer, { code: 'capability_denied', stage: 4 })
    assert.doesNotMatch(JSON.stringify(answer.body), /canary|idempotency/)
  }
  const holder = await service.newCaller(carried)
  await outputOf(ask(holder, 'key gone', 'key gone'), false)
  await revokeKey(service.service.store.engine, holder.tenant_id, holder.key_id)
  for (const asking of [holder, atReplica(holder)]) {
    await eventually(async () => {
      assertRefusal(await ask(asking, 'key gone', 'key gone'), { code: 'unauthenticated', stage: null })
    })
  }
  assert.deepEqual([timesOf('rights'), timesOf('key gone')], [1, 1])
})

test('a hundred at once, on one replica and on two, quick and slow: one execution', async () => {
  for (const [name, callers] of [
    ['two quick', [service, atReplica(service)]],
    ['one slow', [service]],
    ['two slow', [service, atReplica(service)]],
  ] as const) {
    const gate = name.endsWith('slow') ? holding(name) : undefined
    const asking = Array.from({ length: duplicates }, (_, i) => ask(callers[i % callers.length]!, name, name))
    await eventually(() => assert.equal(timesOf(name), 1))
    gate?.resolve()
    const answers = await Promise.all(asking)
    const outcomes = answers.map(({ status, body }) =>
      status === 200 ? body.metadata.replayed : body.error.code,
    )
    const others = outcomes.filter((what) => what !== false)
    assert.deepEqual([timesOf(name), others.length], [1, duplicates - 1])
    for (const what of others) assert.ok(what === true || what === 'idempotency_in_flight', String(what))
    const outputs = answers.flatMap(({ status, body }) =>
      status === 200 ? [JSON.stringify(body.output)] : [],
    )
    assert.equal(new Set(outputs).size, 1)
  }
})

test('a header and a field that differ are refused, and neither key is used', async () => {
  const answer = await ask(service, 'head', 'torn', { idempotency_key: 'body' })
  assertRefusal(answer, { code: 'idempotency_key_reused', stage: null, reason: 'two keys' })
  assert.equal(timesOf('torn'), 0)
  for (const key of ['head', 'body']) await outputOf(ask(service, key, `${key} free`), false)
})

test('a refusal is never stored as an answer, even if its writes remain', async () => {
  const tries = ['kept', 'kept', 'kept']
  for (const key of tries) {
    const answer = await ask(service, key, 'kept', { operation: 'attempt' })
    assertRefusal(answer, { code: 'policy_denied', stage: 7, reason: 'not yet' })
  }
  allowed.add('kept')
  const output = await outputOf(ask(service, 'kept', 'kept', { operation: 'attempt' }), false)
  assert.deepEqual(await outputOf(ask(service, 'kept', 'kept', { operation: 'attempt' }), true), output)
  const events = await service.records(service.tenant_id, {
    event_types: ['custom.tried', 'custom.happened'],
  })
  const of_it = events.filter(({ meta }) => meta.name === 'kept').map(({ event_type }) => event_type)
  assert.deepEqual(of_it.toSorted(), ['custom.happened', ...Array(tries.length + 1).fill('custom.tried')])
})

test('replays are recorded as such, cost nothing, and emit no second event', async () => {
  const name = 'billed'
  const first = assertSuccess(await ask(service, name, name))
  const again = assertSuccess(await ask(atReplica(service), name, name))
  const { correlation_id, usage } = again.metadata
  assert.equal(usage.amount_usd, '0.000000')
  const [record, ...more] = await replica.records(service.tenant_id, { correlation_ids: [correlation_id] })
  assert.deepEqual(
    [record?.event_type, record?.meta.replayed, record?.meta.usage, more],
    ['ProtocolInvocation', true, undefined, []],
  )
  const filter = { correlation_ids: [first.metadata.correlation_id] }
  const records = await service.records(service.tenant_id, filter)
  assert.deepEqual(records.map(({ event_type }) => event_type).toSorted(), [
    'ProtocolInvocation',
    'custom.happened',
  ])
  assert.ok(records.some(({ meta }) => meta.usage))
})

test('a flushed Redis lifts nothing', async () => {
  const output = await outputOf(ask(service, 'flushed', 'flushed'), false)
  assert.equal(await redis.command('FLUSHALL'), '+OK')
  for (const caller of [service, atReplica(service)])
    assert.deepEqual(await outputOf(ask(caller, 'flushed', 'flushed'), true), output)
  await redis.kill()
  assert.deepEqual(await outputOf(ask(service, 'flushed', 'flushed'), true), output)
  await redis.start()
  assert.equal(timesOf('flushed'), 1)
})

test('streamed, over MCP and plain, it is one call with one answer', async (t) => {
  const streamed = await ask(service, 'surfaces', 'surfaces', {}, stream)
  const result = /^event: result\ndata: (.*)$/m.exec(streamed.body)?.[1]
  const { output } = JSON.parse(result ?? 'null')
  assert.deepEqual(await outputOf(ask(atReplica(service), 'surfaces', 'surfaces'), true), output)
  const client = await connect(service.mcp_url, { headers: keyOf(service) })
  t.after(() => client.close())
  const call = (name: string) =>
    client.callTool({
      name: 'svc.poison.happen',
      arguments: { name },
      _meta: { 'svc/idempotency_key': 'surfaces' },
    })
  const tool = await call('surfaces')
  assert.deepEqual([tool.structuredContent, tool._meta?.replayed], [output, true])
  const poisoned = await call('other')
  assert.equal(poisoned.isError, true)
  assert.match(JSON.stringify(poisoned), /idempotency_key_reused/)
  assert.match(
    (await ask(service, 'surfaces', 'other', {}, stream)).body,
    /^event: error\n.*idempotency_key_reused/,
  )
  assert.deepEqual([timesOf('surfaces'), timesOf('other')], [1, 0])
})

test('a client that reconnects to a stream gets the answer without a second effect', async () => {
  const gate = holding('left')
  const leaving = new AbortController()
  const body = {
    protocol: 'POISON',
    version: 'v1.0.0',
    operation: 'happen',
    input: { name: 'left' },
    tenant_id: service.tenant_id,
  }
  const headers = {
    ...keyOf(service),
    ...stream,
    'x-agent-did': service.agent_did,
    'content-type': 'application/json',
    'idempotency-key': 'left',
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal }
  const left = fetch(`${service.api_url}/v1/dispatch`, request).then((answer) => answer.text())
  const gone = assert.rejects(left)
  await eventually(() => assert.equal(timesOf('left'), 1))
  leaving.abort()
  await gone
  const back = ask(atReplica(service), 'left', 'left')
  gate.resolve()
  assert.equal((await outputOf(back, true)).canary, 'canary of left')
  assert.equal(timesOf('left'), 1)
})

test('a day less a second is a replay, a day and a second is a new call, on either replica', async () => {
  const output = await outputOf(ask(service, 'day', 'day'), false)
  for (const clock of clocks) clock.advance(day_ms - 1_000)
  for (const caller of [service, atReplica(service)])
    assert.deepEqual(await outputOf(ask(caller, 'day', 'day'), true), output)
  for (const clock of clocks) clock.advance(2_000)
  const anew = await outputOf(ask(atReplica(service), 'day', 'day'), false)
  assert.deepEqual(await outputOf(ask(service, 'day', 'day'), true), anew)
  assert.equal(timesOf('day'), 2)
})

test('an old duplicate that waits while its key expires gets the new answer, a refusal, or the old answer', async () => {
  for (const key of ['same', 'taken', 'failed']) await outputOf(ask(service, key, key), false)
  // A day has passed for one replica, and almost a day for the other.
  clocks[0]!.advance(day_ms + 1_000)
  clocks[1]!.advance(day_ms - 1_000)
  const late = async (key: string, name: string, more: Asking = {}) => {
    const gate = holding(name)
    const before_it = timesOf(name)
    const fresh = ask(service, key, name, more)
    await eventually(() => assert.equal(timesOf(name), before_it + 1))
    const old = ask(atReplica(service), key, key)
    await waitsForLock()
    return { fresh, old, gate }
  }
  const same = await late('same', 'same')
  same.gate.resolve()
  assert.deepEqual(await outputOf(same.old, true), await outputOf(same.fresh, false))
  const taken = await late('taken', 'taken by another')
  taken.gate.resolve()
  await outputOf(taken.fresh, false)
  assertRefusal(await taken.old, reused('another request'))
  const failed = await late('failed', 'fails')
  failed.gate.reject(refuse('policy_denied', 'It came to nothing.', { reason: 'nothing' }))
  assertRefusal(await failed.fresh, { code: 'policy_denied', stage: 7 })
  assert.equal((await outputOf(failed.old, true)).canary, 'canary of failed')
})

/** A statement waits for a row lock of another transaction. */
function waitsForLock(): Promise<void> {
  const waiting = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE NOT granted AND datname = current_database()`
  return eventually(async () => {
    const { rows } = await service.service.store.engine_pool.query(waiting)
    assert.ok(rows.length > 0)
  })
}
