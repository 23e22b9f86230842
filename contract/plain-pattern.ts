// Patterns that strangers bring and we run: only those whose every match is short work, whatever the text.

/** Ways a matcher may have to try at each place of a text. */
const ways_max = 10_000
const unbounded_ways = 100

interface Quantifier {
  readonly least: number
  /** Undefined: without end. */
  readonly most: number | undefined
}

/** A part of a pattern: how many ways it may match, and whether anything in it is repeated. */
interface Part {
  readonly ways: number
  readonly quantified: boolean
}

interface Reading {
  readonly pattern: string
  at: number
  unbounded: number
}

/** Anchored at the start, nothing quantified inside what is itself repeated, no look-around, no reference back. */
export function isPlainPattern(pattern: string): boolean {
  const reading: Reading = { pattern, at: 0, unbounded: 0 }
  const read = readAlternatives(reading, true)
  return (
    read !== undefined && reading.at === pattern.length && reading.unbounded <= 1 && read.ways <= ways_max
  )
}

/** Up to the end of the group, or of the pattern. Undefined for what is not plain. */
function readAlternatives(reading: Reading, is_top: boolean): Part | undefined {
  const { pattern } = reading
  const parts: Part[] = []
  const beginnings: (string | undefined)[] = []
  do {
    if (parts.length > 0) reading.at++
    // Each for itself: an anchor binds only the alternative it stands in.
    if (is_top && pattern[reading.at] !== '^') return undefined
    beginnings.push(letterAt(pattern, reading.at))
    const part = readSequence(reading)
    if (!part) return undefined
    parts.push(part)
  } while (pattern[reading.at] === '|')
  const ways = parts.map((part) => part.ways)
  // Where each begins with a letter of its own, the text decides and there is nothing to try.
  const is_decided = beginnings.every((one, i) => one !== undefined && beginnings.indexOf(one) === i)
  return {
    ways: is_decided ? Math.max(...ways) : ways.reduce((sum, each) => sum + each, 0),
    quantified: parts.some(({ quantified }) => quantified),
  }
}

/** A letter or digit that stands for itself, exactly once. */
function letterAt(pattern: string, at: number): string | undefined {
  const sign = pattern[at] ?? ''
  return /^[A-Za-z0-9]$/.test(sign) && !/^[*+?{]$/.test(pattern[at + 1] ?? '') ? sign : undefined
}

function readSequence(reading: Reading): Part | undefined {
  const { pattern } = reading
  let [ways, quantified] = [1, false]
  while (reading.at < pattern.length && pattern[reading.at] !== '|' && pattern[reading.at] !== ')') {
    const is_group = pattern[reading.at] === '('
    const atom = is_group ? readGroup(reading) : readAtom(reading)
    if (!atom) return undefined
    const [found, after] = quantifierAt(pattern, reading.at)
    reading.at = after
    if (found) {
      if (atom.quantified || (is_group && found.most === undefined)) return undefined
      if (found.most === undefined) reading.unbounded++
    }
    ways *= found ? waysOf(atom.ways, found) : atom.ways
    if (ways > ways_max) return undefined
    quantified ||= atom.quantified || found !== undefined
  }
  return { ways, quantified }
}

function readGroup(reading: Reading): Part | undefined {
  const { pattern } = reading
  const is_marked = pattern[reading.at + 1] === '?'
  if (is_marked && pattern[reading.at + 2] !== ':') return undefined
  reading.at += is_marked ? 3 : 1
  const inner = readAlternatives(reading, false)
  if (pattern[reading.at] !== ')') return undefined
  reading.at++
  return inner
}

const escape_form = /^\\(?:[pPu]\{[^{}]*\}|.?)/su

/** One sign, one class or one escape; undefined for what refers back, and for a count that is none of ours. */
function readAtom(reading: Reading): Part | undefined {
  const { pattern, at } = reading
  if (pattern[at] === '{') return undefined
  if (pattern[at] === '\\') {
    if (/[1-9k]/.test(pattern[at + 1] ?? '')) return undefined
    reading.at += escape_form.exec(pattern.slice(at))![0].length
  } else if (pattern[at] === '[') {
    let end = at + 1
    while (end < pattern.length && pattern[end] !== ']') end += pattern[end] === '\\' ? 2 : 1
    reading.at = end + 1
  } else reading.at++
  return { ways: 1, quantified: false }
}

/** All the ways to repeat what itself can match in so many. */
function waysOf(each: number, { least, most }: Quantifier): number {
  if (most === undefined) return unbounded_ways
  if (each === 1) return Math.max(1, most - least + 1)
  let sum = 0
  for (let times = least; times <= most && sum <= ways_max; times++) sum += each ** times
  return sum
}

const counted_form = /^\{(\d{1,5})(,(\d{0,5}))?\}/

function quantifierAt(pattern: string, at: number): [Quantifier | undefined, after: number] {
  const lazy = (end: number) => (pattern[end] === '?' ? end + 1 : end)
  switch (pattern[at]) {
    case '*':
      return [{ least: 0, most: undefined }, lazy(at + 1)]
    case '+':
      return [{ least: 1, most: undefined }, lazy(at + 1)]
    case '?':
      return [{ least: 0, most: 1 }, lazy(at + 1)]
    case '{': {
      const counted = counted_form.exec(pattern.slice(at, at + 16))
      if (!counted) return [undefined, at]
      const [whole, least, range, most] = counted
      const end = lazy(at + whole.length)
      if (range === undefined) return [{ least: Number(least), most: Number(least) }, end]
      return [{ least: Number(least), most: most ? Number(most) : undefined }, end]
    }
    default:
      return [undefined, at]
  }
}
