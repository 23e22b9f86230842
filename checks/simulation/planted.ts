// node checks/simulation/planted.ts [--only <part or name>] [--seeds N]: plants one bug at a time in a temporary copy of the repository
// and says after how many seeds the simulation finds it.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { bugs } from './planted/bugs.ts'
import type { PlantedBug } from './planted/planted-bug.ts'

const root = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, seeds: { type: 'string', default: '1000' } },
})

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'svc-planted-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const path of listed.split('\0').filter((name) => /\.(ts|json|txt)$/.test(name))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
  linkModules(copy)
  return copy
}

/** Other packages are shared; our own must be those of the copy. */
function linkModules(copy: string): void {
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const target = join(root, 'node_modules', name)
    if (name === '@svc')
      cpSync(target, join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(target, join(copy, 'node_modules', name))
  }
}

/** The line that names the failing seed, or that none failed. */
async function simulate(
  copy: string,
  part: string,
  seed: string,
  seeds: string,
): Promise<{ code: number; output: string }> {
  const program = join(copy, 'checks/simulation/simulate.ts')
  const options = ['--only', part, '--seed', seed, '--seeds', seeds, '--no-shrink']
  const child = spawn(process.execPath, [program, ...options], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number]
  return { code, output }
}

/** A copy that does not start would find no bug at all. */
async function requireRunning(copy: string): Promise<void> {
  const { code, output } = await simulate(copy, 'witness', '1', '1')
  if (code !== 0) throw new Error(`the copy without a bug does not run: ${output.trim().slice(-300)}`)
}

async function plant(copy: string, bug: PlantedBug): Promise<boolean> {
  const path = join(copy, bug.file)
  const text = readFileSync(path, 'utf8')
  if (text.split(bug.old_text).length !== 2)
    throw new Error(`${bug.name}: its text is not in ${bug.file} once`)
  writeFileSync(
    path,
    text.replace(bug.old_text, () => bug.new_text),
  )
  const { code, output } = await simulate(copy, bug.part, '1', values.seeds)
  writeFileSync(path, text)
  const [, seed, message] = /failed with seed (\d+): (.*)/.exec(output) ?? []
  // Without the bug the same seed must pass, or it has found something else.
  const is_found = code === 1 && seed !== undefined && (await simulate(copy, bug.part, seed, '1')).code === 0
  const result = is_found
    ? `found after ${seed} seeds: ${message}`
    : `NOT FOUND: ${output.trim().slice(-300)}`
  console.log(`${bug.part}: ${bug.name}: ${result}`)
  return is_found
}

const chosen = bugs.filter(({ name, part }) => part.includes(values.only) || name.includes(values.only))
const copy = copyRepository()
let missed = 0
try {
  await requireRunning(copy)
  for (const bug of chosen) if (!(await plant(copy, bug))) missed++
} finally {
  rmSync(copy, { recursive: true, force: true })
}
process.exit(missed > 0 || chosen.length === 0 ? 1 : 0)
