// `npm test`: every test that an ordinary change can break, and the static checks. `npm run test:all` runs the
// slow ones (*.slow.test.ts). With words: the files whose path has them all, or else whose test titles have.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { chooseFiles, isSlow } from './suite/choose-files.ts'
import { stopwatch } from './suite/real-time.ts'
import { compileRust } from './suite/rust.ts'
import { type FileResult, runFiles } from './suite/test-files.ts'

const root = join(import.meta.dirname, '..')
const fault_characters_max = 4_000
const slowest_shown = 10
// Four at a time on two cores: a test often waits for a clock, PostgreSQL or another process.
const places = 4
const places_for_slow = 3
/** They take longest, so they begin first: else one place would be left alone with them in the end. */
const longest = [
  'checks/simulation/simulate.test.ts',
  'checks/conformance/laws/awareness.test.ts',
  'checks/conformance/laws/governance.test.ts',
  'checks/conformance/laws/identity.test.ts',
  'checks/conformance/laws/execution.test.ts',
  'checks/log-pages/kills.test.ts',
  'checks/tamper/stored.test.ts',
  'service/admin/doctor.test.ts',
  'checks/documents/documents.slow.test.ts',
  'checks/clients/sdk/forged-log.slow.test.ts',
]

const words = process.argv.slice(2).filter((word) => word !== '--slow')
const files = chooseFiles(root, words, process.argv.includes('--slow'))
const elapsed_ms = stopwatch()
const print = (text: string) => process.stdout.write(text)

/** Types, style, generated files and dead code run meanwhile: each needs only one core. */
const checking = words.length || files.some(isSlow) ? Promise.resolve(0) : runCheck()
const results: FileResult[] = []
/** Speed comparisons run alone, and tests of the Rust side once it is compiled. */
const alone = files.filter((file) => file.includes('/overload.'))
const rust = files.filter((file) => /rust[^/]*\.slow\.test\.ts$/.test(file))
const compiling = rust.length ? compileRust() : undefined
const others = files
  .filter((file) => ![...alone, ...rust].includes(file))
  .sort((a, b) => Number(longest.includes(b)) - Number(longest.includes(a)))
results.push(...(await runFiles(others, files.some(isSlow) ? places_for_slow : places, root, print)))
await compiling
results.push(...(await runFiles(rust, places_for_slow, root, print)))
results.push(...(await runFiles(alone, 1, root, print)))
const check = await checking

const sum = (count: (result: FileResult) => number) =>
  results.reduce((total, result) => total + count(result), 0)
const failed = results.filter((result) => result.failed > 0)
// Repeated at the end, for readers of only the last lines.
for (const { file, failed: count, faults } of failed)
  console.log(`✖ ${file}: ${count} failed\n${faults.slice(0, fault_characters_max).trimEnd()}`)
console.log(`The slowest of ${results.length} files (seconds, and CPU seconds of its process):`)
for (const { file, seconds, cpu_seconds } of results
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, slowest_shown))
  console.log(`${seconds.toFixed(1).padStart(7)} ${cpu_seconds.toFixed(1).padStart(6)}  ${file}`)
const minutes = (elapsed_ms() / 60_000).toFixed(1)
console.log(`Took ${minutes} minutes; ${sum((file) => file.cpu_seconds).toFixed(0)} CPU seconds in tests.`)
console.log(
  `tests: ${sum((file) => file.passed)} passed, ${sum((file) => file.failed)} failed, ${sum((file) => file.skipped)} skipped`,
)
if (check !== 0)
  console.log('✖ The static checks failed; what they found is above, and again by checks/check.ts.')
process.exit(failed.length || sum((file) => file.passed) === 0 ? 1 : check)

async function runCheck(): Promise<number> {
  const child = spawn(process.execPath, ['checks/check.ts'], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code ?? 1
}
