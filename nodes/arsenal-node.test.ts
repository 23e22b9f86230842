import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { SignedListing } from '@svc/contract/foreign/tool'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal } from '@svc/contract/refusal'
import { compareVersions, parseVersion } from '@svc/engine/routing/semver'
import fc from 'fast-check'
import { type TestTool, toolOf } from '../checks/neighbours/test-tool.ts'
import { manualClock } from '../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import { storeAt } from '../checks/rehearsal/test-store.ts'
import { newSubject } from '../checks/scenes/test-identity.ts'
import { openArsenalNode } from './arsenal-node.ts'
import { type RunningNode, serveNode } from './node-server.ts'
import { versionKey } from './version-key.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const engine = newSubject('Service', 'operator')
const publisher = newSubject('EntityNameRecord')
const context: InvokeContext = {
  correlation_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  tenant_id: 'operator',
  agent_did: engine.did,
  timestamp: '2026-11-15T12:00:00Z',
  metadata: {},
}
let database: TestDatabase
let store: PostgresStore
let node: RunningNode
let client: ExternalClient

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  const isTrusted = (did: string) => did === engine.did
  const options = { host: '127.0.0.1', port: 0, now_ms: clock.now_ms, isTrusted }
  node = await serveNode(openArsenalNode(store.engine), options)
  client = externalClient({ protocol: 'Arsenal', url: node.url, timeout_ms: 120_000, signer: engine }, clock)
})
after(async () => {
  await node.close()
  await store.close()
  await database.close()
})

const publish = (tool: TestTool) => client.invoke('publish', tool, context)
const fetchTool = async (request: object) =>
  ((await client.invoke('fetch', request, context)) as { tool: TestTool | null }).tool
interface Page {
  items: SignedListing[]
  next_cursor?: string
}
const list = (filter: object = {}) =>
  client.invoke('list', { limit: 100, ...filter }, context) as Promise<Page>
const idsOf = (page: Page) => page.items.map(({ id, version }) => `${id} ${version}`)

async function reasonOf(asking: Promise<unknown>): Promise<unknown> {
  const thrown = await asking.then((value) => assert.fail(`answered ${JSON.stringify(value)}`), (error) => error) // biome-ignore format: one thought
  assert.ok(thrown instanceof Refusal, String(thrown))
  return thrown.details.reason
}

test('a tool is found as published, by version, by major, by digest, or as the newest release', async () => {
  const versions = ['v1.0.0', 'v1.10.0', 'v1.9.0', 'v2.0.0-rc.1', 'v10.0.0-alpha']
  const tools = versions.map((version) =>
    toolOf(publisher, { name: 'find', version }, { annotations: { version } }),
  )
  for (const tool of tools) await publish(tool)
  const versionOf = async (request: object) =>
    (await fetchTool({ id: 'acme/find', ...request }))?.listing.version
  assert.deepEqual(await fetchTool({ id: 'acme/find', version: 'v1.0.0' }), tools[0])
  assert.equal(await versionOf({}), 'v1.10.0', 'no pre-release by chance')
  assert.equal(await versionOf({ version: 'v1' }), 'v1.10.0')
  assert.equal(await versionOf({ version: 'v2' }), undefined)
  assert.equal(await versionOf({ version: 'v2.0.0-rc.1' }), 'v2.0.0-rc.1')
  assert.equal(await versionOf({ digest: tools[3]!.listing.digest }), 'v2.0.0-rc.1')
  assert.equal(await versionOf({ version: 'v1', digest: tools[3]!.listing.digest }), undefined)
  assert.equal(await fetchTool({ id: 'acme/none' }), null)
})

test('a version is published once; only its deprecation changes', async () => {
  const tool = toolOf(publisher, { name: 'once' })
  const { id, version, digest } = tool.listing
  assert.deepEqual(await publish(tool), { published: true, id, version, digest })
  assert.deepEqual(await publish(tool), { published: false, id, version, digest })
  const changed = [toolOf(publisher, { name: 'once', summary: 'Other.' }), toolOf(publisher, { name: 'once' }, { description: 'Other.' })] // biome-ignore format: one thought
  for (const other of changed) assert.equal(await reasonOf(publish(other)), 'version already published')
  await publish(toolOf(publisher, { name: 'once', deprecated: true }))
  assert.equal((await fetchTool({ id }))?.listing.deprecated, true)
})

test('an id belongs to its first publisher', async () => {
  await publish(toolOf(publisher, { name: 'owned' }))
  const thief = newSubject('EntityNameRecord', 'rival')
  const taken = toolOf(thief, { name: 'owned', version: 'v2.0.0' })
  assert.equal(await reasonOf(publish(taken)), 'id belongs to another publisher')
})

test('of two publishers of one id at once exactly one succeeds', async () => {
  const claims = Array.from({ length: 6 }, () => toolOf(newSubject('EntityNameRecord'), { name: 'race' }))
  const outcomes = await Promise.allSettled(claims.map(publish))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('nothing unsigned, changed, hidden or unusable is accepted', async () => {
  const good = toolOf(publisher, { name: 'bad' })
  const cases: [TestTool, string | RegExp][] = [
    [{ ...good, listing: { ...good.listing, signature: undefined } }, 'signature invalid'],
    [{ ...good, listing: { ...good.listing, summary: 'Other.' } }, 'signature invalid'],
    [{ ...good, definition: { ...good.definition, description: 'Other.' } }, 'digest mismatch'],
    [toolOf(publisher, { name: 'bad', summary: 'a\u200bb' }), /invisible/],
    [toolOf(publisher, { name: 'bad' }, { description: 'a\u202eb' }), /invisible/],
    [
      toolOf(publisher, { name: 'bad' }, { inputSchema: { type: 'object', properties: 1 } }),
      /does not compile/,
    ],
  ]
  for (const [tool, reason] of cases) {
    const refusal_reason = String(await reasonOf(publish(tool)))
    if (typeof reason === 'string') assert.equal(refusal_reason, reason)
    else assert.match(refusal_reason, reason)
  }
  assert.equal(await fetchTool({ id: 'acme/bad' }), null)
})

test('tools are listed by name, the newest version first, with filters', async () => {
  const other = newSubject('EntityNameRecord')
  const tools = [
    toolOf(other, { name: 'apple', version: 'v1.2.0', tags: ['fruit'], kind: 'dataset' }),
    toolOf(other, { name: 'apple', version: 'v1.10.0', tags: ['fruit'] }),
    toolOf(other, {
      name: 'Zebra',
      summary: 'Running animals.',
      required_capabilities: ['svc.mind.recall_memory'],
    }),
    toolOf(other, { name: 'banana', tags: ['fruit', 'yellow'] }, { description: 'A curved thing.' }),
  ]
  for (const tool of tools) await publish(tool)
  const by_other = { publisher_did: other.did }
  const all = ['acme/zebra v1.0.0', 'acme/apple v1.10.0', 'acme/apple v1.2.0', 'acme/banana v1.0.0']
  assert.deepEqual(idsOf(await list(by_other)), all)
  assert.deepEqual(idsOf(await list({ ...by_other, kind: 'dataset' })), ['acme/apple v1.2.0'])
  assert.deepEqual(idsOf(await list({ ...by_other, tag: 'yellow' })), ['acme/banana v1.0.0'])
  assert.deepEqual(idsOf(await list({ ...by_other, capability: 'svc.mind.recall_memory' })), [
    'acme/zebra v1.0.0',
  ])
  assert.deepEqual(idsOf(await list({ query: 'animal running' })), ['acme/zebra v1.0.0'], 'words are stemmed')
  assert.deepEqual(idsOf(await list({ ...by_other, query: '"curved thing" or animals' })), [all[0], all[3]])
  assert.deepEqual(idsOf(await list({ ...by_other, query: 'fruit -yellow' })), [all[1], all[2]])
  assert.deepEqual(idsOf(await list({ ...by_other, query: "'); DROP TABLE arsenal_tools; --" })), [])
})

test('pages have no gap or repeat while others publish', async () => {
  const other = newSubject('EntityNameRecord')
  const filter = { publisher_did: other.did, limit: 3 }
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  for (const name of names) await publish(toolOf(other, { name: `page-${name}` }))
  const names_listed: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 4; page++) {
    const page_found = await list({ ...filter, ...(cursor ? { cursor } : {}) })
    names_listed.push(...page_found.items.map(({ name }) => name))
    cursor = page_found.next_cursor
    await publish(toolOf(other, { name: `page-${page}` }))
    if (!cursor) break
  }
  assert.deepEqual(
    names_listed,
    names.map((name) => `page-${name}`),
  )
  assert.equal(cursor, undefined)
  for (const wrong of ['x', 'W10', Buffer.from('["a",1,"b"]').toString('base64url')])
    assert.equal(await reasonOf(list({ cursor: wrong })), 'cursor')
})

const identifier = fc.oneof(
  fc.nat(1_000_000).map(String),
  fc.stringMatching(/^[0-9A-Za-z-]{1,8}$/).filter((text) => !/^\d+$/.test(text)),
)
const version = fc
  .tuple(fc.nat(30), fc.nat(30), fc.nat(3), fc.array(identifier, { maxLength: 4 }))
  .map(([a, b, c, pre]) => `v${a}.${b}.${c}${pre.length ? `-${pre.join('.')}` : ''}`)

test('the sort key of versions has the order of the versions', () => {
  fc.assert(
    fc.property(version, version, (a, b) => {
      const expected = Math.sign(compareVersions(parseVersion(a)!, parseVersion(b)!))
      const [key_a, key_b] = [Buffer.from(versionKey(a)), Buffer.from(versionKey(b))]
      assert.equal(Buffer.compare(key_a, key_b), expected, `${a} ${b}`)
    }),
    { numRuns: 2_000 },
  )
  assert.throws(() => versionKey('1.0'), /not a semantic version/)
})
