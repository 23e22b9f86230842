// What `node_modules/.bin/svc` of a checkout does on a Node that cannot run TypeScript.
import assert from 'node:assert/strict'
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const pretends = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
)}`

/** A launcher, started by a Node that says it is version 20. */
function startOld(launcher: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(process.execPath, ['--import', pretends, launcher, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const outputs = Promise.all([text(child.stdout!), text(child.stderr!)])
  return { child, ended, outputs }
}

/** A checkout of a launcher and its program, with or without a Node of its own. */
function checkout(t: TestContext, main: string, has_node: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-old-node-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'clients/cli'), { recursive: true })
  copyFileSync(join(root, 'start-source.mjs'), join(folder, 'start-source.mjs'))
  copyFileSync(join(root, 'clients/cli/svc.mjs'), join(folder, 'clients/cli/svc.mjs'))
  writeFileSync(join(folder, 'clients/cli/main.ts'), main)
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  if (has_node) symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'))
  return join(folder, 'clients/cli/svc.mjs')
}

test('an older Node hands over to the one of the checkout, with arguments and exit code', async () => {
  for (const [launcher, message] of [
    ['clients/cli/svc.mjs', 'svc has no command nonsense.'],
    ['service/svc-engine.mjs', 'nonsense'],
  ] as const) {
    const { ended, outputs } = startOld(join(root, launcher), ['nonsense'])
    assert.deepEqual((await ended)[0], 1)
    const [out, err] = await outputs
    assert.ok(`${out}${err}`.includes(message), `${out}${err}`)
    assert.doesNotMatch(err, /ERR_UNKNOWN_FILE_EXTENSION|at async/)
  }
})

test('without a Node of its own it says how to get one', async (t) => {
  const { ended, outputs } = startOld(checkout(t, 'console.log(1)', false), [])
  assert.deepEqual((await ended)[0], 1)
  assert.match((await outputs)[1], /^svc of a checkout needs Node 24\.12 or newer; .* Run npm start once: it/)
})

test('a signal reaches the program, and its end is passed on', async (t) => {
  const waiting = `process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('ready')`
  const { child, ended, outputs } = startOld(checkout(t, waiting, true), [])
  await once(child.stdout!, 'data')
  child.kill('SIGTERM')
  assert.deepEqual((await ended)[0], 7)
  await outputs
})
