import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { newValidator } from '../dispatch/published-schemas.ts'

let service: InProcessService

before(async () => {
  service = await startInProcess()
})
after(() => service.stop())

/** Without a key: docs, directory and search resources are public. */
async function get(path: string): Promise<Response> {
  return fetch(`${service.api_url}${path}`)
}

async function json<Body>(path: string): Promise<Body> {
  const response = await get(path)
  assert.equal(response.status, 200, path)
  return (await response.json()) as Body
}

interface Listed {
  readonly id: string
  readonly operations: readonly string[]
  readonly url: string
}
interface Described {
  readonly operations: readonly {
    readonly name: string
    readonly mcp_tool: string
    readonly capability: string
    readonly request_schema: string
    readonly response_schema: string
    readonly example: unknown
  }[]
}

test('Docs, directory and search resources are public: the directory lists every protocol and operation', async () => {
  const { protocols } = await json<{ protocols: Listed[] }>('/v1/protocols')
  const listed = Object.fromEntries(protocols.map(({ id, operations }) => [id, [...operations].sort()]))
  const ours = catalogue.map(({ id, operations }) => [id, Object.keys(operations).sort()])
  assert.deepEqual(listed, Object.fromEntries(ours))
  for (const { url, id } of protocols) {
    const { operations } = await json<Described>(url)
    assert.deepEqual(operations.map(({ name }) => name).sort(), listed[id])
  }
})

test('Each operation has a published JSON Schema, which resolves, is valid and accepts the example', async () => {
  const { protocols } = await json<{ protocols: Listed[] }>('/v1/protocols')
  for (const { id, url } of protocols) {
    const lower = id.toLowerCase()
    for (const operation of (await json<Described>(url)).operations) {
      const path = `/schemas/${lower}/v1/operations.${lower}.${operation.name}`
      assert.deepEqual(
        [operation.request_schema, operation.response_schema],
        [`${path}.request.json`, `${path}.response.json`],
      )
      const request = newValidator(await json(operation.request_schema))
      assert.deepEqual(request(operation.example), [], operation.request_schema)
      assert.notDeepEqual(request('not an object'), [])
      assert.notDeepEqual(newValidator(await json(operation.response_schema))(undefined), [])
    }
  }
})

test('every resource of the specification has a published JSON Schema', async () => {
  const openapi = await json<{ components?: { schemas?: object } }>('/openapi.json')
  assert.ok(Object.keys(openapi.components?.schemas ?? {}).length > 0)
  for (const name of [
    'handle-request-input',
    'invoke-context',
    'resolved-agent-identity',
    'agent-capability',
    'capability-limits',
    'agent-service-endpoint',
    'delegation-token',
    'audit-record',
    'treaty',
    'plugin-manifest',
    'external-protocol-registration',
    'recipe',
    'client-config',
  ]) {
    newValidator(await json(`/schemas/resources/${name}.json`))
  }
})

test('Every protocol operation is also exposed as an MCP tool named svc.<protocol>.<operation>', async () => {
  for (const { id, operations } of catalogue) {
    const described = await json<Described>(`/v1/protocols/${id.toLowerCase()}`)
    const names = Object.keys(operations).map((name) => `svc.${id.toLowerCase()}.${name}`)
    assert.deepEqual(described.operations.map(({ mcp_tool }) => mcp_tool).sort(), names.sort())
    assert.deepEqual(described.operations.map(({ capability }) => capability).sort(), names.sort())
  }
})

test('search finds an operation by words of its summary', async () => {
  const { results } = await json<{ results: { protocol: string; operation?: string }[] }>(
    '/v1/search?q=why%20refused',
  )
  assert.deepEqual([results[0]?.protocol, results[0]?.operation], ['MAX', 'explainability_request'])
})

test('openapi.json describes POST /v1/dispatch and every reference in it resolves', async () => {
  const openapi = await json<Record<string, unknown>>('/openapi.json')
  const references = JSON.stringify(openapi).matchAll(/"\$ref":"([^"]+)"/g)
  let count = 0
  for (const [, reference = ''] of references) {
    count++
    const path = reference.replace(/^#\//, '').split('/').map(decodeURIComponent)
    const value = path.reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], openapi)
    assert.ok(value, `${reference} leads nowhere`)
  }
  assert.ok(count > 0)
  assert.ok('/v1/dispatch' in (openapi.paths as object))
})

test('llms.txt and docs are available for models and people', async () => {
  const llms = await get('/llms.txt')
  const text = await llms.text()
  for (const { id } of catalogue) assert.ok(text.includes(id), id)
  for (const [, path = ''] of text.matchAll(/\]\((\/[^)\s]*)\)/g))
    assert.equal((await get(path)).status, 200, path)
  const docs = await get('/docs')
  assert.match(docs.headers.get('content-type') ?? '', /^text\/html/)
  for (const path of ['/docs/pages.js', '/docs/pages.css', '/'])
    assert.equal((await get(path)).status, 200, path)
})

test('an unknown path is refused in the usual envelope', async () => {
  for (const [path, code] of [
    ['/v1/protocols/NOBODY', 'unknown_protocol'],
    ['/schemas/nobody.json', 'not_found'],
    ['/nowhere', 'not_found'],
    ['/v1/search', 'invalid_request'],
  ] as const) {
    const response = await get(path)
    const { error } = (await response.json()) as { error: { code: string } }
    assert.equal(error.code, code, path)
  }
})
