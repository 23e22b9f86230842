// The published JSON Schemas: two per operation, one per resource. The engine validates by exactly these.

import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { resources } from '../resources.ts'
import {
  compareText,
  resourcePath,
  type Side,
  schemaPath,
  sortedOperations,
  sortedProtocols,
} from './names.ts'
import { asDocument, type SchemaNode } from './schema-node.ts'

export interface PublishedSchema extends SchemaNode {
  readonly $schema: string
  readonly examples?: readonly unknown[]
}

export const schema_dialect = 'https://json-schema.org/draft/2020-12/schema'

/** `base` is the address the schemas are served under, or empty: then each `$id` is a path. */
function operationSchema(
  protocol: Declaration,
  name: string,
  operation: OperationFacts,
  side: Side,
  base = '',
): PublishedSchema {
  const is_request = side === 'request'
  // An untrusted schema may neither name itself as another, nor use another dialect.
  const {
    description,
    $id: _,
    $schema: __,
    title: ___,
    ...schema
  } = asDocument(is_request ? operation.input : operation.output)
  return {
    $schema: schema_dialect,
    $id: `${base}/schemas/${schemaPath(protocol, name, side)}`,
    title: `${protocol.id} ${name} ${side}`,
    description: [operation.summary, description].filter(Boolean).join(' '),
    ...schema,
    ...(is_request ? { examples: [operation.example] } : {}),
  }
}

/** Every published schema by its path, `schemas/max/v1/operations.max.audit_query.request.json`, in sorted order. */
export function deriveSchemas(
  protocols: readonly Declaration[],
  base = '',
): ReadonlyMap<string, PublishedSchema> {
  const schemas: [string, PublishedSchema][] = []
  for (const protocol of sortedProtocols(protocols)) {
    for (const [name, operation] of sortedOperations(protocol)) {
      for (const side of ['request', 'response'] as const) {
        const path = `schemas/${schemaPath(protocol, name, side)}`
        schemas.push([path, operationSchema(protocol, name, operation, side, base)])
      }
    }
  }
  for (const [name, schema] of Object.entries(resources)) {
    const path = `schemas/${resourcePath(name)}`
    schemas.push([
      path,
      { $schema: schema_dialect, $id: `${base}/${path}`, title: name, ...asDocument(schema) },
    ])
  }
  return new Map(schemas.sort(([a], [b]) => compareText(a, b)))
}
