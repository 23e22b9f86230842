// npm test: every test of the project, one exit code. Sets up what is missing first.
import { spawn, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)

/** Files named on the command line, or all of them. */
const all = globSync(
  '{contract,engine,protocols,audit,catalogue,adapters,nodes,gateway,service,clients,checks,examples}/**/*.test.ts',
  { cwd: root },
)
  .filter((file) => !file.includes('node_modules'))
  .sort()
const files = wanted.length ? wanted : all

/** What one process has compiled the next need not, nor the engines they start. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/svc-compiled') }

/**
 * Each in one process: starting one for every file costs more than what most of them do. Not so where a file starts a whole
 * service: those of a family would all live, and tend themselves, until the last test is done. The longest first.
 */
const families = [
  ['audit/', 'service/'],
  ['adapters/'],
  ['protocols/economic/'],
  ['protocols/awareness/', 'protocols/governance/', 'protocols/identity/'],
  ['protocols/cognition/', 'protocols/truth/'],
  ['contract/', 'engine/', 'catalogue/'],
  ['gateway/', 'nodes/', 'clients/'],
]
const families_at_once = 3
/** One that hangs is ended, so that the rest is still told. */
const family_ms_max = 400_000
const groups = families.map((family) =>
  files.filter((file) => family.some((place) => file.startsWith(place))),
)
/** Those that load the machine run after the rest, and what compares speeds alone. */
const heavy = files.filter((file) => file.startsWith('checks/faults/') && !file.endsWith('/overload.test.ts'))
const alone = files.filter((file) => file.endsWith('/overload.test.ts'))
const others = files.filter((file) => ![...groups, heavy, alone].some((group) => group.includes(file)))

/** The longest first; each place takes the next as soon as it is free. */
async function runGroups(): Promise<number[]> {
  const waiting = [...groups]
  const codes: number[] = []
  const place = async () => {
    for (let group = waiting.shift(); group; group = waiting.shift()) codes.push(await runTogether(group))
  }
  await Promise.all(Array.from({ length: families_at_once }, place))
  return codes
}

async function runTogether(group: readonly string[]): Promise<number> {
  if (group.length === 0) return 0
  const args = ['--test', '--test-isolation=none', '--test-reporter=spec', ...group]
  const options = { cwd: root, env, timeout: family_ms_max }
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  process.stdout.write(await text(child.stdout))
  return exited
}

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
const together = await runGroups()
// Three at a time on two cores: a third of the time a test waits, for a clock or for PostgreSQL.
const apart = [run(others, 3), run(heavy, 2), run(alone, 1)]
process.exit([check, ...together, ...apart].find((code) => code !== 0) ?? 0)
