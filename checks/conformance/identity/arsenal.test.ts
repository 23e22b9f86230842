import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { startNodes } from '@svc/service/assembly/nodes'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { toolOf } from '../../neighbours/test-tool.ts'
import { newSubject } from '../../scenes/test-identity.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'

const operator = newSubject('Service', 'operator')
const publisher = newSubject('EntityNameRecord')
const stranger = newSubject('EntityNameRecord')
const own_context: InvokeContext = {
  correlation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  tenant_id: 'operator',
  agent_did: operator.did,
  timestamp: '2026-11-15T12:00:00Z',
  metadata: {},
}
let service: InProcessService
let client: ExternalClient

before(async () => {
  service = await startInProcess({
    config: { agent_did: operator.did, agent_key: operator, trusted_publishers: [publisher.did] },
    nodes: async ({ engine }, clock) => {
      const running = await startNodes(engine, { isTrusted: (did) => did === operator.did, clock })
      const node = { protocol: 'Arsenal', url: running.urls.Arsenal!, timeout_ms: 120_000, signer: operator }
      client = externalClient(node, system_clock)
      return running
    },
  })
  for (const tool of [trusted, newer, foreign]) await client.invoke('publish', tool, own_context)
})
after(() => service.stop())

const trusted = toolOf(publisher, { name: 'shorten', tags: ['text'] })
const newer = toolOf(publisher, { name: 'shorten', version: 'v1.1.0' }, { description: 'Shortens better.' })
const foreign = toolOf(stranger, { name: 'lengthen' })
const ask = (operation: string, input: object) => dispatch(service, { protocol: 'Arsenal', operation, input })

test('list: by name, newest version first, in pages', async () => {
  const first = assertSuccess(await ask('list', { limit: 2 })).output
  const names = (output: Record<string, unknown>) =>
    (output.items as { name: string; version: string }[]).map(({ name, version }) => `${name} ${version}`)
  assert.deepEqual(names(first), ['lengthen v1.0.0', 'shorten v1.1.0'])
  const rest = assertSuccess(await ask('list', { limit: 2, cursor: first.next_cursor })).output
  assert.deepEqual([names(rest), rest.next_cursor, rest.rejected], [['shorten v1.0.0'], undefined, 0])
  assert.deepEqual(names(assertSuccess(await ask('list', { query: 'shorten', tag: 'text' })).output), [
    'shorten v1.0.0',
  ])
  const wrong = { code: 'invalid_payload', stage: 7, reason: 'cursor' } as const
  assertRefusal(await ask('list', { cursor: 'nonsense' }), wrong)
})

test('fetch: one pinned, verified definition', async () => {
  const { output } = assertSuccess(await ask('fetch', { id: 'acme/shorten', version: 'v1' }))
  assert.deepEqual(
    [output.definition, output.digest, output.signature_valid, output.trusted_publisher],
    [newer.definition, newer.listing.digest, true, true],
  )
  const pinned = { id: 'acme/shorten', digest: trusted.listing.digest }
  assert.equal(assertSuccess(await ask('fetch', pinned)).output.version, 'v1.0.0')
  assertRefusal(await ask('fetch', { id: 'acme/none' }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'not_found',
  })
})

test('untrusted publisher: policy_denied publisher not trusted', async () => {
  const refused = { code: 'policy_denied', stage: 7, reason: 'publisher not trusted' } as const
  await assertRefusedAndRecorded(service, await ask('fetch', { id: 'acme/lengthen' }), refused)
})
