// Rules of calls in the caller's own process: who may end one, how often, how late, and what the log says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { clearLatch, setLatch } from '../stop-latch/api.ts'
import { mat } from './mat.ts'

const clock = manualClock('2026-11-18T10:00:00.000Z')
const tenants = ['acme', 'globex']
const ann = { tenant_id: 'acme', did: `did:oas:acme:agent:${'a1'.repeat(32)}` }
const bob = { tenant_id: 'acme', did: `did:oas:acme:agent:${'b2'.repeat(32)}` }
const eve = { tenant_id: 'globex', did: ann.did }
const day_ms = 24 * 3_600_000
let stage: Rehearsal

before(async () => {
  stage = await rehearse(mat, { tenants, ports: { clock } })
})
after(() => stage?.close())

const begin = (tool: unknown, args?: unknown, as = ann) =>
  stage.run('begin_call', { tool, ...(args !== undefined && { arguments: args }) }, as)
const end = (call_id: string, as = ann, more: object = {}) =>
  stage.run('end_call', { call_id, outcome: 'ok', ...more }, as)
const unknown = (attempt: Promise<unknown>) => assertRefused(attempt, 'invalid_payload', 'not_found')
const rowsOf = (tool_id: string) =>
  sql<{ outcome: string | null }>`SELECT outcome FROM mat_calls WHERE tool_id = ${tool_id}`.all(
    stage.store.engine,
  )

test('what the caller reports is marked as such, beside what the engine measured', async () => {
  const { call_id, tool_id } = await begin('refund', { amount: 40 })
  assert.equal(tool_id, 'own:refund')
  clock.advance(1_500)
  const output_hash = `sha256:${'0'.repeat(64)}`
  assert.deepEqual(await end(call_id, ann, { outcome: 'tool_error', latency_ms: 7, output_hash }), {
    call_id,
    tool_id,
    open_ms: 1_500,
  })
  const event = stage.records('acme').find(({ event_type }) => event_type === 'ToolInvoked')!
  const { origin: _, ...meta } = event.meta
  assert.deepEqual(meta, {
    call_id,
    tool_id,
    open_ms: 1_500,
    supplied: { outcome: 'tool_error', latency_ms: 7, output_hash },
  })
  assert.deepEqual(await rowsOf(tool_id), [{ outcome: 'tool_error' }])
})

test('the commitment proves the arguments to whoever has them and the salt', async () => {
  const args = { to: 'anna@example.com', body: 'Hello' }
  const { args_commitment, args_salt } = await begin('mail', args)
  const salt = Buffer.from(args_salt, 'base64url')
  assert.equal(args_commitment, sha256Hex(Buffer.concat([salt, Buffer.from(canonicalJson(args))])))
  const again = await begin('mail', args)
  assert.notEqual(again.args_commitment, args_commitment, 'the same arguments cannot be recognised')
})

test('only its caller ends a call, once, and not another organization', async () => {
  const { call_id } = await begin('once')
  await unknown(end(call_id, bob))
  await unknown(end(call_id, eve))
  await unknown(end('6b9f2c1e-4d3a-4c8b-9a53-2f7c4e1d8a60'))
  await end(call_id)
  await assertRefused(end(call_id), 'policy_denied', 'call ended')
  const both = await begin('once')
  const ends = await Promise.allSettled([end(both.call_id), end(both.call_id)])
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('a call of `tool` cannot be ended here, nor an own tool be run by the engine', async () => {
  await stage.run('tool', { tool_id: 'svc:mat.tool_discovery', arguments: { limit: 1 } }, ann)
  const [row] = await sql<{ call_id: string }>`
    SELECT call_id FROM mat_calls WHERE tool_id = 'svc:mat.tool_discovery'`.all(stage.store.engine)
  await unknown(end(row!.call_id))
  const tool_ids = ['own:refund', 'svc:mat.begin_call', 'svc:mat.nothing']
  const { tools } = await stage.run('tool_discovery', { tool_ids }, ann)
  assert.deepEqual(
    tools.map((tool: { tool_id: string }) => tool.tool_id),
    ['svc:mat.begin_call'],
  )
  for (const action of ['invoke', 'approve', 'disable'])
    await assertRefused(
      stage.run('tool', { action, tool_id: 'own:refund' }, ann),
      'policy_denied',
      'own tool',
    )
})

test('a call that did not end within a day keeps its record, and its row is deleted', async () => {
  const { call_id } = await begin('late')
  clock.advance(day_ms)
  const last = await begin('late')
  assert.deepEqual(await rowsOf('own:late'), [{ outcome: null }, { outcome: null }], 'a day is allowed')
  clock.advance(1)
  await unknown(end(call_id))
  await begin('another')
  assert.deepEqual(await rowsOf('own:late'), [{ outcome: null }])
  await end(last.call_id)
})

test('an emergency stop refuses a beginning, and lets what began be reported', async () => {
  const { call_id } = await begin('running')
  const latch = {
    tenant_id: 'acme',
    stop_ref: 'maker://stop/1',
    set_by: ann.did,
    set_at: new Date(clock.now_ms()),
  }
  await setLatch(stage.store.engine, { ...latch, scope: 'agent', scope_id: ann.did })
  await assertRefused(begin('running'), 'policy_denied', 'emergency stop active')
  await begin('running', {}, bob)
  await end(call_id)
  await clearLatch(stage.store.engine, 'acme', 'agent', ann.did, latch.set_at)
  await begin('running')
})

test('names that are no names, unknown outcomes and impossible times are refused', async () => {
  for (const tool of ['', 'a b', 'a/b', '../x', 'x'.repeat(129), 'é', 'a\u0000', 7, null])
    await assertRefused(begin(tool), 'invalid_payload', 'schema')
  await assertRefused(begin('x', [1]), 'invalid_payload', 'schema')
  const { call_id } = await begin('x')
  for (const more of [
    { outcome: 'refused' },
    { latency_ms: -1 },
    { latency_ms: day_ms + 1 },
    { output_hash: 'x' },
  ])
    await assertRefused(end(call_id, ann, more), 'invalid_payload', 'schema')
  await end(call_id)
})
