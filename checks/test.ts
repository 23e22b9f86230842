// npm test: every test of the project, one exit code. First sets up what is missing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { compileRust } from './suite/rust.ts'
import { type FileResult, runFiles } from './suite/test-files.ts'

const root = join(import.meta.dirname, '..')
const patterns = process.argv.slice(2)
const fault_characters_max = 4_000

/** Files named on the command line, or all of them: the long ones first, so that none is left at the end. */
const all = [
  'checks/**/*.test.ts',
  '{examples,clients,service,audit,adapters,protocols,gateway,nodes,engine,catalogue,database,contract}/**/*.test.ts',
].flatMap((pattern) => globSync(pattern, { cwd: root }).sort())
const files = patterns.length ? patterns : all.filter((file) => !file.includes('node_modules'))

/** Heavy tests run after the rest, and speed comparisons alone. */
const alone = files.filter((file) => file.endsWith('/overload.test.ts'))
const faults = files.filter((file) => file.startsWith('checks/faults/') && !alone.includes(file))
/** The longest start first, so that nothing waits for them at the end. */
const long = ['restart', 'rolling-restart', 'kills', 'drain'].map((name) => `checks/faults/${name}.test.ts`)
const heavy = [
  ...long.filter((file) => faults.includes(file)),
  ...faults.filter((file) => !long.includes(file)),
]
/** Tests of the Rust side wait until it is compiled. */
const rust = files.filter((file) => /rust[^/]*\.test\.ts$/.test(file))
/** The pages' examples take longest of all, so they start first. */
const pages = files.filter((file) => file.startsWith('checks/documents/'))
const others = [...pages, ...files.filter((file) => ![...heavy, ...alone, ...rust, ...pages].includes(file))]

/** Types, style, generated files and dead code run meanwhile: each needs only one core. */
const checking = patterns.length ? Promise.resolve(0) : runCheck()
const compiling = rust.length ? compileRust() : undefined
// Four at a time on two cores: a test often waits for a clock, PostgreSQL or another process.
const print = (text: string) => process.stdout.write(text)
const results: FileResult[] = [
  ...(await runFiles(others, 4, root, print)),
  ...((await compiling?.then(() => runFiles(rust, 3, root, print))) ?? []),
  ...(await runFiles(heavy, 3, root, print)),
  ...(await runFiles(alone, 1, root, print)),
]

const check = await checking
const sum = (count: (result: FileResult) => number) =>
  results.reduce((total, result) => total + count(result), 0)
const failed = results.filter((result) => result.failed > 0)
// Repeated at the end, for readers of only the last lines.
for (const { file, failed: count, faults } of failed)
  console.log(`✖ ${file}: ${count} failed\n${faults.slice(0, fault_characters_max).trimEnd()}`)
console.log(
  `tests: ${sum((file) => file.passed)} passed, ${sum((file) => file.failed)} failed, ${sum((file) => file.skipped)} skipped`,
)
process.exit(failed.length ? 1 : check)

async function runCheck(): Promise<number> {
  const child = spawn(process.execPath, ['checks/check.ts'], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code ?? 1
}
