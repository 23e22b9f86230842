// `npm run assurance`: the long form of every check, one after another. What was not run for longest goes
// first, and each result is kept in docs/assurance-results.md at once, so that a run can be stopped and resumed.
//   --hours 2   starts no check that would end later, as far as its last run tells
//   --again     also repeats what passed on this code
//   <files>     only these
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machine } from './bench/targets.ts'
import { type Result, readResults, resultsPage } from './suite/assurance-results.ts'
import { testFiles } from './suite/choose-files.ts'
import { stopwatch } from './suite/real-time.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/assurance-results.md')
/** Only for what hangs: a slow machine is no failure. */
const check_ms_max = 6 * 60 * 60_000
const output_chars_max = 4 * 1024 * 1024
const unknown_seconds = 600

/** A check has a long form if its file asks whether to run it. */
export const hasLongForm = (text: string): boolean => /\bis_long\b|SVC_TEST_ASSURANCE/.test(text)

type Ran = Pick<Result, 'check' | 'N' | 'seed' | 'result' | 'seconds'>

/** Runs one file in its long form; its output goes to `print` as it arrives. */
export async function runCheck(file: string, folder: string, print: (text: string) => void): Promise<Ran> {
  const elapsed_ms = stopwatch()
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', file], {
    cwd: folder,
    env: { ...process.env, SVC_TEST_ASSURANCE: '1', NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: check_ms_max,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-output_chars_max)
    print(text)
  })
  const [code] = await once(child, 'close')
  const seconds = Math.round(elapsed_ms() / 1000)
  return { check: file, ...figuresOf(output), result: resultOf(output, code), seconds }
}

/** A check prints `N=<number>` or starts a line with its number, and `seed <number>` if it has one. */
export function figuresOf(output: string): Pick<Result, 'N' | 'seed'> {
  const all = (pattern: RegExp) => {
    const matches = [...output.matchAll(pattern)].map((match) => match.slice(1).find(Boolean))
    return [...new Set(matches)].join(' ') || '-'
  }
  return { N: all(/\bN=(\d+)|^\s*ℹ (\d+) /gm), seed: all(/\bseed[= ](\d+)/gi) }
}

function resultOf(output: string, code: number | null): string {
  const count = (name: string) => Number(new RegExp(`^\\S+ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  if (code !== 0) return 'FAILED'
  // A file in which no test ran proves nothing, so it does not count as passed.
  if (count('pass') === 0) return 'FAILED: nothing ran'
  return count('skipped') > 0 ? `ok, ${count('skipped')} skipped` : 'ok'
}

/** Never run first, then the oldest. What passed on this code is left out, unless all is run again. */
export function dueChecks(
  checks: readonly string[],
  results: readonly Result[],
  isCurrent: (commit: string) => boolean,
): string[] {
  const last = new Map(results.map((result) => [result.check, result]))
  const isDone = (result: Result | undefined) =>
    result?.result.startsWith('ok') === true && isCurrent(result.commit)
  const ran_at = (check: string) => last.get(check)?.date ?? ''
  return checks
    .filter((check) => !isDone(last.get(check)))
    .toSorted((a, b) => ran_at(a).localeCompare(ran_at(b)) || a.localeCompare(b))
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Whether nothing but pages has changed since. A commit with `+` is known to differ. */
function isSameCode(commit: string): boolean {
  if (commit.endsWith('+')) return false
  try {
    git('diff', '--quiet', commit, '--', '.', ':!docs', ':!*.md')
    return true
  } catch {
    return false
  }
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { hours: { type: 'string' }, again: { type: 'boolean', default: false } },
  })
  const all = testFiles(root).filter((file) => hasLongForm(readFileSync(join(root, file), 'utf8')))
  const earlier = readResults(page).filter(({ check }) => all.includes(check))
  const due = positionals.length
    ? positionals
    : dueChecks(all, earlier, values.again ? () => false : isSameCode)
  const hours_ms = values.hours === undefined ? Infinity : Number(values.hours) * 3_600_000
  const elapsed_ms = stopwatch()
  const changed = git('status', '--porcelain', '--', '.', ':!docs') ? '+' : ''
  const where = { commit: git('rev-parse', '--short=10', 'HEAD') + changed, machine: machineText() }
  const results = new Map(earlier.map((result) => [result.check, result]))
  let failed = 0
  for (const [place, check] of due.entries()) {
    const expected_ms = (results.get(check)?.seconds ?? unknown_seconds) * 1000
    if (elapsed_ms() + expected_ms > hours_ms) continue
    console.log(`\n${place + 1} of ${due.length}: ${check}`)
    const ran = await runCheck(check, root, (text) => process.stdout.write(text))
    results.set(check, { ...ran, ...where, date: new Date().toISOString().slice(0, 16) })
    writeFileSync(page, resultsPage([...results.values()], all))
    if (!ran.result.startsWith('ok')) failed++
  }
  const left = dueChecks(all, [...results.values()], isSameCode)
  console.log(
    `\n${all.length - left.length} of ${all.length} checks have passed on this code; ${failed} failed now.`,
  )
  console.log('docs/assurance-results.md has the table.')
  return failed ? 1 : 0
}

function machineText(): string {
  const { arch, cores, memory_gib, node } = machine()
  return `${cores} cores ${arch}, ${memory_gib} GiB, Node ${node}`
}

if (import.meta.main) process.exitCode = await main()
