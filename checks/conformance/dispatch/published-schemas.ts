// Published schemas, read by another JSON Schema implementation than the engine's validator.
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

// Comes with Fastify and is loaded through it, since it is not our dependency.
const of_fastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
const of_compiler = createRequire(of_fastify.resolve('@fastify/ajv-compiler'))
const { Ajv2020 } = of_compiler('ajv/dist/2020') as { Ajv2020: new (options: object) => Ajv }

/** Shared: it compiles the meta-schema at first use. */
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })

/** Fails unless the schema is valid JSON Schema 2020-12; then returns a value's faults. */
export function newValidator(schema: object): (value: unknown) => string[] {
  assert.equal((schema as { $schema?: string }).$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors))
  const check = ajv.compile(schema)
  // Removed at once: each is judged alone, and may come again.
  ajv.removeSchema(schema)
  return (value) => {
    if (check(value)) return []
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
