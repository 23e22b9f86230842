// The console of a checkout, with scripts in the place of setup.mjs that do what they are told by files.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { eventually, until } from '../checks/suite/eventually.ts'
import { checkoutConsole } from './checkout-console.ts'

function open(t: TestContext, body: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-checkout-console-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const built = join(folder, 'dist')
  const script = join(folder, 'setup.mjs')
  const start = `
    import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
    const folder = ${JSON.stringify(folder)}
    appendFileSync(folder + '/runs', process.pid + ' ' + process.argv[2] + '\\n')
    const build = () => { mkdirSync(folder + '/dist'); writeFileSync(folder + '/dist/index.html', 'the console') }
    const isThere = (name) => existsSync(folder + '/' + name)
    const forFile = (name) => new Promise((resolve) => setInterval(() => isThere(name) && resolve(), 10))`
  writeFileSync(script, `${start}\n${body}`)
  const warnings: object[] = []
  const log = { debug() {}, info() {}, warn: (facts: object) => void warnings.push(facts), error() {} }
  let now_ms = 0
  const clock = { ...system_clock, monotonic_ms: () => now_ms }
  const source = checkoutConsole({ script, built, clock, log })
  t.after(() => source.stop())
  return {
    built,
    source,
    warnings,
    read: async () => (await source.files()).get('')!,
    runs: () => readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n'),
    write: (name: string) => writeFileSync(join(folder, name), ''),
    advance: (ms: number) => {
      now_ms += ms
    },
  }
}

test('nothing runs until the page is opened, and a current build is served at once', async (t) => {
  const { built, read, runs } = open(t, '')
  mkdirSync(built)
  writeFileSync(join(built, 'index.html'), 'the console')
  assert.throws(runs, { code: 'ENOENT' })
  for (let reads = 0; reads < 2; reads++) {
    const { status, bytes } = await read()
    assert.deepEqual([status, bytes.toString()], [200, 'the console'])
  }
  assert.equal(runs().length, 1)
  assert.match(runs()[0]!, / --console$/)
})

test('while it is built, the page names the step and how long it took; one build runs', async (t) => {
  const { read, runs, write, advance } = open(
    t,
    `console.error('noise'); console.error('Setting up the console, 1 of 2: installing ...')
     await forFile('go'); build(); process.exit(0)`,
  )
  const waiting = await Promise.all([read(), read()])
  assert.deepEqual([waiting[0].status, waiting[1].status], [503, 503])
  advance(12_300)
  assert.match(
    (await read()).bytes.toString(),
    /1 of 2: installing \.\.\. 12 s so far\. This page reloads itself/,
  )
  write('go')
  const { bytes } = await until('it is built', async () => {
    const page = await read()
    return page.status === 200 && page
  })
  assert.equal(bytes.toString(), 'the console')
  assert.equal(runs().length, 1)
})

test('a failure is explained, logged, and tried again after a while', async (t) => {
  const { read, runs, write, warnings, advance } = open(
    t,
    `if (isThere('network')) { build(); process.exit(0) }
     console.error('npm error code ENOTFOUND')
     console.error('Setting up failed: there is no <network>.')
     process.exit(1)`,
  )
  const failed = await until('it has failed', async () => {
    const text = (await read()).bytes.toString()
    return text.includes('could not') && text
  })
  assert.match(failed, /could not be set up\. Setting up failed: there is no &#60;network&#62;\./)
  assert.match(failed, /content="20"/)
  assert.match(JSON.stringify(warnings), /ENOTFOUND/)
  write('network')
  advance(19_000)
  assert.equal((await read()).status, 503)
  assert.equal(runs().length, 1)
  advance(1_000)
  assert.equal((await read()).status, 200)
})

test('stopping ends a build that is under way', async (t) => {
  const { read, runs, source } = open(t, `console.error('Setting up ...'); await forFile('never')`)
  assert.equal((await read()).status, 503)
  const pid = Number(runs()[0]!.split(' ')[0])
  await source.stop()
  await eventually(() => assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }))
})
