// Strings that expose excessive backtracking in a pattern, timed with a limit.
import fc from 'fast-check'

/** From short enough for an exponential pattern to end, to what somebody may really send. */
const lengths = [20, 24, 200, 2_000, 5_000, 50_000] as const
const compared = { from: 5_000, to: 50_000 }
const growth_max = 20
/** The square of the longest text takes seconds, so less than this is noise of the machine. */
const noise_ms = 25
const short_ms_max = 25
/** Even at cubic cost ten times the text stays within the noise: the longest need not be tried. */
const settled_ms = noise_ms / 1_000
const tries = 3
const is_long = process.env.SVC_TEST_ASSURANCE !== undefined
/** Random samples per run. */
const samples = is_long ? 3 : 1
const endings = is_long ? ['', '!', '\n', '\u0000'] : ['!']
const pumps_per_sample = process.env.SVC_TEST_ASSURANCE ? 6 : 3

const repeats = /[*+]|\{\d+,\}|\)\{/

/** It reads a fixed number of characters: from its beginning, or from each place if it repeats nothing. */
function isBounded({ source }: RegExp): boolean {
  const bare = source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, 'c')
  if (!/[*+{]/.test(bare)) return true
  return source.startsWith('^') && !bare.includes('|') && !repeats.test(bare)
}

/** Undefined if the cost grows about as fast as the text; otherwise what it grows to. */
export function findBlowUp(pattern: RegExp, seed: number): string | undefined {
  if (isBounded(pattern)) return undefined
  for (const write of hostileStrings(pattern, seed)) {
    const blow_up = growsTooFast(pattern, write)
    if (blow_up) return blow_up
  }
  return undefined
}

type Write = (length: number) => string

function growsTooFast(pattern: RegExp, write: Write): string | undefined {
  let before_ms = 0
  for (const length of lengths) {
    const text = write(length)
    const ms = leastTime(pattern, text)
    const about = `${JSON.stringify(text.slice(0, 20))}… of ${length} takes ${ms.toFixed(1)} ms`
    if (length < compared.to && ms > short_ms_max) return about
    if (length === compared.from) before_ms = ms
    if (length === compared.from && ms < settled_ms) return undefined
    if (
      length === compared.to &&
      ms > noise_ms &&
      ms > growth_max * Math.max(before_ms, noise_ms / growth_max)
    ) {
      return `${about}, a tenth of it ${before_ms.toFixed(2)} ms`
    }
  }
  return undefined
}

/** The minimum thread CPU time of a few tries, without waits for a core. A fast or hopeless try ends it. */
function leastTime(pattern: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries && least > noise_ms && (i === 0 || least < 4 * short_ms_max); i++) {
    const begun = process.threadCpuUsage()
    pattern.exec(text)
    least = Math.min(least, process.threadCpuUsage(begun).user / 1_000)
  }
  return least
}

/** One repeated character, and matches with a repeated piece; each also with an end that breaks the match. */
function* hostileStrings(pattern: RegExp, seed: number): Generator<Write> {
  for (const ending of endings) {
    for (const character of alphabetOf(pattern)) yield (length) => character.repeat(length) + ending
  }
  for (const sample of matchesOf(pattern, seed)) {
    for (let pump = 0; pump < pumps_per_sample; pump++) {
      const from = Math.floor((sample.length * pump) / pumps_per_sample)
      const piece = sample.slice(from, from + 1 + (pump % 3)) || 'a'
      const [head, tail] = [sample.slice(0, from), sample.slice(from)]
      yield (length) => head + piece.repeat(Math.ceil(length / piece.length)) + tail
      yield (length) => `${head + piece.repeat(Math.ceil(length / piece.length))}\u0000`
    }
  }
}

function alphabetOf(pattern: RegExp): Set<string> {
  const named = pattern.source.replace(/\\[a-zA-Z]/g, '').replace(/[\\^$|()[\]{}+*?]/g, '')
  return new Set([...named, ...'aZ0_-./: \t\n"é[](){}<>\\^$|+*?'])
}

/** Drawing from Unicode categories takes minutes; they repeat nothing, so nothing is missed. */
const categories = /\\[pP]\{/

function matchesOf(pattern: RegExp, seed: number): string[] {
  if (categories.test(pattern.source)) return []
  try {
    return fc.sample(fc.stringMatching(pattern), { numRuns: samples, seed })
  } catch {
    // Look-arounds and a few classes cannot be drawn from; their characters are still tried.
    return []
  }
}
