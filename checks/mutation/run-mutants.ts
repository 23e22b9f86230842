// One process for the mutants of one file: loads everything else once, and the file, and what imports it, once per
// mutant. Tests run here without the runner of Node, file by file, up to the first that fails.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'

export interface Job {
  readonly file: string
  readonly tests: readonly string[]
  /** Its text. Each turn of a loop calls `tick`, so that a loop that no longer ends is noticed. */
  readonly unmutated: string
  readonly mutated: readonly string[]
  /** The first mutant to run: those before it have a verdict. */
  readonly from: number
}

export type Message =
  | { readonly kind: 'begun'; readonly index: number; readonly unmutated_ms: number }
  | { readonly kind: 'verdict'; readonly index: number; readonly killed_by: string | undefined }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'done' }

interface Test {
  readonly name: string
  readonly run: (context: object) => unknown
}

// A property test must give one verdict, always, and need not look for the smallest counterexample.
const seed = 20261117
fc.configureGlobal({ seed, endOnFailure: true })

// Afterwards nothing listens, so a test that waits forever ends the process.
const [job] = (await once(process, 'message')) as [Job]
const file_url = pathToFileURL(job.file).href
const runner_url = 'svc-mutation:runner'
const runner_source = `export const test = globalThis.svcMutationTest; export { test as default, test as it }`

let tests: Test[] = []
let version = 0
let current_text = ''
let turns = 0
let turns_max = Number.POSITIVE_INFINITY
let stray: unknown
/** By test, in the run without a mutant. */
const durations_ms = new Map<string, number>()
const importers = new Map<string, Set<string>>()
/** The file, and whatever imports it: all that a mutant can change. */
let reloaded = new Set<string>()

const baseOf = (url: string) => url.split('?')[0]!

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test') return { url: runner_url, format: 'module', shortCircuit: true }
    const resolved = next(specifier, context)
    const base = baseOf(resolved.url)
    const importing = importers.get(base) ?? new Set<string>()
    importers.set(base, importing.add(baseOf(context.parentURL ?? '')))
    return base === file_url || reloaded.has(base)
      ? { ...resolved, url: `${base}?mutant=${version}` }
      : resolved
  },
  load(url, context, next) {
    if (url === runner_url) return { format: 'module', source: runner_source, shortCircuit: true }
    const base = baseOf(url)
    if (base === url) return next(url, context)
    return { format: 'module', source: strippedOf(base), shortCircuit: true }
  },
})

/** What is loaded for each mutant is stripped of its types only once. */
const stripped = new Map<string, string>()

function strippedOf(url: string): string {
  if (url === file_url) return stripTypeScriptTypes(current_text)
  const text = stripped.get(url) ?? stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'))
  stripped.set(url, text)
  return text
}

class EndlessLoop extends Error {}

Object.assign(globalThis, {
  svcMutationTick() {
    if (++turns > turns_max) throw new EndlessLoop('the loop does not end')
  },
  svcMutationTest(name: string, ...rest: unknown[]) {
    tests.push({ name, run: rest.at(-1) as Test['run'] })
  },
})
process.on('unhandledRejection', (error) => {
  stray = error
})
process.on('uncaughtException', (error) => {
  stray = error
})

/** The name of the first test that fails; undefined where all pass. */
async function runTests(text: string): Promise<string | undefined> {
  // What an earlier mutant rejected late does not count for this one.
  await new Promise(setImmediate)
  version++
  turns = 0
  stray = undefined
  current_text = text
  // Throws where it is not even syntax: then the mutator is wrong, and nothing was tested.
  stripTypeScriptTypes(text)
  for (const path of job.tests) {
    const fault = await runFile(path, text === job.unmutated)
    if (fault !== undefined) return fault
  }
  return undefined
}

async function runFile(path: string, is_timed: boolean): Promise<string | undefined> {
  tests = []
  try {
    await import(`${pathToFileURL(path).href}?mutant=${version}`)
  } catch (error) {
    return `${path} does not load: ${String(error)}`
  }
  if (tests.length === 0) return `${path} has no tests`
  const length = (test: Test) => durations_ms.get(test.name) ?? 0
  for (const test of tests.toSorted((a, b) => length(a) - length(b))) {
    const started_ms = performance.now()
    const fault = await faultOf(test)
    if (is_timed) durations_ms.set(test.name, performance.now() - started_ms)
    if (fault !== undefined) return `${test.name}: ${fault}`
  }
  return undefined
}

async function faultOf({ run }: Test): Promise<string | undefined> {
  const afterwards: (() => unknown)[] = []
  const context = { diagnostic() {}, after: (work: () => unknown) => afterwards.push(work) }
  try {
    await run(context)
  } catch (error) {
    return String(error)
  } finally {
    for (const work of afterwards) await work()
  }
  await new Promise(setImmediate)
  if (turns > turns_max) return 'the loop does not end'
  return stray === undefined ? undefined : String(stray)
}

function importersOf(url: string): Set<string> {
  const all = new Set([url])
  for (const one of all) for (const importer of importers.get(one) ?? []) all.add(importer)
  return all
}

function send(message: Message): void {
  process.send!(message)
}

async function runUnmutated(): Promise<number> {
  const started_ms = performance.now()
  const fault = await runTests(job.unmutated)
  if (fault !== undefined) throw new Error(`without a mutant the tests fail: ${fault}`)
  return performance.now() - started_ms
}

async function main(): Promise<void> {
  const unmutated_ms = await runUnmutated()
  reloaded = importersOf(file_url)
  // Generous: a mutant may do a little more than the original, but a loop without an end does more than that.
  turns_max = 5 * turns + 10_000
  for (let index = job.from; index < job.mutated.length; index++) {
    send({ kind: 'begun', index, unmutated_ms })
    send({ kind: 'verdict', index, killed_by: await runTests(job.mutated[index]!) })
  }
  // Otherwise a mutant may have spoiled what the ones after it share, and their verdicts mean nothing.
  await runUnmutated()
}

try {
  await main()
  send({ kind: 'done' })
} catch (error) {
  send({ kind: 'failed', reason: String(error) })
}
process.disconnect!()
