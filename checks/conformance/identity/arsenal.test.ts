import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { admin } from '@svc/service/admin'
import { startNodes } from '@svc/service/assembly/nodes'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { toolOf } from '../../neighbours/test-tool.ts'
import { newSubject, type TestIdentity } from '../../scenes/test-identity.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

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
  assert.deepEqual(
    [names(rest), rest.next_cursor, rest.rejected],
    [['shorten v1.0.0', 'aegis.challenge v1.0.0'], 'here.1', 0],
    'after the catalogue come the operations of this engine',
  )
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

test('list and fetch: the operations of this engine are there, with digest, publisher and version', async () => {
  const items: Fields[] = []
  let cursor: string | undefined
  do {
    const { output } = assertSuccess(await ask('list', { limit: 100, ...(cursor && { cursor }) }))
    items.push(...(output.items as Fields[]))
    cursor = output.next_cursor as string | undefined
  } while (cursor !== undefined)
  const own = items.filter(({ source }) => source === 'built_in')
  assert.ok(own.length > 100, `${own.length} operations`)
  assert.equal(new Set(items.map(({ id, version }) => `${id} ${version}`)).size, items.length, 'each once')
  const registry = own.find(({ id }) => id === 'svc/mars.query_registry')!
  assert.deepEqual(
    [registry.publisher_did, registry.version, registry.required_capabilities],
    [operator.did, 'v1.0.0', ['svc.mars.query_registry']],
  )
  const { output } = assertSuccess(await ask('fetch', { id: registry.id, digest: registry.digest }))
  assert.deepEqual(
    [output.digest, output.source, output.trusted_publisher, (output.definition as Fields).name],
    [registry.digest, 'built_in', true, 'mars.query_registry'],
  )
  const other = await ask('fetch', { id: registry.id, digest: trusted.listing.digest })
  assertRefusal(other, { code: 'adapter_error', stage: 7, reason: 'digest mismatch' })
  const missing = await ask('fetch', { id: registry.id, version: 'v7' })
  assertRefusal(missing, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
  const by_words = assertSuccess(await ask('list', { query: 'registry -agent', limit: 100 })).output
  assert.ok((by_words.items as Fields[]).some(({ id }) => id === 'svc/mars.query_registry'))
})

test('fetch: the version before a tool is named; a catalogue cannot name tools of this engine', async () => {
  const { output } = assertSuccess(await ask('fetch', { id: 'acme/shorten', version: 'v1.1.0' }))
  assert.deepEqual(output.previous, { version: 'v1.0.0', digest: trusted.listing.digest })
  const first = assertSuccess(await ask('fetch', { id: 'acme/shorten', version: 'v1.0.0' })).output
  assert.equal(first.previous, undefined)
  const forged = toolOf(stranger, { id: 'svc/forged', name: 'aaa' })
  await client.invoke('publish', forged, own_context)
  const page = assertSuccess(await ask('list', { limit: 1 })).output
  assert.deepEqual([page.items, page.rejected], [[], 1])
})

const seedOf = ({ private_key }: TestIdentity) => private_key.export({ format: 'jwk' }).d!

/** `svc-engine admin tool`. */
async function run(...args: string[]): Promise<Fields[]> {
  let out = ''
  const environment = {
    SVC_DB_URL: service.db_url,
    SVC_MASTER_KEY: Buffer.from(service.config.master_key).toString('hex'),
    SVC_AGENT_DID: operator.did,
    SVC_AGENT_KEY: seedOf(operator),
  }
  const write = async (part: string) => {
    out += part
  }
  const terminal = { input: Readable.from(['']), write }
  assert.equal(await admin(['tool', ...args, '--json'], environment, terminal), 0)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('admin tool: a tool is published as the engine or as an identity, listed, fetched and deprecated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tool-'))
  const file = join(folder, 'tool.json')
  const write = (version: string, description: string) =>
    writeFileSync(
      file,
      JSON.stringify({
        id: 'operator/translate',
        version,
        summary: 'Translates a text.',
        tags: ['text'],
        definition: { name: 'translate', description, inputSchema: { type: 'object' }, annotations: {} },
      }),
    )
  write('v1.0.0', 'Translates.')
  const [first] = await run('publish', file)
  assert.deepEqual([first!.published, first!.publisher_did], [true, operator.did])
  assert.equal((await run('publish', file))[0]!.published, false, 'nothing changed')
  write('v1.2.0', 'Translates better.')
  const [second] = await run('publish', file)
  const { output } = assertSuccess(await ask('fetch', { id: 'operator/translate' }))
  assert.deepEqual(
    [output.version, output.digest, output.signature_valid, output.previous],
    ['v1.2.0', second!.digest, true, { version: 'v1.0.0', digest: first!.digest }],
  )
  write('v1.2.0', 'Translates otherwise.')
  await assert.rejects(run('publish', file), /is published already; give the change a new version/)
  await run('deprecate', 'operator/translate', 'v1.0.0')
  const listed = (await run('list')).filter(({ id }) => id === 'operator/translate')
  assert.deepEqual(
    listed.map(({ version, deprecated }) => [version, deprecated]),
    [
      ['v1.2.0', false],
      ['v1.0.0', true],
    ],
  )
  await assert.rejects(run('publish', file, '--did', stranger.did), /keeps no key of/)
  const agent = newSubject('Agent', 'dev')
  await keepSeed(
    service.service.store.engine,
    service.service.root_keys,
    'dev',
    agent.did,
    Buffer.from(seedOf(agent), 'base64url'),
  )
  writeFileSync(file, readFileSync(file, 'utf8').replace('operator/translate', 'dev/translate'))
  const [own] = await run('publish', file, '--did', agent.did)
  assert.equal(own!.publisher_did, agent.did)
  const refused = { code: 'policy_denied', stage: 7, reason: 'publisher not trusted' } as const
  assertRefusal(await ask('fetch', { id: 'dev/translate' }), refused)
  const commands = (await service.records('operator')).map(({ meta }) => meta.command)
  assert.ok(commands.includes('tool publish') && commands.includes('tool deprecate'), `${commands}`)
  rmSync(folder, { recursive: true })
})
