// Runs before every npm script, on whatever Node the machine has (20 or newer): installs what package-lock.json names,
// once, so that `npm start` and `npm test` are the only two commands a newcomer needs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const stamp = join(root, 'node_modules', '.svc-installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

function isInstalled() {
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === wanted &&
    existsSync(join(root, 'node_modules/.bin/node'))
  )
}

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(
    `svc needs Node 20 or newer to set itself up; this is ${process.version}. Install a newer Node and try again.`,
  )
  process.exit(1)
}
if (!isInstalled()) {
  console.error(
    'Setting up: installing the npm packages of package-lock.json (once; about half a minute) ...',
  )
  // `install` and not `ci`: a lock made where a registry lacks some platform's optional package must still work elsewhere.
  // npm hands its own path down; without it (node setup.mjs by hand) the npm on the PATH is used.
  const npm = process.env.npm_execpath
  const [command, ...args] = npm ? [process.execPath, npm] : ['npm']
  const done = spawnSync(
    command,
    [...args, 'install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  )
  if (done.status !== 0) {
    console.error(
      'Setting up failed: `npm install` did not finish. Read its message above; it needs the npm registry.',
    )
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

onceFor(
  'generated/mcp-tools.json',
  ['contract', 'protocols', 'catalogue'],
  'catalogue/generate.ts --unkept',
  'the list of tools could not be derived',
)
// The console is a page that has to be built: of its own files, the SDK's, and what both are derived from.
onceFor(
  'clients/console/dist/index.html',
  ['clients/console', 'clients/sdk-typescript', 'generated'],
  'clients/console/build.ts',
  'the console could not be built',
)

/** Runs a script of ours that makes `output`: once, and again when a file of these folders has changed. */
function onceFor(output, folders, script, failure) {
  const made = join(root, dirname(output), '.svc-built')
  const made_of = createHash('sha256').update(wanted)
  for (const file of folders.flatMap(sourcesOf)) made_of.update(file).update(readFileSync(file))
  const digest = made_of.digest('hex')
  const is_made = existsSync(join(root, output)) && existsSync(made)
  if (is_made && readFileSync(made, 'utf8') === digest) return
  const [path, ...args] = script.split(' ')
  const node = join(root, 'node_modules/.bin/node')
  const done = spawnSync(node, [join(root, path), ...args], { cwd: root, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) {
    console.error(`Setting up failed: ${failure}. Read the message above.`)
    process.exit(1)
  }
  writeFileSync(made, digest)
}

function sourcesOf(folder) {
  const is_source = (name) =>
    /\.(tsx?|css|html|svg|json)$/.test(name) && !/(^|[\\/])(dist|reference)[\\/]|\.test\.tsx?$/.test(name)
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(root, folder, String(name)))
    .filter((path) => is_source(path.slice(root.length)))
    .sort()
}
