import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { IdentityDocument } from '@svc/contract/identity/identity-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { manualClock } from '../../checks/manual-clock.ts'
import { externalClient } from '../endpoint/external-client.ts'
import { publishThrough } from './publish.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const document = { id: `did:oas:acme:agent:${'a'.repeat(64)}` } as unknown as IdentityDocument
const context: InvokeContext = {
  correlation_id: '11111111-1111-4111-8111-111111111111',
  tenant_id: 'acme',
  agent_did: document.id,
  timestamp: '2026-11-15T10:00:00.000Z',
  metadata: {},
}

/** What a node is sent when it answers with this status. */
async function publishAt(status: number): Promise<{ sent: Record<string, unknown>; refused?: string }> {
  let body = ''
  const server = createServer((req, res) => {
    req.on('data', (chunk) => {
      body += chunk
    })
    req.on('end', () => res.writeHead(status).end('{"data":{},"error":{"code":"unknown_operation"}}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const service = { protocol: 'OAS', url: `http://127.0.0.1:${port}`, timeout_ms: 2_000, signer: undefined }
  const publisher = publishThrough(externalClient(service, clock))
  try {
    const refused = await publisher.publish(document, context, new AbortController().signal).then(
      () => undefined,
      (error) => error.code,
    )
    return { sent: JSON.parse(body), refused }
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('a document is handed to the node', async () => {
  const { sent, refused } = await publishAt(200)
  assert.deepEqual([sent.operation, sent.payload, refused], ['publish', { document }, undefined])
})

test('a node that takes no documents is a refusal', async () => {
  assert.equal((await publishAt(404)).refused, 'adapter_error')
})
