// TypeScript types of every input and output, and one map from protocol and operation to both, for typed clients.
import { LiveFigures } from '@svc/contract/live'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { sortedOperations, sortedProtocols, typeName } from './names.ts'
import { asSchemaNode, type SchemaNode, variantsOf } from './schema-node.ts'

const head = '// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.\n'

export function deriveSdkTypes(protocols: readonly Declaration[]): string {
  const blocks: string[] = []
  const map: string[] = []
  for (const protocol of sortedProtocols(protocols)) {
    const operations = sortedOperations(protocol)
    for (const [name, operation] of operations) {
      const type = typeName(protocol.id, name)
      blocks.push(declare(`${type}Input`, operation.input, operation.summary))
      blocks.push(declare(`${type}Output`, operation.output, `Answer of ${protocol.id} ${name}.`))
    }
    const rows = operations.map(([name]) => {
      const type = typeName(protocol.id, name)
      return `    ${propertyName(name)}: { input: ${type}Input; output: ${type}Output }\n`
    })
    map.push(`  ${propertyName(protocol.id)}: {\n${rows.join('')}  }\n`)
  }
  const catalogue = `/** Every operation: \`Catalogue['MAX']['audit_query']['input']\`. */\nexport interface Catalogue {\n${map.join('')}}\n`
  const live = declare('LiveFigures', LiveFigures, 'An event of GET /v1/live.')
  return [head, ...blocks, live, catalogue].join('\n')
}

function declare(name: string, schema: OperationFacts['input'], summary: string): string {
  const node = asSchemaNode(schema)
  const comment = `/** ${plain(summary)} */\n`
  if (Object.keys(node.properties ?? {}).length > 0)
    return `${comment}export interface ${name} ${objectText(node, 0)}\n`
  return `${comment}export type ${name} = ${typeText(node, 0)}\n`
}

/** The TypeScript type of a schema. Anything without a type is `unknown`, never `any`. */
function typeText(node: SchemaNode, depth: number): string {
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ')
  const variants = variantsOf(node)
  if (variants.length > 0) return [...new Set(variants.map((each) => typeText(each, depth)))].join(' | ')
  if (node.allOf) return node.allOf.map((each) => `(${typeText(each, depth)})`).join(' & ')
  switch (node.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return node.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return listText(node, depth)
    case 'object':
      return node.properties ? objectText(node, depth) : `Record<string, ${recordValue(node, depth)}>`
    default:
      return 'unknown'
  }
}

function listText(node: SchemaNode, depth: number): string {
  const item =
    node.items && !Array.isArray(node.items) ? typeText(node.items as SchemaNode, depth) : 'unknown'
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`
}

function recordValue(node: SchemaNode, depth: number): string {
  const values = Object.values(node.patternProperties ?? {}).map((each) => typeText(each, depth))
  return values.length === 0 ? 'unknown' : [...new Set(values)].join(' | ')
}

function objectText(node: SchemaNode, depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const lines = Object.entries(node.properties ?? {}).map(([name, field]) => {
    const comment = field.description ? `${indent}/** ${plain(field.description)} */\n` : ''
    const optional = node.required?.includes(name) ? '' : '?'
    return `${comment}${indent}${propertyName(name)}${optional}: ${typeText(field, depth + 1)}\n`
  })
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('')}${'  '.repeat(depth)}}`
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

/** On one line, and unable to end its comment. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('*/', '* /')
}
