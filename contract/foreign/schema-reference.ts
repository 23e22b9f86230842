// References inside a schema: where one leads, and whether following them ever goes deeper into the value.

type Node = Readonly<Record<string, unknown>>

/** Undefined for anything but a pointer to a place in this schema. */
export function follow(reference: unknown, root: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined
  let node: unknown = root
  for (const part of decodeURIComponent(reference).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined
    node = (node as Record<string, unknown>)[key]
  }
  return node
}

/** Keywords whose schemas apply to the same value again; all others apply to a part of it. */
const in_place = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']

/** Whether a schema applies itself to the same value, which would never end. */
export function isEndless(root: unknown, schemas: Iterable<unknown>): boolean {
  const finite = new Set<unknown>()
  const open = new Set<unknown>()
  const leadsBack = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null || finite.has(node)) return false
    if (open.has(node)) return true
    open.add(node)
    const is_endless = appliedInPlace(node as Node, root).some(leadsBack)
    open.delete(node)
    finite.add(node)
    return is_endless
  }
  for (const schema of schemas) if (leadsBack(schema)) return true
  return false
}

function appliedInPlace(node: Node, root: unknown): unknown[] {
  const referred = '$ref' in node ? [follow(node.$ref, root)] : []
  const applied = in_place.flatMap((keyword) => {
    const value = node[keyword]
    if (typeof value !== 'object' || value === null) return []
    return Array.isArray(value) || keyword.startsWith('depend') ? Object.values(value) : [value]
  })
  return [...referred, ...applied]
}
