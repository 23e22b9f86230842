// npm test: every test of the project, one summary, one exit code. Sets up what is missing first.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)

/** Files named on the command line, or all of them. Those that load the machine run after the rest, what compares speeds alone. */
const all = globSync(
  '{contract,engine,protocols,audit,catalogue,adapters,nodes,gateway,service,clients,checks,examples}/**/*.test.ts',
  { cwd: root },
)
  .filter((file) => !file.includes('node_modules'))
  .sort()
const files = wanted.length ? wanted : all
const heavy = files.filter((file) => file.startsWith('checks/faults/'))
const alone = heavy.filter((file) => file.endsWith('/overload.test.ts'))
const light = files.filter((file) => !heavy.includes(file))

/** Every file is a process of its own; what one has compiled the next need not, nor the engines they start. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/svc-compiled') }

function run(files: readonly string[], concurrency: number): number {
  if (files.length === 0) return 0
  const done = spawnSync(
    process.execPath,
    ['--test', `--test-concurrency=${concurrency}`, '--test-reporter=spec', ...files],
    { cwd: root, env, stdio: 'inherit' },
  )
  return done.status ?? 1
}

const check = wanted.length
  ? 0
  : (spawnSync(process.execPath, ['checks/check.ts'], { cwd: root, stdio: 'inherit' }).status ?? 1)
// Three at a time on two cores: a third of the time a test waits, for a clock or for PostgreSQL.
const beside_each_other = heavy.filter((file) => !alone.includes(file))
const status = [check, run(light, 3), run(beside_each_other, 2), run(alone, 1)].find((code) => code !== 0)
process.exit(status ?? 0)
