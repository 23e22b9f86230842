// Every command of svc-engine explains itself, without settings and without a database.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { admin } from '@svc/service/admin'
import { plugin } from '@svc/service/plugin'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../service/main.ts')
const programs = { admin, plugin }

async function helpOf(program: keyof typeof programs, words: readonly string[]) {
  let out = ''
  const write = async (text: string) => {
    out += text
  }
  const code = await programs[program]([...words, '--help'], {}, { input: Readable.from([]), write })
  return { code, out }
}

for (const program of ['admin', 'plugin'] as const)
  test(`svc-engine ${program}: every command has a page with its usage and its options`, async () => {
    const { out } = await helpOf(program, [])
    const usages = [...out.matchAll(/^ {2}([a-z].*)\n {6}\S/gm)].map(([, usage]) => usage!)
    assert.ok(usages.length >= 9, out)
    for (const usage of usages) {
      const names = /^[a-z][a-z-]*(?: [a-z][a-z-]*)*/.exec(usage)![0].split(' ')
      const page = await helpOf(program, names)
      assert.equal(page.code, 0, usage)
      assert.ok(page.out.includes(usage), `${names.join(' ')}: ${page.out}`)
      const own = [...usage.matchAll(/--([a-z-]+)/g)].map(([, option]) => option!)
      // A noun that also stands alone shows all of its commands.
      if (names.length > 1 || program === 'plugin')
        for (const option of own) assert.match(page.out, new RegExp(`^ {2}--${option} +\\S`, 'm'), usage)
    }
  })

test('svc-engine: --help, -h and help of every command print its usage and exit with 0', async () => {
  const page = (await run(process.execPath, [main, '--help'])).stdout
  const names = [...page.matchAll(/^ {2}svc-engine ([a-z]+)/gm)].map(([, name]) => name!)
  assert.deepEqual(names, ['up', 'serve', 'gateway', 'console', 'node', 'verify', 'admin', 'apply', 'plugin'])
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const env = { PATH, NODE_COMPILE_CACHE }
  for (const name of names) {
    const { stdout } = await run(process.execPath, [main, name, '--help'], { env })
    assert.match(stdout, new RegExp(`svc-engine ${name}`))
    assert.ok(stdout.split('\n').length > 5, stdout)
    // Commands with help of their own are checked one by one above.
    if (name in programs) continue
    for (const [option] of stdout.split('\n', 1)[0]!.matchAll(/--[a-z-]+/g))
      assert.match(stdout, new RegExp(`^  ${option}[ A-Z|a-z]* {2}\\S`, 'm'), `${name}: ${option}`)
  }
  const [short, long] = [
    await run(process.execPath, [main, '-h']),
    await run(process.execPath, [main, 'help']),
  ]
  assert.deepEqual([short.stdout, long.stdout], [page, page])
  const verify = await run(process.execPath, [main, 'help', 'verify'], { env })
  assert.match(verify.stdout, /--witnesses-needed N +how many/)
})

test('a command of admin that is typed without it is found', async () => {
  const refused = run(process.execPath, [main, 'doctor'], { env: { PATH: process.env.PATH ?? '' } })
  await assert.rejects(refused, ({ stderr }) =>
    /no command doctor\. Did you mean admin doctor\?/.test(stderr),
  )
})

test('up refuses an address that is none, before anything starts', async () => {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const env = { PATH, NODE_COMPILE_CACHE }
  const refused = run(process.execPath, [main, 'up', '--host', 'example.com'], { env })
  await assert.rejects(
    refused,
    ({ code, stderr }) => code === 1 && /--host is example\.com; it must be/.test(stderr),
  )
})
