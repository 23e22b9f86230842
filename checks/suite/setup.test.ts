// setup.mjs in a small folder of the same layout, with programs in the place of npm and the builders that note their calls.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'

const npm = `
const { appendFileSync, existsSync, mkdirSync, symlinkSync } = require('node:fs')
appendFileSync('calls', 'npm ' + process.argv.slice(2).filter((arg) => !/^--(no-|loglevel)/.test(arg)).join(' ') + '\\n')
if (existsSync('offline')) { console.error('npm error code ENOTFOUND'); process.exit(1) }
mkdirSync('node_modules/.bin', { recursive: true })
if (!existsSync('node_modules/.bin/node')) symlinkSync(process.execPath, 'node_modules/.bin/node')
`

function builder(output: string): string {
  return `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
appendFileSync('calls', 'build ${output}\\n')
mkdirSync('${dirname(output)}', { recursive: true })
writeFileSync('${output}', '{}')
`
}

function makeFolder(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-setup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const path of [
    'contract/a.ts',
    'protocols/a.ts',
    'clients/sdk-typescript/a.ts',
    'clients/console/page.tsx',
  ])
    write(path, '')
  write('package.json', '{"type": "module"}')
  write('package-lock.json', '{}')
  write('npm.cjs', npm)
  write('catalogue/generate.ts', builder('generated/mcp-tools.json'))
  write('clients/console/build.ts', builder('clients/console/dist/index.html'))
  copyFileSync(join(import.meta.dirname, '../../setup.mjs'), join(folder, 'setup.mjs'))
  const env = { ...process.env, npm_execpath: join(folder, 'npm.cjs') }
  const run = (...flags: string[]) =>
    new Promise<{ code: unknown; stderr: string }>((resolve) =>
      execFile(process.execPath, ['setup.mjs', ...flags], { cwd: folder, env }, (error, _stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stderr }),
      ),
    )
  /** Runs it, and answers what it called. */
  const calls = async (...flags: string[]) => {
    write('calls', '')
    const { code, stderr } = await run(...flags)
    assert.equal(code, 0, stderr)
    return readFileSync(join(folder, 'calls'), 'utf8').split('\n').filter(Boolean)
  }
  return { folder, write, run, calls }
}

const tools = 'build generated/mcp-tools.json'
const page = 'build clients/console/dist/index.html'

test('a start installs and builds nothing of the console; the console adds to it, once', async (t) => {
  const { calls } = makeFolder(t)
  assert.deepEqual(await calls(), ['npm install --omit=dev', tools])
  assert.deepEqual(await calls(), [])
  assert.deepEqual(await calls('--console'), ['npm install --workspace=clients/console', page])
  assert.deepEqual(await calls('--console'), [])
  assert.deepEqual(await calls(), [])
  assert.deepEqual(await calls('--all'), ['npm install'])
})

test('the console is built again when a source, the SDK or a package changes', async (t) => {
  const { calls, write } = makeFolder(t)
  assert.deepEqual(await calls('--all'), ['npm install', tools, page])
  for (const path of ['clients/console/page.tsx', 'clients/sdk-typescript/a.ts']) {
    write(path, 'export const changed = 1')
    assert.deepEqual(await calls(), [], 'a start leaves it for the console')
    assert.deepEqual(await calls('--console'), [page])
  }
  write('package-lock.json', '{"changed": 1}')
  assert.deepEqual(await calls('--console'), ['npm install', tools, page], 'whoever has all keeps all')
})

test('an install that fails says what to do, and is done the next time', async (t) => {
  const { calls, folder, run, write } = makeFolder(t)
  await calls()
  write('offline', '')
  const { code, stderr } = await run('--console')
  assert.equal(code, 1)
  assert.match(stderr, /ENOTFOUND\nSetting up failed: .* needs the npm registry; check the network\.\n/)
  rmSync(join(folder, 'offline'))
  assert.deepEqual(await calls('--console'), ['npm install --workspace=clients/console', page])
})

test('several at once do the work once; one that was killed stops nobody', async (t) => {
  const { calls, folder, run, write } = makeFolder(t)
  await calls()
  write('node_modules/.svc-setup', String(2 ** 22 + 1))
  write('calls', '')
  const results = await Promise.all([run('--console'), run('--console'), run('--console')])
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0, 0],
  )
  const made = readFileSync(join(folder, 'calls'), 'utf8')
  assert.equal(made, `npm install --workspace=clients/console\n${page}\n`)
})

test('a Node that lacks its library is told in a sentence, before anything is built, and nothing is installed again', async (t) => {
  const { calls, folder, run, write } = makeFolder(t)
  const loader = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file'
  write('node_modules/.bin/node', `#!/bin/sh\necho 'node: ${loader}' >&2\nexit 127\n`)
  chmodSync(join(folder, 'node_modules/.bin/node'), 0o755)
  for (const times of [1, 2]) {
    const { code, stderr } = await run()
    assert.equal(code, 1, `run ${times}`)
    assert.match(
      stderr,
      /needs libatomic, which this machine lacks\. Install it \(Debian and Ubuntu: apt install libatomic1/,
    )
    assert.ok(!existsSync(join(folder, 'generated')))
  }
  rmSync(join(folder, 'node_modules/.bin/node'))
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'))
  assert.deepEqual(await calls(), [tools])
})
