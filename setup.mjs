// Runs before every npm script, on whatever Node the machine has (20 or newer): installs what package-lock.json names,
// once, so that `npm start` and `npm test` are the only two commands a newcomer needs. Without a flag only what an engine
// runs with; `--console` adds what the console is built with, and builds it, which an engine in a checkout asks for when
// its console is opened; `--all` adds what tests, packing and plugins need.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const stamp = join(root, 'node_modules/.svc-installed')
const turn = join(root, 'node_modules/.svc-setup')
const poll_ms = 250
const lock_digest = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const extents = ['engine', 'console', 'all']

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(
    `svc needs Node 20 or newer to set itself up; this is ${process.version}. Install a newer Node and try again.`,
  )
  process.exit(1)
}

// Whoever has all keeps all.
const needs_all = process.argv.includes('--all') || installed().extent === 'all'
const needs_console = process.argv.includes('--all') || process.argv.includes('--console')
if (needs_all)
  installOnce(
    'all',
    [],
    'Setting up: installing the packages of package-lock.json, also for tests and plugins (once; about a minute) ...',
  )
else
  installOnce(
    'engine',
    ['--omit=dev'],
    'Setting up: installing the packages an engine needs (once; about half a minute) ...',
  )
buildOnce(
  'generated/mcp-tools.json',
  ['contract', 'protocols', 'catalogue'],
  'catalogue/generate.ts --unkept',
  {
    announcement: 'Setting up: deriving the list of tools from the protocols (once; some seconds) ...',
    failure: 'the list of tools could not be derived',
  },
)
if (needs_console) {
  // Only adds to what is installed: an engine may be running with that.
  installOnce(
    'console',
    ['--workspace=clients/console'],
    'Setting up the console, 1 of 2: installing what it is built with (once; about a minute) ...',
  )
  // Made of its own files, the SDK's, and what both are derived from.
  buildOnce(
    'clients/console/dist/index.html',
    ['clients/console', 'clients/sdk-typescript', 'generated'],
    'clients/console/build.ts',
    {
      announcement: 'Setting up the console, 2 of 2: building it ...',
      failure: 'the console could not be built',
    },
  )
}

/** What is installed, perhaps of an earlier lock. */
function installed() {
  const [digest, extent = 'engine'] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : []
  return { digest, extent }
}

function installOnce(extent, flags, announcement) {
  once(
    () =>
      installed().digest === lock_digest &&
      extents.indexOf(installed().extent) >= extents.indexOf(extent) &&
      existsSync(join(root, 'node_modules/.bin/node')),
    () => {
      console.error(announcement)
      // `install` and not `ci`: a lock made where a registry lacks some platform's optional package must still work elsewhere.
      // npm hands its own path down; without it (node setup.mjs by hand) the npm on the PATH is used.
      const npm = process.env.npm_execpath
      const [command, ...args] = npm ? [process.execPath, npm] : ['npm']
      const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
      run(
        command,
        [...args, 'install', ...flags, ...quiet],
        '`npm install` did not finish. It needs the npm registry; check the network',
      )
      // Before it is tried: what it lacks can be installed without another `npm install`.
      writeFileSync(stamp, `${lock_digest} ${extent}`)
      requireNode()
    },
  )
}

/** The Node just installed is linked to a library that small systems leave out. */
function requireNode() {
  const tried = spawnSync(join(root, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' })
  if (tried.status === 0) return
  const sentence = /libatomic/.test(tried.stderr)
    ? 'The Node that svc runs on needs libatomic, which this machine lacks. Install it (Debian and Ubuntu: apt install libatomic1; Fedora and RHEL: dnf install libatomic; Alpine has no such Node: use Debian) and try again.'
    : `The Node that was installed here does not run: ${tried.stderr || tried.error}`
  console.error(`Setting up failed: ${sentence}`)
  process.exit(1)
}

/** Runs a script of ours that makes `output`: once, and again when a file of these folders has changed. */
function buildOnce(output, folders, script, { announcement, failure }) {
  const made = join(root, dirname(output), '.svc-built')
  const digest = () => {
    const made_of = createHash('sha256').update(lock_digest)
    for (const file of folders.flatMap(sourcesOf)) made_of.update(file).update(readFileSync(file))
    return made_of.digest('hex')
  }
  once(
    () => existsSync(join(root, output)) && existsSync(made) && readFileSync(made, 'utf8') === digest(),
    () => {
      console.error(announcement)
      requireNode()
      const made_of = digest()
      const [path, ...args] = script.split(' ')
      run(join(root, 'node_modules/.bin/node'), [join(root, path), ...args], failure)
      writeFileSync(made, made_of)
    },
  )
}

function once(isDone, work) {
  if (isDone()) return
  takeTurn()
  if (!isDone()) work()
}

/** One at a time: an engine may set up its console while somebody runs the tests. Held until this process ends. */
function takeTurn() {
  mkdirSync(dirname(turn), { recursive: true })
  for (let is_first = true; ; is_first = false) {
    try {
      writeFileSync(turn, String(process.pid), { flag: 'wx' })
      process.once('exit', () => rmSync(turn, { force: true }))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = existsSync(turn) ? Number(readFileSync(turn, 'utf8')) : 0
    if (holder === process.pid) return
    if (holder !== 0 && !isRunning(holder)) rmSync(turn, { force: true })
    else if (is_first)
      console.error(`Setting up: waiting for process ${holder}, which is setting up this folder ...`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, poll_ms)
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function run(command, args, failure) {
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (done.status === 0) return
  console.error(`Setting up failed: ${failure}.\nRead the message above.`)
  process.exit(1)
}

function sourcesOf(folder) {
  const is_source = (name) =>
    /\.(tsx?|css|html|svg|json)$/.test(name) && !/(^|[\\/])(dist|reference)[\\/]|\.test\.tsx?$/.test(name)
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(root, folder, String(name)))
    .filter((path) => is_source(path.slice(root.length)))
    .sort()
}
