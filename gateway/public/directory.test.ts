import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ErrorBody } from '@svc/contract/dispatch'
import type { OpenRegistry } from '@svc/engine/routing/registry'
import { Compile } from 'typebox/compile'
import { type OpenEndpoint, openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { counted_input, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { addDirectoryRoutes } from './directory.ts'

const protocols = [tryProtocol(() => ({}), { input: counted_input, example: { count: 1 } })]
const isErrorBody = Compile(ErrorBody)
let opened: OpenEndpoint
let registry: OpenRegistry

before(async () => {
  registry = testPorts(protocols).registry
  opened = await openTestEndpoint(protocols, {}, [], (app) => addDirectoryRoutes(app, registry))
})
after(() => opened?.close())

/** Without a key: these pages are public. */
const get = (path: string) => fetch(opened.url + path, { redirect: 'manual' })
const textOf = async (path: string) => JSON.stringify(await (await get(path)).json())

test('everybody may see what exists, in any letter case', async () => {
  assert.match(await textOf('/v1/protocols'), /"TRY"/)
  for (const id of ['TRY', 'try', 'Try'])
    assert.match(await textOf(`/v1/protocols/${id}`), /svc\.try\.run/, id)
  assert.match(await textOf('/v1/search?q=test'), /run/)
})

test('the published schema of an operation is at the address its refusals name', async () => {
  const response = await get('/schemas/try/v1/operations.try.run.request.json')
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/schema\+json/)
  const schema = (await response.json()) as { required: string[] }
  assert.deepEqual(schema.required, ['count'])
  assert.equal((await get('/schemas/try/v1/operations.try.run.response.json')).status, 200)
})

test('the texts for tools and models, and the page for people', async () => {
  const openapi = (await (await get('/openapi.json')).json()) as { openapi: string }
  assert.match(openapi.openapi, /^3\./)
  assert.match(await (await get('/llms.txt')).text(), /TRY/)
  const docs = await get('/docs/')
  assert.match(docs.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.equal(docs.headers.get('x-frame-options'), 'DENY')
  for (const path of ['/docs/pages.js', '/docs/pages.css']) assert.equal((await get(path)).status, 200, path)
  const home = await get('/')
  assert.deepEqual([home.status, home.headers.get('location')], [302, 'docs/'])
})

test('an unknown name is refused like anything else', async () => {
  const table: [path: string, status: number, code: string][] = [
    ['/v1/protocols/NONE', 404, 'unknown_protocol'],
    ['/v1/protocols/constructor', 404, 'unknown_protocol'],
    ['/schemas/none.json', 404, 'not_found'],
    ['/schemas/../package.json', 404, 'not_found'],
    ['/schemas/%2e%2e%2fpackage.json', 404, 'not_found'],
    ['/v1/search', 400, 'invalid_request'],
    ['/v1/search?q=', 400, 'invalid_request'],
    ['/v1/search?q=%20', 400, 'invalid_request'],
    [`/v1/search?q=${'x'.repeat(201)}`, 400, 'invalid_request'],
    ['/v1/search?q=a&q=b', 400, 'invalid_request'],
  ]
  for (const [path, status, code] of table) {
    const response = await get(path)
    const body = await response.json()
    assert.ok(isErrorBody.Check(body), path)
    assert.deepEqual([response.status, body.error.code], [status, code], path)
  }
})

test('an invalid limit means the default, and none exceeds the maximum', async () => {
  for (const limit of ['x', '-5', '0', '1e9', 'NaN', '']) {
    assert.equal((await get(`/v1/search?q=test&limit=${limit}`)).status, 200, limit)
  }
})

test('a protocol registered at run time is shown at once, in its highest stable version', async () => {
  const { id: _, ...facts } = protocols[0]!
  registry.register({ ...facts, id: 'LATER', version: 'v1.2.0', summary: 'Came later.' }, [])
  registry.register({ ...facts, id: 'LATER', version: 'v2.0.0-rc.1', summary: 'Not yet.' }, [])
  assert.match(await textOf('/v1/protocols/later'), /"version":"v1\.2\.0".*Came later/)
  assert.equal((await get('/schemas/later/v1/operations.later.run.request.json')).status, 200)
  assert.match(await textOf('/openapi.json'), /Later/)
  for (const version of ['v1.2.0', 'v2.0.0-rc.1']) registry.unregister('LATER', version)
  assert.equal((await get('/v1/protocols/later')).status, 404)
})

interface Seen {
  readonly version: string
  readonly versions: readonly string[]
  readonly operations: readonly { readonly name: string; readonly request_schema: string }[]
  readonly tools?: readonly {
    readonly name: string
    readonly version: string
    readonly inputSchema: object
  }[]
}

test('every installed version can be requested, with its own schemas and tools', async (t) => {
  const { id: _, operations, ...facts } = protocols[0]!
  const { run } = operations
  const narrow = { ...run!, input: { type: 'object', properties: { only_in_one: {} } } }
  registry.register({ ...facts, id: 'TWIN', version: 'v1.0.0', operations: { run: narrow, old: run! } }, [])
  registry.register({ ...facts, id: 'TWIN', version: 'v1.1.0', operations: { run: run! } }, [])
  t.after(() => ['v1.0.0', 'v1.1.0'].map((version) => registry.unregister('TWIN', version)))
  const described = async (query: string) => (await (await get(`/v1/protocols/twin${query}`)).json()) as Seen
  const shown = await described('')
  assert.deepEqual([shown.version, shown.versions, shown.tools], ['v1.1.0', ['v1.1.0', 'v1.0.0'], undefined])
  const older = await described('?version=v1.0.0&with=tools')
  assert.deepEqual([older.version, older.operations.length], ['v1.0.0', 2])
  assert.deepEqual(
    older.tools?.map(({ name, version }) => [name, version]),
    [
      ['svc.twin.old', 'v1.0.0'],
      ['svc.twin.run', 'v1.0.0'],
    ],
  )
  assert.equal((await described('?version=v1')).version, 'v1.1.0')
  for (const { name, request_schema } of older.operations)
    assert.equal((await textOf(request_schema)).includes('only_in_one'), name === 'run')
  assert.doesNotMatch(await textOf('/schemas/twin/v1/operations.twin.run.request.json'), /only_in_one/)
  // Operations that only an older version has are still listed.
  assert.equal((await get('/schemas/twin/v1/operations.twin.old.request.json')).status, 200)
  assert.match(
    await textOf('/v1/protocols'),
    /"id":"TWIN","version":"v1\.1\.0".*?"operations":\["old","run"\]/,
  )
  assert.match(
    await (await get('/llms.txt')).text(),
    /### TWIN\n\n.*\n\n- `old` \(\w+, only in v1\.0\.0\): .*\n- `run` \(\w+\):/,
  )
  assert.match(
    await textOf('/v1/search?q=twin+old'),
    /"operation":"old".*?\/v1\/protocols\/TWIN\?version=v1\.0\.0"/,
  )
  const { components } = JSON.parse(await textOf('/openapi.json'))
  assert.deepEqual(
    ['TwinOldRequest', 'TwinRunRequest'].map((name) => components.schemas[name].properties.version.examples),
    [['v1.0.0'], ['v1.1.0', 'v1']],
  )
  assert.equal(JSON.stringify(components.schemas.DispatchRequest).match(/TwinRequest/g)?.length, 2)
  for (const path of ['/v1/protocols/twin?version=v3', '/v1/protocols/twin?version=nonsense'])
    assert.match(await textOf(path), /unknown_version.*there are v1\.1\.0, v1\.0\.0/)
  assert.equal((await get('/schemas/twin/v1/none.json?version=v1.0.0')).status, 404)
  assert.equal((await get('/schemas/none/v1/none.json?version=v1.0.0')).status, 404)
})

test('an unchanged protocol is answered as not modified', async () => {
  const { id: _, ...facts } = protocols[0]!
  registry.register({ ...facts, id: 'LATER' }, [])
  const ask = (etag: string) =>
    fetch(`${opened.url}/v1/protocols/later?with=tools`, { headers: { 'if-none-match': etag } })
  const first = await ask('"none"')
  const etag = first.headers.get('etag')!
  assert.deepEqual([first.status, (await ask(etag)).status], [200, 304])
  registry.register({ ...facts, id: 'LATER', summary: 'Another.' }, [])
  assert.equal((await ask(etag)).status, 200)
  registry.unregister('LATER', facts.version)
})
