// SIGTERM: calls in progress are finished and recorded, later ones are refused and recorded, then the engine
// exits.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Answer, dispatch, type RunningEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { assertKept, readAuditLogs, readMetric } from './scene/audit-log-check.ts'
import { type Answered, ask, emit, type Sort, slowSort } from './scene/callers.ts'
import { is_long, report } from './scene/chance.ts'
import { openScene, type Scene, slow_engine } from './scene/scene.ts'

const in_flight = is_long ? 500 : 30
const streams = is_long ? 50 : 1
/** How long they stay in progress after the signal. */
const held_ms = is_long ? 10_000 : 0
const half_a_request = 'POST /v1/dispatch HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{'

interface Stage {
  readonly engine: RunningEngine
  /** Opens when `open` is called; until then the calls that wait for it are in progress. */
  readonly waiting: Sort
  readonly hanging: Sort
  open(): void
}

async function openStage(scene: Scene, db_url: string, more: Record<string, string> = {}): Promise<Stage> {
  const env = { SVC_DB_URL: db_url, ...more }
  const engine = await scene.start('engine', { node_args: slow_engine, env })
  const gate = join(scene.dir, `gate-${engine.process.pid}`)
  return {
    engine,
    waiting: slowSort('wait', { gate }),
    hanging: slowSort('hang', {}),
    open: () => writeFileSync(gate, ''),
  }
}

async function underWay(engine: RunningEngine, count: number): Promise<void> {
  await until(
    `${count} calls are under way`,
    async () => (await readMetric(engine, 'svc_in_flight')) === count,
  )
}

async function terminate(engine: RunningEngine): Promise<void> {
  engine.process.kill('SIGTERM')
  await until('it drains', async () => (await fetch(`${engine.api_url}/ready`)).status === 503)
}

function asAnswered({ status, body }: Answer, sort: Sort): Answered {
  const { metadata, error } = body
  const { correlation_id, audit_head: head } = metadata ?? error
  const record_id = metadata?.audit_record_id ?? null
  return {
    sort,
    status,
    code: error?.code ?? null,
    correlation_id,
    record_id,
    head,
    place: null,
    sent_ms: 0,
    took_ms: 0,
  }
}

test('SIGTERM', { timeout: 300_000 }, async (t) => {
  const scene = openScene(t)
  const db_url = await scene.borrowDatabase()
  const answers: Answered[] = []
  await t.test('calls in progress finish and new ones are refused', async (t) => {
    answers.push(...(await drainUnderLoad(await openStage(scene, db_url))))
    report(t, { N: in_flight + streams + 1, held_ms, lost: 0, resets: 0 })
  })
  await t.test(
    'a stuck operation is cancelled at the end of the grace period, even with open connections',
    async (t) => {
      const { engine, hanging } = await openStage(scene, db_url, { SVC_SHUTDOWN_GRACE_SECONDS: '1' })
      for (const bytes_sent of ['', half_a_request]) await loiter(t, engine, bytes_sent)
      const stuck = dispatch(engine, JSON.parse(hanging.ask(engine).body))
      // From a later caller: by then the engine has accepted the other connections, too.
      await underWay(engine, 1)
      engine.process.kill('SIGTERM')
      const answer = await stuck
      const { code, reason } = answer.body.error
      assert.deepEqual([answer.status, code, reason], [504, 'timeout', 'shutdown grace period over'])
      await until('it has ended', () => engine.process.exitCode !== null)
      assert.equal(await engine.exited, 0, engine.stderr())
      answers.push(asAnswered(answer, hanging))
    },
  )
  await t.test('a second SIGTERM ends the engine at once', async () => {
    const { engine, hanging, waiting, open } = await openStage(scene, db_url)
    const stuck = assert.rejects(ask(engine, hanging))
    open()
    answers.push(await ask(engine, waiting))
    await underWay(engine, 1)
    await terminate(engine)
    engine.process.kill('SIGTERM')
    assert.equal(await engine.exited, 143)
    await stuck
  })
  await t.test('every answer is in the audit log', async () => {
    const engine = await scene.start('engine', { env: { SVC_DB_URL: db_url } })
    assert.equal(answers.length, in_flight + streams + 5)
    assertKept(answers, await readAuditLogs(engine, { data_dir: scene.dataDir('engine'), db_url }))
    assert.equal(await engine.stop(), 0)
  })
})

async function drainUnderLoad({ engine, waiting, open }: Stage): Promise<Answered[]> {
  // Callers with keep-alive connections: one is idle at the signal and used again afterwards.
  const agent = new Agent({ keepAlive: true })
  const before = await ask(engine, emit, agent)
  const calls = Array.from({ length: in_flight }, () => ask(engine, waiting))
  const request = JSON.parse(waiting.ask(engine).body)
  const streaming = Array.from({ length: streams }, () =>
    dispatch(engine, request, { accept: 'text/event-stream' }),
  )
  await underWay(engine, in_flight + streams)
  await terminate(engine)

  const health = await fetch(`${engine.api_url}/health`)
  assert.deepEqual([health.status, ((await health.json()) as { status: string }).status], [503, 'draining'])
  assert.equal(health.headers.get('connection'), 'close')
  const refused = await dispatch(engine, request)
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'draining'])
  assert.equal(refused.headers.get('connection'), 'close')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const again = await ask(engine, emit, agent)
  assert.deepEqual([again.status, again.code], [503, 'draining'])
  assert.deepEqual(Object.keys(agent.freeSockets), [])

  await pace(held_ms)
  open()
  const answered = await Promise.all(calls)
  assert.deepEqual([...new Set(answered.map(({ status }) => status))], [200])
  const streamed = (await Promise.all(streaming)).map(({ body }) => resultOf(body))
  assert.equal(await engine.exited, 0, engine.stderr())
  agent.destroy()
  const results = streamed.map((body) => asAnswered({ ...refused, status: 200, body }, waiting))
  return [before, again, ...answered, ...results, asAnswered(refused, waiting)]
}

function resultOf(stream: string): Answer['body'] {
  assert.match(stream, /^event: progress\ndata: .*\n\n/)
  const result = /event: result\ndata: (.*)\n\n$/.exec(stream)?.[1]
  assert.ok(result, `the stream ended without its result: ${stream}`)
  return JSON.parse(result)
}

async function loiter(t: TestContext, engine: RunningEngine, bytes_sent: string): Promise<void> {
  const socket = connect(Number(new URL(engine.api_url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (bytes_sent) socket.write(bytes_sent)
}
