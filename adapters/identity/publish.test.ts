import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { didOfKey } from '@svc/contract/did'
import type { IdentityDocument } from '@svc/contract/identity-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { AnyObject, Closed } from '@svc/contract/schema'
import { privateKeyOf, publicKeyOf } from '@svc/contract/signature'
import { type NodeDefinition, nodeOperation, type RunningNode, serveNode } from '@svc/nodes/node-server'
import { system_clock } from '../clock/system.ts'
import { externalClient } from '../endpoint/external-client.ts'
import { publishThrough } from './publish.ts'

const private_key = privateKeyOf(Buffer.alloc(32, 7))
const public_key = publicKeyOf(private_key)
const engine = {
  did: didOfKey('operator', 'service', Buffer.from(public_key, 'base64url')),
  public_key,
  private_key,
}
const document = { id: 'did:oas:acme:agent:x' } as unknown as IdentityDocument
const context: InvokeContext = {
  correlation_id: '11111111-1111-4111-8111-111111111111',
  tenant_id: 'acme',
  agent_did: engine.did,
  timestamp: '2026-11-15T10:00:00.000Z',
  metadata: {},
}
const taken: unknown[] = []
const nodes: RunningNode[] = []

async function startNode(lists_publish: boolean): Promise<RunningNode> {
  const publish = nodeOperation(Closed({ document: AnyObject }), async (payload) => {
    taken.push(payload.document)
    return { unchanged: false }
  })
  const operations: NodeDefinition['operations'] = lists_publish ? { publish } : {}
  const definition = { protocol: 'OAS', version: 'v1.0.0', operations }
  const options = { host: '127.0.0.1', port: 0, now_ms: () => system_clock.now_ms() }
  const node = await serveNode(definition, { ...options, isTrusted: (did) => did === engine.did })
  nodes.push(node)
  return node
}
const publisherAt = (url: string) =>
  publishThrough(externalClient({ protocol: 'OAS', url, timeout_ms: 2_000, signer: engine }, system_clock))

let url: string
before(async () => {
  url = (await startNode(true)).url
})
after(async () => {
  for (const node of nodes) await node.close()
})

test('a document is handed to the node', async () => {
  await publisherAt(url).publish(document, context, new AbortController().signal)
  assert.deepEqual(taken, [document])
})

test('a node that takes no documents, or is away, is a refusal', async () => {
  const deaf = await startNode(false)
  const publish = (at: string) => publisherAt(at).publish(document, context, new AbortController().signal)
  await assert.rejects(publish(deaf.url), { name: 'Refusal', code: 'adapter_error' })
  const gone = await startNode(true)
  await gone.close()
  await assert.rejects(publish(gone.url), { name: 'Refusal', code: 'adapter_error' })
  assert.equal(taken.length, 1)
})
