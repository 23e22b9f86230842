import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { IdentityDocument } from '@svc/contract/identity/identity-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type ExternalClient, externalClient } from '../endpoint/external-client.ts'
import { publishThrough } from './publish.ts'

const { signal } = new AbortController()
const warned: object[] = []
const log = { debug() {}, info() {}, warn: (fields: object) => void warned.push(fields), error() {} }
const clock = manualClock('2026-11-15T10:00:00.000Z')
const document = { id: `did:oas:acme:agent:${'a'.repeat(64)}` } as unknown as IdentityDocument
const context: InvokeContext = {
  correlation_id: '11111111-1111-4111-8111-111111111111',
  tenant_id: 'acme',
  agent_did: document.id,
  timestamp: '2026-11-15T10:00:00.000Z',
  metadata: {},
}

/** What a node receives if it answers with this status. */
async function publishAt(status: number): Promise<{ sent: Record<string, unknown>; why?: string }> {
  let body = ''
  const server = createServer((req, res) => {
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => res.writeHead(status).end('{"data":{},"error":{"code":"unknown_operation"}}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const service = { protocol: 'OAS', url: `http://127.0.0.1:${port}`, timeout_ms: 120_000, signer: undefined }
  const publish = publishThrough(externalClient(service, clock), context, signal, log)
  try {
    const why = await publish(document)
    return { sent: JSON.parse(body), why }
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('a document is sent to the node', async () => {
  const { sent, why } = await publishAt(200)
  assert.deepEqual([sent.operation, sent.payload, why], ['publish', { document }, undefined])
})

test('a node that accepts no documents, or is missing, gives a short reason', async () => {
  assert.equal((await publishAt(404)).why, 'service failed')
  assert.equal(await publishThrough(undefined, context, signal, log)(document), 'no identity node is bound')
})

test('an internal error is logged but not reported, and nothing is published after the deadline', async () => {
  const broken = { invoke: () => Promise.reject(new Error('secret')) } as unknown as ExternalClient
  assert.equal(await publishThrough(broken, context, signal, log)(document), 'the identity node failed')
  assert.equal(warned.length, 1)
  const late = AbortSignal.abort(new Error('too late'))
  await assert.rejects(publishThrough(broken, context, late, log)(document), /too late/)
})
