// Each shape of the specification, against the published schemas of a running engine.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type SchemaNode, variantsOf } from '@svc/catalogue/derive/schema-node'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import * as spec from './spec-payloads.ts'

let service: InProcessService
before(async () => {
  service = await startInProcess()
})
after(() => service?.stop())

async function get(path: string): Promise<SchemaNode> {
  const answer = await fetch(`${service.api_url}/schemas/${path}`)
  assert.equal(answer.status, 200, path)
  return (await answer.json()) as SchemaNode
}

function schemaOf(operation: string, side: 'request' | 'response'): Promise<SchemaNode> {
  const [protocol = '', ...name] = operation.split('.')
  const id = protocol.toLowerCase()
  return get(`${id}/v1/operations.${id}.${name.join('.')}.${side}.json`)
}

/** Everything a path can lead to: through lists, variants and references. */
function nodesAt(root: SchemaNode, path: string): SchemaNode[] {
  const open = (node: SchemaNode): SchemaNode[] => {
    const pointed = node.$ref === undefined ? undefined : root.$defs?.[node.$ref.split('/').at(-1)!]
    const inner = [...variantsOf(node), ...(node.allOf ?? []), ...[node.items ?? []].flat(), pointed ?? []]
    return [node, ...inner.flat().flatMap((each) => open(each as SchemaNode))]
  }
  return path
    .split('.')
    .reduce<SchemaNode[]>(
      (nodes, name) => nodes.flatMap(open).flatMap((node) => node.properties?.[name] ?? []),
      [root],
    )
}

function missingIn(schema: SchemaNode, paths: readonly string[]): string[] {
  return paths.filter((path) => nodesAt(schema, path).length === 0)
}

for (const [operation, { input, output = [] }] of Object.entries(spec.payloads))
  test(`Operation payload shapes that are stated: ${operation}`, async () => {
    assert.deepEqual(missingIn(await schemaOf(operation, 'request'), input), [])
    assert.deepEqual(missingIn(await schemaOf(operation, 'response'), output), [])
  })

for (const [resource, fields] of Object.entries(spec.shapes))
  test(`Shapes: ${resource}`, async () => {
    assert.deepEqual(missingIn(await get(`resources/${resource}.json`), fields), [])
  })

test('Bounds, and required fields', async () => {
  for (const { operation, field, minimum, maximum } of spec.bounds) {
    const [node] = nodesAt(await schemaOf(operation, 'request'), field)
    assert.deepEqual([node?.minimum, node?.maximum], [minimum, maximum], field)
  }
  for (const [operation, names] of Object.entries(spec.required)) {
    const { required = [] } = await schemaOf(operation, 'request')
    assert.deepEqual([...required].sort(), [...names].sort(), operation)
  }
})
