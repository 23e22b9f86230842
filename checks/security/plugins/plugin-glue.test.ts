// A plugin whose glue is hostile JavaScript finds nothing in its sandbox but the language.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { PluginProcess } from '@svc/adapters/plugins/plugin-process'
import { codeOf, quiet_host } from '../../plugins/hostile/run-case.ts'
import { hang_ms_max } from '../../suite/eventually.ts'

const canary = 'canary of the sandbox'
let folder: string
let canary_file: string
let outside: Server
let visitors = 0

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-sandbox-'))
  canary_file = join(folder, 'canary')
  writeFileSync(canary_file, canary)
  outside = createServer((socket) => {
    visitors++
    socket.destroy()
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  outside.listen(0, '127.0.0.1', resolve)
  await promise
})
after(() => {
  outside.close()
  rmSync(folder, { recursive: true, force: true })
})

/** JavaScript in place of the translator's glue: what if a stranger's text became code after all? */
const attempts = (file: string, port: number): Record<string, string> => ({
  'a file': `(await import('node:fs')).readFileSync(${JSON.stringify(file)}, 'utf8')`,
  'a file, without node:': `(await import('fs')).readFileSync(${JSON.stringify(file)}, 'utf8')`,
  'a database': `new (await import('node:sqlite')).DatabaseSync(':memory:')`,
  'a module by the process': `process.getBuiltinModule('fs').readFileSync(${JSON.stringify(file)}, 'utf8')`,
  'more code': `await import('data:text/javascript,export default 1')`,
  'code out of text': `Function('return 1')()`,
  'code out of a constructor': `(() => {}).constructor('return 1')()`,
  'the environment': 'process.env',
  'a connection': `(await import('node:net')).connect(${port}, '127.0.0.1')`,
  'a request': `await fetch('http://127.0.0.1:${port}/')`,
  'a web socket': `new WebSocket('ws://127.0.0.1:${port}/')`,
  'a thread': `new (await import('node:worker_threads')).Worker('1', { eval: true })`,
  'its parent': 'process.kill(process.ppid, 0)',
  'a buffer of others': 'Buffer.allocUnsafe(8)',
})
/** With the plugin's imports, and nothing to wait for. */
const attempts_on_imports: Record<string, string> = {
  'a parent of an interface': `imports['svc:plugin/host'].constructor.name`,
  'code by a function': `imports['svc:plugin/host'].log.constructor('return process')().pid`,
  'a parent of a resource': `imports['wasi:io/poll'].Pollable.constructor.name`,
  'a parent of what a resource makes': `new imports['wasi:io/poll'].Pollable().constructor.name`,
}

function glueThatTries(waiting: Record<string, string>, at_once: Record<string, string>): string {
  const taken = (name: string, code: string) => `try { tried[${JSON.stringify(name)}] = 'got ' + (${code}) }
    catch (error) { tried[${JSON.stringify(name)}] = 'nothing: ' + error.message }`
  const all = (list: Record<string, string>) => Object.entries(list).map(([name, code]) => taken(name, code))
  return `const tried = {}
    ${all(waiting).join('\n')}
    export function instantiate(core, imports) {
      ${all(at_once).join('\n')}
      return { operations: () => ['run'], invoke: () => JSON.stringify(tried) }
    }`
}

test('even JavaScript finds nothing there but the language', async (t) => {
  const { port } = outside.address() as { port: number }
  const tries = attempts(canary_file, port)
  const glue = glueThatTries(tries, attempts_on_imports)
  const code = await codeOf([['plugin.js', Buffer.from(glue)]])
  const { process: sandbox } = await PluginProcess.start(code, [])
  const request = { tenant_id: 'alpha', operation: 'run', payload: '{}', context: '{}', config: '{}' }
  const answer = await sandbox.invoke(request, quiet_host, hang_ms_max)
  sandbox.kill('the test is over')
  await code.close()
  assert.ok('answered' in answer, JSON.stringify(answer))
  const tried: Record<string, string> = JSON.parse(answer.answered)
  const names = Object.keys({ ...tries, ...attempts_on_imports })
  assert.deepEqual(
    names.filter((name) => !tried[name]?.startsWith('nothing: ')),
    [],
    answer.answered,
  )
  t.diagnostic(`N=${names.length} attempts in JavaScript, 0 got anything`)
})

test('no connection arrived, and nothing was read or changed', () => {
  assert.equal(visitors, 0)
  const { atimeMs, mtimeMs, size } = statSync(canary_file)
  assert.deepEqual([size, atimeMs <= mtimeMs], [canary.length, true])
})
