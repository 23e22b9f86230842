/** A claim of a token by its name; one that begins with `/` leads into objects, such as `/kubernetes.io/namespace`. */
export function claimAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  const path = name.startsWith('/') ? name.slice(1).split('/') : [name]
  let value: unknown = claims
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}
