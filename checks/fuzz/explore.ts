// The search: inputs that reach new blocks are kept and changed further; inputs that break a property are
// made small and reported.
import type { Coverage } from './instrument.ts'
import { mutate } from './mutate.ts'
import type { Random } from './random.ts'
import { isRefusal, type Target } from './target.ts'

const steps_default_max = 1_000_000
const smaller_tries_max = 4_000
const corpus_inputs_max = 30
const corpus_chars_max = 1_024
const message_chars_max = 300

export interface Failure {
  readonly input: string
  readonly message: string
}

export interface Exploration {
  readonly inputs: number
  /** Blocks that ran, of those in the functions that were entered. */
  readonly blocks: number
  readonly blocks_entered: number
  readonly steps_max: number
  readonly failures: readonly Failure[]
  /** Few and short inputs that together reach the same blocks. */
  readonly corpus: readonly string[]
}

export interface Search {
  readonly target: Target
  readonly parse: (input: string) => unknown
  readonly coverage: Coverage
  readonly random: Random
  /** Inputs kept by earlier runs. */
  readonly corpus: readonly string[]
  /** Without guidance only the seeds are changed: to compare with. */
  readonly is_guided?: boolean
  /** Called before each input. */
  begin(input: string): void
  /** After the seeds and the corpus, with the number of inputs made since. */
  mayContinue(made: number): boolean
}

export async function explore(search: Search): Promise<Exploration> {
  const { target, coverage, random, is_guided = true } = search
  const first = [...new Set([...target.seeds, ...search.corpus])]
  const queue = [...first]
  const features = new Set<number>()
  const failures = new Map<string, Failure>()
  const words = wordsFor(search)
  let [inputs, steps_max] = [0, 0]
  while (inputs < first.length || search.mayContinue(inputs - first.length)) {
    const material = { random, words, others: queue, is_json: target.is_json ?? false }
    const input = first[inputs++] ?? mutate(chosen(queue, random), material)
    const message = await faultOf(search, input)
    steps_max = Math.max(steps_max, coverage.steps)
    const is_new = addFeatures(coverage, features)
    if (message !== undefined && !failures.has(kindOf(message)))
      failures.set(kindOf(message), await smallest(search, { input, message }))
    else if (message === undefined && is_new && is_guided && inputs > first.length) queue.push(input)
  }
  const corpus = await fewest(search, queue)
  return { inputs, ...blocksOf(search, features), steps_max, failures: [...failures.values()], corpus }
}

/** Often one of the newest, which reach what the others do not; of two, mostly the shorter, which is faster. */
function chosen(queue: readonly string[], random: Random): string {
  const newest = Math.max(1, queue.length >> 2)
  const draw = () =>
    random.below(2) === 0 ? random.pick(queue) : queue[queue.length - 1 - random.below(newest)]!
  const [one, other] = [draw(), draw()]
  return one.length > other.length && random.below(4) > 0 ? other : one
}

/** Why the input breaks a property; undefined if it does not. */
async function faultOf(
  { target, parse, coverage, begin }: Search,
  input: string,
): Promise<string | undefined> {
  begin(input)
  coverage.begin(target.steps_max ?? steps_default_max)
  let fault: string | undefined
  try {
    await parse(input)
  } catch (thrown) {
    if (!isRefusal(thrown, target)) fault = describe(thrown)
  }
  return coverage.isExceeded() ? `more than ${target.steps_max ?? steps_default_max} steps` : fault
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `threw ${String(thrown).slice(0, message_chars_max)}`
  const place = thrown.stack?.split('\n').find((line) => /^\s+at .*\.m?[jt]s:/.test(line)) ?? ''
  const message = thrown.message.replaceAll(/\s+/g, ' ').slice(0, message_chars_max)
  return `${thrown.name}: ${message} ${place.trim()}`
}

/** Failures of one kind differ in their message only. */
function kindOf(message: string): string {
  return /^\w+(?=:).* at (\S+.*)$/.exec(message)?.[1] ?? message
}

/** A block together with how often it ran, in powers of two: AFL's measure. */
function addFeatures(coverage: Coverage, features: Set<number>): boolean {
  const before = features.size
  for (const block of coverage.touched) features.add(block * 32 + 31 - Math.clz32(coverage.counts[block]!))
  return features.size > before
}

function isOwn(target: Target, path: string): boolean {
  return target.files.some((prefix) => path.startsWith(prefix))
}

function wordsFor({ target, coverage }: Search): string[] {
  const own_words = [...coverage.words].flatMap(([path, words]) => (isOwn(target, path) ? [...words] : []))
  return [...new Set([...(target.words ?? []), ...own_words])]
}

/** Of its own modules: others may be instrumented for another target. */
function blocksOf({ coverage: { blocks }, target }: Search, features: ReadonlySet<number>) {
  const reached = new Set([...features].map((feature) => feature >>> 5))
  const entered = blocks.flatMap(({ entry, path }, block) =>
    reached.has(entry) && isOwn(target, path) ? [block] : [],
  )
  return { blocks: entered.filter((block) => reached.has(block)).length, blocks_entered: entered.length }
}

/** Removes ever smaller pieces while the failure stays of the same kind. */
async function smallest(search: Search, failure: Failure): Promise<Failure> {
  let { input, message } = failure
  let tries = smaller_tries_max
  for (let chars = input.length >> 1; chars > 0; ) {
    const before = input.length
    for (let from = 0; from < input.length && tries > 0; tries--) {
      const shorter = input.slice(0, from) + input.slice(from + chars)
      const fault = await faultOf(search, shorter)
      if (fault !== undefined && kindOf(fault) === kindOf(message)) [input, message] = [shorter, fault]
      else from += chars
    }
    if (chars > 1 || input.length === before) chars >>= 1
  }
  return { input, message }
}

/** Greedy: of the inputs that add blocks, the shortest first. */
async function fewest(search: Search, queue: readonly string[]): Promise<string[]> {
  const reached = new Set<number>()
  const corpus: { input: string; gain: number }[] = []
  for (const input of queue.toSorted((a, b) => a.length - b.length)) {
    if (input.length > corpus_chars_max) continue
    await faultOf(search, input)
    const before = reached.size
    for (const block of search.coverage.touched) reached.add(block)
    if (reached.size > before) corpus.push({ input, gain: reached.size - before })
  }
  const best = corpus.toSorted((a, b) => b.gain - a.gain).slice(0, corpus_inputs_max)
  return best.map(({ input }) => input).sort()
}
