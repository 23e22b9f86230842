// A running engine with a hostile plugin and a good one: the hostile one must not affect the other, the
// engine, or its keys.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Answer, dispatch, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { host_imports, watPlugin } from '../../plugins/wat-plugin.ts'
import { type WrittenPlugin, writePlugin } from '../../plugins/written-plugin.ts'
import { eventually } from '../../suite/eventually.ts'
import { stopwatch } from '../../suite/real-time.ts'
import { childrenOf, commandOf, memoryOf, rssOf } from '../process-memory.ts'

const canary = `canary_${randomBytes(16).toString('hex')}`
const deadline_ms = 1_500
const calls = is_long ? 1_000 : 100
const rss_growth_bytes_max = 64 * 1024 * 1024

let folder: string
let engine: RunningEngine

const answered_at = (from: number, length: string) => `(i32.store (i32.const 2048) (i32.const 0))
  (i32.store (i32.const 2052) (i32.const ${from})) (i32.store (i32.const 2056) ${length}) (return (i32.const 2048))`

/** Attacks, by the first letter of the operation. */
const attacks = {
  wide: `(drop (memory.grow (i32.const 128))) (i32.store8 (i32.const 131072) (i32.const 91))
    (loop $l (i32.store (i32.add (i32.const 131073) (local.get $c)) (i32.const 0x5b2c5d5b))
      (local.set $c (i32.add (local.get $c) (i32.const 3)))
      (br_if $l (i32.lt_u (local.get $c) (i32.const 5700000))))
    (i32.store16 (i32.add (i32.const 131074) (local.get $c)) (i32.const 0x5d5d))
    ${answered_at(131_072, '(i32.add (local.get $c) (i32.const 4))')}`,
  deep: `(drop (memory.grow (i32.const 128))) (memory.fill (i32.const 131072) (i32.const 91) (i32.const 2500000))
    (memory.fill (i32.const 2631072) (i32.const 93) (i32.const 2500000)) ${answered_at(131_072, '(i32.const 5000000)')}`,
  trap: 'unreachable',
  spam: '(loop $l (call $log (i32.const 0) (i32.const 192) (i32.const 3)) (br $l))',
  loop: '(loop $l (br $l))',
}
const harmless = 'ok'

function hostile(): Promise<Uint8Array> {
  const chosen = Object.entries(attacks).map(
    ([name, attack]) => `(if (i32.eq (i32.load8_u (local.get $a)) (i32.const ${name.charCodeAt(0)}))
      (then (local.set $c (i32.const 0)) ${attack}))`,
  )
  return watPlugin({
    names: [...Object.keys(attacks), harmless],
    imports: host_imports.log,
    invoke: `${chosen.join('\n')} (i32.const 64)`,
  })
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
  const plugins = join(folder, 'plugins')
  const write = (plugin: WrittenPlugin & { readonly name: string }) =>
    writePlugin(join(plugins, plugin.name), { ...plugin, deadline_ms, signer: null })
  const operations = [...Object.keys(attacks), harmless]
  const strange = await hostile()
  for (const name of ['hostile', 'noise'])
    write({ name, protocol: name.toUpperCase(), operations, component: strange })
  const component = await watPlugin({ names: [harmless] })
  write({ name: 'good', protocol: 'GOOD', operations: [harmless], component })
  engine = await startEngine({
    data_dir: join(folder, 'data'),
    env: {
      SVC_PLUGIN_DIR: plugins,
      SVC_PLUGIN_REQUIRE_SIGNATURES: 'false',
      SVC_TEST_CANARY: canary,
      SVC_LOG: 'error',
    },
  })
})
after(async () => {
  await engine?.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const call = (protocol: string, operation = harmless) => dispatch(engine, { protocol, operation, input: {} })

/** A process that is restarting has not failed yet. */
async function unlessBusy(protocol: string, operation: string): Promise<Answer> {
  let answer: Answer | undefined
  await eventually(async () => {
    answer = await call(protocol, operation)
    assert.notEqual(answer.body.error?.reason, 'plugin busy')
  })
  return answer!
}

/** The plugin processes, without the shells that supervise them. */
function sandboxes(): number[] {
  return childrenOf(engine.process.pid!).filter((pid) =>
    /^(?!\/bin\/sh).*sandbox\/program\.ts/.test(commandOf(pid)),
  )
}

test('all plugins serve', async () => {
  for (const protocol of ['GOOD', 'HOSTILE', 'NOISE'])
    await eventually(async () => assert.equal((await call(protocol)).status, 200))
  assert.ok(sandboxes().length >= 3)
})

test('no key and no secret of the engine is in the memory of a plugin', (t) => {
  const secrets = secretsOf(join(folder, 'data'))
  const holds = (pid: number) => {
    const environ = readFileSync(`/proc/${pid}/environ`)
    const leaks = new Set<string>()
    for (const bytes of [environ, ...memoryOf(pid)])
      for (const [name, secret] of secrets) if (bytes.includes(secret)) leaks.add(name)
    return [...leaks]
  }
  assert.ok(holds(engine.process.pid!).includes('canary'), 'the search finds what is there')
  const pids = sandboxes()
  for (const pid of pids) assert.deepEqual(holds(pid), [])
  t.diagnostic(
    `N=${secrets.length * pids.length} searches, ${secrets.length} secrets in ${pids.length} processes: 0 hits`,
  )
})

function secretsOf(data_dir: string): [name: string, bytes: Buffer][] {
  const files = globSync('**/*key*', { cwd: data_dir }).filter((path) =>
    statSync(join(data_dir, path)).isFile(),
  )
  const contents = files.flatMap((path): [string, Buffer][] => {
    const bytes = readFileSync(join(data_dir, path))
    const text = bytes.toString('utf8').trim()
    return [
      [path, bytes],
      [`${path}, from hex`, Buffer.from(text, 'hex')],
      [`${path}, from base64`, Buffer.from(text, 'base64url')],
    ]
  })
  const secrets: [string, Buffer][] = [
    ['canary', Buffer.from(canary)],
    ['API key', Buffer.from(engine.api_key)],
  ]
  return [...secrets, ...contents].filter(([, bytes]) => bytes.length >= 16)
}

test('a neighbour is served while a plugin loops', async (t) => {
  const served = async () => assert.equal((await call('GOOD')).status, 200)
  const quiet_ms: number[] = []
  const noisy_ms: number[] = []
  // Too few to open its breaker.
  const rounds = is_long ? 4 : 1
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < calls; i++) quiet_ms.push(await timed(served))
    let looping = true
    const loop = call('NOISE', 'loop').finally(() => {
      looping = false
    })
    for (let i = 0; i < calls && looping; i++) noisy_ms.push(await timed(served))
    assert.ok(noisy_ms.length > round, 'nobody was served while it looped')
    assert.equal((await loop).status, 504)
    await unlessBusy('NOISE', harmless)
  }
  const [quiet, noisy] = [percentile(quiet_ms, 0.99), percentile(noisy_ms, 0.99)]
  t.diagnostic(
    `N=${quiet_ms.length}+${noisy_ms.length} calls of a neighbour: p99 ${quiet.toFixed(2)} ms without, ${noisy.toFixed(2)} ms beside a loop`,
  )
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const elapsed_ms = stopwatch()
  await work()
  return elapsed_ms()
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!
}

test("a plugin's faults stay its own: the engine neither grows nor ends, and only that breaker opens", async (t) => {
  const before_bytes = rssOf(engine.process.pid!)
  const expected: Record<keyof typeof attacks, [number, string]> = {
    wide: [500, 'too complex'],
    deep: [500, 'too complex'],
    trap: [502, 'plugin trapped'],
    spam: [502, 'plugin died'],
    loop: [504, 'deadline exceeded'],
  }
  const observed: Record<string, [number, string]> = {}
  for (const attack of Object.keys(attacks)) {
    const { status, body } = await unlessBusy('HOSTILE', attack)
    observed[attack] = [status, body.error?.reason]
    assert.equal((await call('GOOD')).status, 200, `the neighbour answers after ${attack}`)
  }
  const grown_bytes = rssOf(engine.process.pid!) - before_bytes
  t.diagnostic(
    `N=${Object.keys(attacks).length} hostile calls: the engine's RSS grew by ${Math.round(grown_bytes / 2 ** 20)} MiB`,
  )
  assert.ok(grown_bytes < rss_growth_bytes_max)
  assert.equal(engine.process.exitCode, null)
  const refused = await call('HOSTILE')
  const opened = refused.body.error?.code
  assert.deepEqual([observed, opened], [expected, 'circuit_open'])
  assert.equal((await call('GOOD')).status, 200)
})

test('a looping plugin does not outlive a killed engine', async (t) => {
  const pids = childrenOf(engine.process.pid!).filter((pid) =>
    /svc-plugin|sandbox\/program/.test(commandOf(pid)),
  )
  assert.ok(pids.length >= 2)
  const looping = call('NOISE', 'loop').catch(() => 'cut off')
  assert.equal((await call('GOOD')).status, 200)
  await engine.stop('SIGKILL')
  assert.equal(await looping, 'cut off')
  await eventually(() =>
    assert.deepEqual(
      pids.filter((pid) => commandOf(pid) !== ''),
      [],
    ),
  )
  t.diagnostic(`N=${pids.length} processes gone after the engine`)
})
