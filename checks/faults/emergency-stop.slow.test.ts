// A real engine, a program that ignores SIGTERM, and kill -9: a latched stop stays, and no program outlives
// its engine.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { dispatch, freePorts, type RunningEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { openScene } from './scene/scene.ts'

/** The process group test also checks that programs die with their engine, so the short form skips it. */
const rounds = is_long ? 20 : 0
const grace_ms = 300
const proof_ms = 2_000

const ask = (engine: RunningEngine, operation: string, input: unknown) =>
  dispatch(engine, { protocol: 'MAKER', operation, input })

const executor = { builtin: 'script_ref', script_ref: 'stubborn' }
const action = {
  action_kind: 'test.loop',
  target: 'a file',
  executor,
  max_duration_ms: 600_000,
  grace_ms,
  irreversible: false,
}

/** Whether a process still writes to the file, which its command line names. */
function watching(file: string) {
  const size = async () => (await readFile(file, 'utf8').catch(() => '')).length
  return {
    async grows() {
      const before = await size()
      await until('the file grows', async () => (await size()) > before)
    },
    async stands() {
      await until('no process writes to the file', async () => {
        const { stdout } = await promisify(execFile)('ps', ['-eo', 'args', '-ww'])
        return !stdout.includes(file)
      })
    },
  }
}

test('a program that ignores SIGTERM is stopped with proof, stays stopped after kill -9, and dies with its engine', {
  timeout: 900_000,
}, async (t) => {
  announce(t, import.meta.filename, rounds + 1, openChance())
  const scene = openScene(t)
  const port = await freePorts()
  const file = join(await mkdtemp(join(tmpdir(), 'svc-stop-')), 'grows')
  t.after(() => rm(dirname(file), { recursive: true, force: true }))
  const loop = `trap '' TERM; (trap '' TERM; while :; do echo child >> ${file}; sleep 0.02; done) & while :; do echo parent >> ${file}; sleep 0.02; done`
  const commands = { stubborn: { command: '/bin/sh', args: ['-c', loop], env: { PATH: '/usr/bin:/bin' } } }
  const env = { SVC_DB_URL: await scene.borrowDatabase(), SVC_COMMANDS: JSON.stringify(commands) }
  const start = () => scene.start('engine', { port, env })
  const { grows, stands } = watching(file)
  let engine = await start()
  let slowest_ms = 0
  const begin = async () => {
    const { status, body } = await ask(engine, 'execute_action', action)
    assert.equal(status, 200, JSON.stringify(body))
    await grows()
    return body.output.action_id as string
  }
  const stop = async (order: object, action_id: string) => {
    const { body } = await ask(engine, 'emergency_stop', { ...order, reason: 'It will not end.' })
    const halted = body.output.halted.find((one: { action_id: string }) => one.action_id === action_id)
    assert.match(halted?.how ?? 'not halted', /SIGKILL/)
    // If another action stays unconfirmed, the answer waits for the full timeout.
    if (body.output.unconfirmed.length === 0) slowest_ms = Math.max(slowest_ms, body.output.latency_ms)
    await stands()
  }
  for (let round = 0; round < rounds; round++) {
    const stopped = await begin()
    await stop({ action_id: stopped }, stopped)
    await begin()
    await engine.stop('SIGKILL')
    await stands()
    engine = await start()
  }
  const everything = { scope: 'tenant' }
  await stop(everything, await begin())
  // An action of a killed engine is confirmed only after another engine has taken it over.
  await until('everything is proven', async () => {
    const { body } = await ask(engine, 'emergency_stop', { ...everything, reason: 'Is it over?' })
    return body.output.unconfirmed.length === 0
  })
  await engine.stop('SIGKILL')
  engine = await start()
  const { status, body } = await ask(engine, 'execute_action', action)
  assert.deepEqual([status, body.error.reason], [422, 'emergency stop active'])
  assert.equal(await engine.stop(), 0)
  report(t, { rounds, slowest_stop_ms: slowest_ms, allowed_ms: grace_ms + proof_ms })
})
