// Whether a published JSON Schema can be used: every keyword well formed, every local reference and pattern valid. Nothing is generated
// from it here, so a hostile schema runs no code.

const nodes_max = 2_000
const depth_max = 32
const pattern_chars_max = 500

const simple_types = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']
const one_schema = [
  'additionalProperties',
  'propertyNames',
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const schema_lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const schema_maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

const references = ['$ref', '$dynamicRef', '$recursiveRef']

type Rule = (value: unknown) => boolean
const isText: Rule = (value) => typeof value === 'string'
const isNumber: Rule = (value) => typeof value === 'number'
const isCount: Rule = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isFlag: Rule = (value) => typeof value === 'boolean'
const isTextList: Rule = (value) => Array.isArray(value) && value.every(isText)

/** Keywords whose value is not a schema, and the required form. Unknown keywords are annotations and may be anything. */
const plain_keywords: Readonly<Record<string, Rule>> = {
  $schema: isText,
  $id: isText,
  $anchor: isText,
  $comment: isText,
  title: isText,
  description: isText,
  format: isText,
  type: (value) =>
    [value].flat().length > 0 && [value].flat().every((one) => simple_types.includes(one as string)),
  enum: (value) => Array.isArray(value) && value.length > 0,
  required: isTextList,
  examples: Array.isArray,
  pattern: isPattern,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isFlag,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isTextList),
}

/** Why it cannot be used, with the place; undefined where it can. */
export function schemaFault(schema: unknown): string | undefined {
  const left = { nodes: nodes_max }
  return faultAt(schema, '', schema, left, 0)
}

function faultAt(
  node: unknown,
  where: string,
  root: unknown,
  left: { nodes: number },
  depth: number,
): string | undefined {
  if (typeof node === 'boolean') return undefined
  if (!isObject(node)) return `${where || '/'} is no schema`
  if (--left.nodes < 0 || depth > depth_max) return 'it is larger than anybody could check'
  for (const [keyword, value] of Object.entries(node)) {
    const rule = Object.hasOwn(plain_keywords, keyword) ? plain_keywords[keyword] : undefined
    if (rule && !rule(value)) return `${where}/${keyword} has a value of the wrong form`
    if (references.includes(keyword) && !(keyword === '$ref' && resolves(value, root)))
      return `${where}/${keyword} leads nowhere inside it`
    const inner_schemas = innerSchemas(keyword, value)
    if (!inner_schemas) return `${where}/${keyword} has a value of the wrong form`
    for (const [name, inner] of inner_schemas) {
      const fault = faultAt(inner, `${where}/${name}`, root, left, depth + 1)
      if (fault) return fault
    }
  }
  return undefined
}

/** The schemas a keyword holds: none where it holds no schema, undefined where its value is malformed. */
function innerSchemas(keyword: string, value: unknown): [string, unknown][] | undefined {
  if (one_schema.includes(keyword)) return [[keyword, value]]
  if (schema_lists.includes(keyword)) {
    if (!Array.isArray(value) || value.length === 0) return undefined
    return value.map((one, i) => [`${keyword}/${i}`, one])
  }
  if (!schema_maps.includes(keyword)) return []
  if (!isObject(value)) return undefined
  if (keyword === 'patternProperties' && !Object.keys(value).every(isPattern)) return undefined
  return Object.entries(value).map(([name, one]) => [`${keyword}/${name}`, one])
}

/** Only references within the schema: external ones are never fetched. */
function resolves(reference: unknown, root: unknown): boolean {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return false
  let node: unknown = root
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return false
    node = (node as Record<string, unknown>)[key]
  }
  return typeof node === 'boolean' || isObject(node)
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > pattern_chars_max) return false
  try {
    return new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
