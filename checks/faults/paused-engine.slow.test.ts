// One of two engines behind a gateway stands still: it holds up the calls it had, and no others.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { newSigner, openGateway } from '../conformance/gateway/gateway-scene.ts'
import { openReplicas } from '../engines/replicas.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { report } from './scene/chance.ts'

const callers = 4
/** After this many in a row, the engine is known to be silent. */
const calls_min = 100

test('calls go on at the other engine, and back to both when it is there again', {
  timeout: 240_000,
}, async (t) => {
  const [signer, operator] = [newSigner(), newIdentity('operator', 'service')]
  const replicas = await openReplicas({
    operator_did: operator.did,
    operator_key: operator.private_key,
    trusted_gateways: [signer.did],
    require_gateway: true,
  })
  t.after(() => replicas.close())
  const [paused, other] = [await replicas.start('one'), await replicas.start('two')]
  const behind = { db_url: replicas.db_url, api_url: other.api_url, engine_did: operator.did }
  const api_urls = [paused, other].map(({ api_url }) => new URL(api_url))
  const gateway = await openGateway(behind, { api_urls, signer, plain: true, silence_ms_max: 120_000 })
  t.after(() => gateway.stop())
  const caller: Addresses = { ...(await replicas.newCaller('acme')), api_url: gateway.url }
  let answered = 0
  let stopped = false
  const failed: number[] = []
  const input = { event_type: 'custom.x', meta: {} }
  const writeOnce = async () => {
    const key = { 'idempotency-key': randomUUID() }
    const ask = () => dispatch(caller, { protocol: 'MAX', operation: 'audit_log_entry', input }, key)
    const first = await ask()
    // While an engine stands still, its time to commit may run out. The caller is told so, and to ask again.
    if (first.body.error?.reason !== 'audit record not committed yet') return first
    return await until('asked again, it is answered', async () => {
      const again = await ask()
      return !again.body.error?.retryable && again
    })
  }
  const call = async () => {
    while (!stopped && failed.length === 0) {
      const { status } = await writeOnce()
      if (status === 200) answered++
      else failed.push(status)
    }
  }
  const calling = Array.from({ length: callers }, call)
  const moreAnswers = async (count: number) => {
    const before = answered
    await until(`${count} more calls are answered`, () => failed.length > 0 || answered >= before + count)
    assert.deepEqual(failed, [])
  }
  await moreAnswers(calls_min)
  paused.process.kill('SIGSTOP')
  // Of the callers at most one waits for the paused engine after it is known to be silent, or all would wait.
  await moreAnswers(calls_min)
  await moreAnswers(calls_min)
  const while_paused = answered
  paused.process.kill('SIGCONT')
  await moreAnswers(calls_min)
  stopped = true
  await Promise.all(calling)
  assert.deepEqual(failed, [], 'those that waited were answered once it went on')
  report(t, { while_paused, answered })
})
