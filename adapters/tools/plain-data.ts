// Foreign input as data that can be hashed, stored and passed on.

const depth_max = 100

/** Lone surrogates become the replacement character; too deep nesting and too large numbers throw a RangeError. */
export function asPlainData(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  // JSON.parse reads 1e999 as infinite, which JSON cannot write.
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('a number is too large')
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depth_max) throw new RangeError(`nested deeper than ${depth_max} levels`)
  if (Array.isArray(value)) return value.map((one) => asPlainData(one, depth + 1))
  const members = Object.entries(value).map(([name, member]) => [
    name.toWellFormed(),
    asPlainData(member, depth + 1),
  ])
  return Object.fromEntries(members)
}
