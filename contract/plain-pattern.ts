// Patterns that strangers bring and we run: only those whose every match is short work, whatever the text.

/** Ways a matcher may have to try at each place of a text. */
const ways_max = 10_000
const unbounded_ways = 100

interface Quantifier {
  readonly ways: number
  readonly unbounded: boolean
}

/** Anchored at the start, nothing quantified inside what is itself repeated, no look-around, no reference back. */
export function isPlainPattern(pattern: string): boolean {
  if (!pattern.startsWith('^')) return false
  const quantified: boolean[] = [false]
  let [ways, unbounded, at] = [1, 0, 1]
  while (at < pattern.length) {
    const sign = pattern[at]!
    const inner = sign === ')' ? quantified.pop()! : false
    if (sign === ')' && quantified.length === 0) return false
    if (sign === '(') {
      if (pattern[at + 1] === '?' && pattern[at + 2] !== ':') return false
      quantified.push(false)
      at += pattern[at + 1] === '?' ? 3 : 1
      continue
    }
    const next = atomEnd(pattern, at)
    if (next === undefined) return false
    const [found, after] = quantifierAt(pattern, next)
    if (found) {
      if (inner || sign === '(' || (sign === ')' && found.unbounded)) return false
      ways *= found.ways
      unbounded += found.unbounded ? 1 : 0
      quantified[quantified.length - 1] = true
    }
    // What stands in a group counts for the group around it, too.
    if (inner) quantified[quantified.length - 1] = true
    at = after
  }
  return quantified.length === 1 && unbounded <= 1 && ways <= ways_max
}

/** Where one atom ends; undefined for what refers back. */
function atomEnd(pattern: string, at: number): number | undefined {
  if (pattern[at] === '\\') return /[1-9k]/.test(pattern[at + 1] ?? '') ? undefined : at + 2
  if (pattern[at] !== '[') return at + 1
  let end = at + 1
  while (end < pattern.length && pattern[end] !== ']') end += pattern[end] === '\\' ? 2 : 1
  return end + 1
}

const counted_form = /^\{(\d{1,5})(,(\d{0,5}))?\}/

function quantifierAt(pattern: string, at: number): [Quantifier | undefined, after: number] {
  const lazy = (end: number) => (pattern[end] === '?' ? end + 1 : end)
  switch (pattern[at]) {
    case '*':
    case '+':
      return [{ ways: unbounded_ways, unbounded: true }, lazy(at + 1)]
    case '?':
      return [{ ways: 2, unbounded: false }, lazy(at + 1)]
    case '{': {
      const counted = counted_form.exec(pattern.slice(at, at + 16))
      if (!counted) return [undefined, at]
      const end = lazy(at + counted[0].length)
      const [least, most] = [Number(counted[1]), counted[3]]
      if (counted[2] === undefined) return [{ ways: 1, unbounded: false }, end]
      if (!most) return [{ ways: unbounded_ways, unbounded: true }, end]
      return [{ ways: Math.max(1, Number(most) - least + 1), unbounded: false }, end]
    }
    default:
      return [undefined, at]
  }
}
