// Published schemas read by an implementation of JSON Schema that is not the one the engine validates with.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

interface Ajv {
  validateSchema(schema: object): unknown
  compile(
    schema: object,
  ): ((value: unknown) => boolean) & { errors?: { instancePath: string; message?: string }[] | null }
  /** By the object or its $id. */
  removeSchema(schema: object): unknown
  readonly errors?: unknown
}

// It comes with Fastify, and is reached through it, since it is nothing we depend on ourselves.
const of_fastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
const of_compiler = createRequire(of_fastify.resolve('@fastify/ajv-compiler'))
const { Ajv2020 } = of_compiler('ajv/dist/2020') as { Ajv2020: new (options: object) => Ajv }

/** One for all: it compiles the schema of schemas when first asked. */
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })

/** Fails where the schema is no valid JSON Schema 2020-12; then answers the faults of a value, none where it fits. */
export function newValidator(schema: object): (value: unknown) => string[] {
  assert.equal((schema as { $schema?: string }).$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors))
  const check = ajv.compile(schema)
  // Forgotten at once: each is judged alone, and may come again.
  ajv.removeSchema(schema)
  return (value) => {
    if (check(value)) return []
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
