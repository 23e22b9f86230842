import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { externalClient } from '@svc/adapters/endpoint/external-client'
import { didOfKey } from '@svc/contract/identity/did'
import { authorizeRequest } from '@svc/contract/identity/did-auth'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import { Type } from 'typebox'
import { manualClock } from '../checks/rehearsal/manual-clock.ts'
import { nodeOperation, type RunningNode, serveNode } from './node-server.ts'

function newEngine(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const public_key = publicKeyOf(privateKey)
  const did = didOfKey('operator', 'service', Buffer.from(public_key, 'base64url'))
  return { did, public_key, private_key: privateKey }
}

const clock = manualClock('2026-11-15T10:00:00.000Z')
const engine = newEngine()
const context: InvokeContext = {
  correlation_id: '00000000-0000-4000-8000-000000000000',
  tenant_id: 'acme',
  agent_did: engine.did,
  timestamp: '2026-11-15T10:00:00.000Z',
  metadata: {},
}

let node: RunningNode
before(async () => {
  node = await serveNode(
    {
      protocol: 'TRY',
      version: 'v1.0.0',
      operations: {
        greet: nodeOperation(Closed({ name: Type.String() }), async ({ name }, { tenant_id }) => {
          if (name === 'nobody') throw refuse('policy_denied', 'Nobody is not greeted.', { reason: 'nobody' })
          if (name === 'bug') throw new Error('a secret of the node')
          return { greeting: `hello ${name} of ${tenant_id}` }
        }),
      },
    },
    { host: '127.0.0.1', port: 0, now_ms: () => clock.now_ms(), isTrusted: (did) => did === engine.did },
  )
})
after(() => node.close())

const clientOf = (signer: SigningKey | undefined, protocol = 'TRY') =>
  externalClient({ protocol, url: node.url, timeout_ms: 120_000, signer }, clock)

async function refusedBy(asking: Promise<unknown>): Promise<Refusal> {
  const thrown = await asking.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (error) => error,
  )
  assert.ok(thrown instanceof Refusal, String(thrown))
  return thrown
}

test('a trusted engine is answered, and the node is healthy', async () => {
  const client = clientOf(engine)
  assert.deepEqual(await client.invoke('greet', { name: 'ada' }, context), { greeting: 'hello ada of acme' })
  assert.equal(await client.isHealthy(), true)
})

test('what the node refuses arrives as its refusal; what breaks in it tells nothing', async () => {
  const client = clientOf(engine)
  const denied = await refusedBy(client.invoke('greet', { name: 'nobody' }, context))
  assert.deepEqual([denied.code, denied.details.reason], ['policy_denied', 'nobody'])
  const malformed = await refusedBy(client.invoke('greet', { name: 7 }, context))
  assert.deepEqual([malformed.code, malformed.details.reason], ['invalid_payload', 'schema'])
  const broken = await refusedBy(client.invoke('greet', { name: 'bug' }, context))
  assert.equal(broken.code, 'adapter_error')
  assert.doesNotMatch(JSON.stringify([broken.message, broken.details]), /secret/)
  assert.equal((await refusedBy(client.invoke('vanish', {}, context))).code, 'adapter_error')
})

test('only a trusted engine is answered', async () => {
  for (const client of [clientOf(undefined), clientOf(newEngine()), clientOf(engine, 'OTHER')]) {
    const refusal = await refusedBy(client.invoke('greet', { name: 'ada' }, context))
    assert.deepEqual([refusal.code, refusal.details.status], ['adapter_error', 401])
  }
})

test('a signature fits its own request, once, for half a minute', async () => {
  const body = JSON.stringify({ operation: 'greet', payload: { name: 'ada' }, ctx: context })
  const ask = async (authorization: string, sent = body) => {
    const headers = { 'content-type': 'application/json', authorization }
    const answer = await fetch(`${node.url}/invoke`, { method: 'POST', headers, body: sent })
    return answer.ok ? 'ok' : ((await answer.json()) as { error: { reason: string } }).error.reason
  }
  const signed = (id: string, now_ms = clock.now_ms()) =>
    authorizeRequest(engine, { audience: 'TRY', body, now_ms }, id)
  const once = signed('one')
  assert.equal(await ask(once), 'ok')
  assert.equal(await ask(once), 'signature already used')
  assert.equal(await ask(signed('two'), body.replace('ada', 'eve')), 'signed for another request')
  assert.equal(await ask(signed('three', clock.now_ms() - 60_000)), 'signature out of time')
  assert.equal(await ask(signed('four', clock.now_ms() + 60_000)), 'signature out of time')
  const good = signed('five')
  const forged = good.slice(0, -9) + (good.at(-9) === 'A' ? 'B' : 'A') + good.slice(-8)
  assert.equal(await ask(forged), 'signature invalid')
})

test('an invalid call is refused, and the node goes on', async () => {
  assert.equal((await fetch(`${node.url}/nowhere`)).status, 404)
  const sign = (body: string) =>
    authorizeRequest(engine, { audience: 'TRY', body, now_ms: clock.now_ms() }, `asks ${body}`)
  for (const body of ['', '{', '[]', '{"operation":7}']) {
    const headers = { authorization: sign(body) }
    assert.equal((await fetch(`${node.url}/invoke`, { method: 'POST', headers, body })).status, 400, body)
  }
  assert.equal(await clientOf(engine).isHealthy(), true)
})
