// Starting: after every kind of kill, beside another engine, on a folder or port in use, and with missing
// settings named.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { type Addresses, freePorts, type RunningEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace, stopwatch } from '../suite/real-time.ts'
import { assertKept, readAuditLogs } from './scene/audit-log-check.ts'
import { type Answered, ask, emit, entry, foreign, startCallers } from './scene/callers.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { runEngine } from './scene/exported-chain.ts'
import { openScene, postmasterOf, type Scene, signal } from './scene/scene.ts'

const main = join(import.meta.dirname, '../../service/main.ts')
const limits = { timeout: 600_000 }
const answers_wanted = 100
const only_long = !is_long && 'only in npm run assurance'

const killings: Readonly<Record<string, (engine: RunningEngine, postmaster: number) => unknown>> = {
  'the engine': (engine) => engine.stop('SIGKILL'),
  'PostgreSQL, then the engine': (engine, postmaster) => {
    signal([postmaster], 'SIGKILL')
    return engine.stop('SIGKILL')
  },
  'the engine, then PostgreSQL': async (engine, postmaster) => {
    await engine.stop('SIGKILL')
    signal([postmaster], 'SIGKILL')
  },
}

test('after kill -9 the next start on the folder works', limits, async (t) => {
  const scene = openScene(t)
  const folder = join(scene.dataDir('engine'), 'postgres')
  const answers: Answered[] = []
  let before: Addresses | undefined
  // kills.slow.test.ts covers the others in its short form.
  const chosen = Object.entries(killings).filter(([what]) => is_long || what.startsWith('PostgreSQL'))
  for (const [what, kill] of chosen) {
    await t.test(`of ${what}`, async () => {
      const engine = await scene.start('engine')
      assert.equal(engine.api_key, before?.api_key ?? engine.api_key, 'the key of yesterday still works')
      before = engine
      const callers = startCallers(engine, 8, [emit, entry, foreign], openChance())
      await until('calls flow', () => callers.answered.length >= answers_wanted)
      await kill(engine, (await postmasterOf(folder))!)
      await callers.stop()
      answers.push(...callers.answered)
    })
  }
  const elapsed_ms = stopwatch()
  const engine = await scene.start('engine')
  assert.equal((await ask(engine, emit)).status, 200)
  report(t, { N: chosen.length + 1, first_dispatch_ms: elapsed_ms() })
  await t.test('of PostgreSQL alone: the engine restarts it, and calls go on meanwhile', async () => {
    answers.push(...(await loseDatabase(engine, folder)))
  })
  assertKept(answers, await readAuditLogs(engine, { data_dir: scene.dataDir('engine') }))
})

async function loseDatabase(engine: RunningEngine, folder: string): Promise<readonly Answered[]> {
  const callers = startCallers(engine, 8, [emit, foreign], openChance())
  await until('calls flow', () => callers.answered.length >= answers_wanted)
  const before = (await postmasterOf(folder))!
  signal([before], 'SIGKILL')
  await until('another server runs', async () => {
    const now = await postmasterOf(folder)
    return now !== undefined && now !== before
  })
  await until('it is ready', async () => (await fetch(`${engine.api_url}/ready`)).status === 200)
  await callers.stop()
  const statuses = new Set(callers.answered.filter(({ sort }) => sort === emit).map(({ status }) => status))
  assert.deepEqual([[...statuses], callers.unanswered], [[200], 0], engine.stderr().slice(-2_000))
  return callers.answered
}

// In the short form adapters/store/embedded-postgres.slow.test.ts kills starts at any step.
test('a killed first start is begun again by the next', {
  ...limits,
  skip: only_long,
}, async (t) => {
  const chance = openChance()
  const kills = 30
  announce(t, import.meta.filename, kills, chance)
  const scene = openScene(t)
  for (let i = 0; i < kills; i++) {
    // A new folder now and then, so that every step of the first start is hit.
    const name = `engine-${Math.floor(i / 3)}`
    const child = spawn(process.execPath, upArguments(scene.dataDir(name), await freePorts()), {
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    await pace(chance.below(2_500))
    child.kill('SIGKILL')
    await exited
    if (i % 3 < 2 && i < kills - 1) continue
    const engine = await scene.start(name)
    assert.equal((await ask(engine, entry)).status, 200)
    assert.equal(await engine.stop(), 0)
  }
})

function upArguments(data_dir: string, port: number): string[] {
  return [main, 'up', '--json', '--port', String(port), '--data-dir', data_dir]
}

test('a second engine runs beside the first, but not on its folder nor on its port', limits, async (t) => {
  const scene = openScene(t)
  const first = await scene.start('first')
  const folder = scene.dataDir('first')
  const postmaster = await postmasterOf(join(folder, 'postgres'))
  const port = Number(new URL(first.api_url).port)

  await t.test('the same folder', async () => {
    const output = await refusedStart(folder, await freePorts())
    assert.ok(output.includes(folder), output)
    assert.match(output, /stop it, or .*--data-dir/)
  })
  await t.test('the same port', async () => {
    const output = await refusedStart(scene.dataDir('third'), port)
    assert.match(output, new RegExp(`^Port ${port} is in use; .*--port`))
    assert.equal(
      await postmasterOf(join(scene.dataDir('third'), 'postgres')),
      undefined,
      'its server was left',
    )
  })
  await t.test('the metrics port', { skip: only_long }, async (t) => {
    const base = await freePorts()
    const other = createServer().listen(base + 3, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    assert.match(
      await refusedStart(scene.dataDir('third'), base),
      new RegExp(`^Port ${base + 3} is in use; `),
    )
  })
  await t.test('another folder and other ports', (t) => runBeside(t, scene, first))
  assert.equal((await ask(first, entry)).status, 200)
  assert.equal(await postmasterOf(join(folder, 'postgres')), postmaster)
  assert.equal(await first.stop(), 0, first.stderr())
})

/** A start that must fail: exit 1, nothing on stdout, one sentence on stderr. */
async function refusedStart(data_dir: string, port: number): Promise<string> {
  const { code, stdout, stderr } = await runEngine(upArguments(data_dir, port).slice(1))
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(stderr, /^[^\n]+\.\n$/, `it is one sentence: ${stderr}`)
  return stderr.trimEnd()
}

async function runBeside(t: TestContext, scene: Scene, first: RunningEngine): Promise<void> {
  const args = upArguments(scene.dataDir('second'), await freePorts())
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  const printed = text(child.stdout)
  const exited = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  const second = JSON.parse(String(line))
  const in_the_console = ['console_login', 'console_password']
  const documented = ['agent_did', 'api_key', 'api_url', 'console_url', 'mcp_url', 'metrics_url', 'tenant_id']
  assert.deepEqual(Object.keys(second).sort(), [...documented, ...in_the_console].sort())
  assert.equal((await ask(second, emit)).status, 200)
  assert.equal((await ask({ ...second, api_key: first.api_key }, emit)).status, 401, 'keys are not shared')
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  assert.equal(await printed, String(line), 'one line and no more')
}

test('serve names all missing settings in one sentence', async () => {
  const { code, stdout, stderr } = await runEngine(['serve'])
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^[^\n]+\.\n$/)
  for (const name of ['SVC_AGENT_DID', 'SVC_TENANT_ID', 'SVC_DB_URL', 'SVC_MASTER_KEY', 'SVC_REDIS_URL']) {
    assert.ok(stderr.includes(name), `${name} is not in: ${stderr}`)
  }
})
