// Two clones of the commit give the same packages to the byte, whatever their folders, umask, times, time zone and locale are.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { digestOf } from '../../clients/packing/bill-of-materials.ts'
import { hasPython } from '../../clients/packing/wheel.ts'
import { rustIsHere } from '../suite/rust.ts'

const run = promisify(execFile)
const repository = join(import.meta.dirname, '../..')
const step_ms_max = 600_000
const output_bytes_max = 16 * 1024 * 1024
const installed = ['node_modules', 'adapters/node_modules', 'clients/mcp/node_modules']

/** Without the image: its base is Debian's, which changes by itself. */
const pack_script = `
const { pack } = await import(process.cwd() + '/clients/packing/pack.ts')
const { packCrates } = await import(process.cwd() + '/clients/packing/crates.ts')
const { packWheel } = await import(process.cwd() + '/clients/packing/wheel.ts')
const dist = process.cwd() + '/dist'
await pack(dist)
if (process.argv.includes('crates')) packCrates(dist)
if (process.argv.includes('wheel')) packWheel(dist)
`

interface Place {
  readonly folder: string
  readonly umask: string
  readonly env: Readonly<Record<string, string>>
  /** Of every file; else as git leaves it. */
  readonly modified?: Date
}

const places: readonly Place[] = [
  { folder: 'a', umask: '077', env: { TZ: 'Asia/Kolkata', LC_ALL: 'C' }, modified: new Date(0) },
  {
    folder: 'another/folder/of clones',
    umask: '002',
    env: { TZ: 'America/Los_Angeles', LC_ALL: 'C.UTF-8', SOURCE_DATE_EPOCH: '1' },
  },
]

let home: string
let kinds: string[]
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-reproducible-'))
  kinds = [...((await rustIsHere()) ? ['crates'] : []), ...(hasPython() ? ['wheel'] : [])]
})
after(() => rm(home, { recursive: true, force: true }))

/** Digests of all that is packed, by name. */
async function packIn({ folder, umask, env, modified }: Place): Promise<Record<string, string>> {
  const clone = join(home, folder)
  await mkdir(join(clone, '..'), { recursive: true })
  const inShell = (cwd: string, script: string, ...args: string[]) =>
    run('sh', ['-c', `umask ${umask}; ${script}`, 'sh', ...args], {
      cwd,
      env: { ...process.env, ...env },
      timeout: step_ms_max,
      maxBuffer: output_bytes_max,
    })
  await inShell(home, 'git clone --quiet "$1" "$2"', repository, clone)
  for (const path of installed) await copyPackages(path, clone)
  if (modified) {
    const { stdout } = await inShell(clone, 'git ls-files -z')
    for (const file of stdout.split('\0').filter(Boolean)) await utimes(join(clone, file), modified, modified)
  }
  await inShell(clone, '"$1" setup.mjs --all', process.execPath)
  const pack_here = '"$1" --input-type=module --eval "$2" -- "$@"'
  await inShell(clone, pack_here, process.execPath, pack_script, ...kinds)
  const dist = join(clone, 'dist')
  const files = (await readdir(dist, { withFileTypes: true })).filter((entry) => entry.isFile())
  return Object.fromEntries(files.map(({ name }) => [name, digestOf(join(dist, name))]))
}

/** Links where the file system can: they are large, and nothing writes to them. */
async function copyPackages(path: string, clone: string): Promise<void> {
  const [from, to] = [join(repository, path), join(clone, path)]
  await mkdir(to)
  const names = (await readdir(from)).filter((name) => !/^\.(cache|svc-setup)$/.test(name))
  const sources = names.map((name) => join(from, name))
  await run('cp', ['-al', ...sources, to]).catch(async () => {
    for (const name of names)
      await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true, force: true })
  })
}

test('two clones of a commit give the same packages to the byte', async () => {
  const [one, other] = await Promise.all(places.map(packIn))
  const names = Object.keys(one!).join(' ')
  for (const kind of ['svc-engine-', 'svc-sdk-', '.cdx.json', ...(kinds.includes('wheel') ? ['.whl'] : [])])
    assert.ok(names.includes(kind), `${kind} is not among ${names}`)
  assert.equal(names.includes('.crate'), kinds.includes('crates'), names)
  assert.deepEqual(other, one)
})
