// An upper bound of the work to check a value against a foreign schema: the engine's own thread does it, and cannot
// be interrupted.

/** Schemas visited for one value, with all references expanded. */
const visits_max = 5_000

const same_value = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]
/** Several of these may apply to the same member of a value. */
const some_member = [
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'prefixItems',
  'additionalItems',
  'contains',
  'unevaluatedItems',
]
const maps = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies']

interface Walk {
  readonly root: unknown
  visits: number
  /** Where a schema refers back to an enclosing one, as a place in the value. */
  readonly returns: string[]
  readonly open: Map<unknown, string>
  is_endless: boolean
}

/**
 * Why it could take long; undefined if it cannot. A schema may contain itself as trees do, once per member:
 * if a member is visited twice on every level, the work grows exponentially with the depth.
 */
export function workFault(schema: unknown): string | undefined {
  const walk: Walk = { root: schema, visits: 0, returns: [], open: new Map(), is_endless: false }
  visit(schema, '', walk)
  if (walk.visits > visits_max) return `it takes more than ${visits_max} steps for one value; say less`
  if (walk.is_endless) return 'it points at itself in a circle'
  const returns = walk.returns.toSorted()
  const is_twice = returns.some((place, i) => returns[i + 1]?.startsWith(place))
  const is_vague = returns.length > 1 && returns.some((place) => place.includes('*/'))
  return is_twice || is_vague ? 'it holds itself more than once for the same member of a value' : undefined
}

function visit(schema: unknown, place: string, walk: Walk): void {
  if (typeof schema !== 'object' || schema === null || walk.is_endless || ++walk.visits > visits_max) return
  const before = walk.open.get(schema)
  if (before !== undefined) {
    if (before === place) walk.is_endless = true
    walk.returns.push(place)
    return
  }
  walk.open.set(schema, place)
  for (const [keyword, value] of Object.entries(schema)) {
    // Their targets are known only while a value is checked.
    if (keyword === '$dynamicRef' || keyword === '$recursiveRef') walk.is_endless = true
    if (keyword === '$ref') visit(follow(value, walk.root), place, walk)
    else for (const [name, inner] of innerSchemas(keyword, value)) visit(inner, place + name, walk)
  }
  walk.open.delete(schema)
}

/** With the step from the value to the member they apply to; empty for the value itself. */
function innerSchemas(keyword: string, value: unknown): [string, unknown][] {
  const all = maps.includes(keyword) || Array.isArray(value) ? Object.entries(value ?? {}) : [['', value]]
  if (keyword === 'properties') return all.map(([name, inner]) => [`${JSON.stringify(name)}/`, inner])
  if (keyword === 'items') return all.map(([, inner]) => ['[]/', inner])
  if (same_value.includes(keyword)) return all.map(([, inner]) => ['', inner])
  return some_member.includes(keyword) ? all.map(([, inner]) => ['*/', inner]) : []
}

/** Only pointers into the schema itself are ever accepted. */
function follow(reference: unknown, root: unknown): unknown {
  let target = root
  for (const part of String(reference).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    target = (target as Record<string, unknown> | null | undefined)?.[key]
  }
  return target
}
