// The audit buffer is full: no state change is accepted unrecorded, reads and refusals go on, and it
// recovers.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitForExit } from '@svc/adapters/store/os-process'
import { dispatch, type RunningEngine } from '../engines/running-engine.ts'
import { hang_ms_max, until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { assertKept, readAuditLogs } from './scene/audit-log-check.ts'
import {
  type Answered,
  type Callers,
  emit,
  entry,
  foreign,
  query,
  type Sort,
  slowSort,
  startCallers,
} from './scene/callers.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'
import { canMount, openScene, signal, slow_engine } from './scene/scene.ts'

const callers_count = 8
const rounds = is_long ? 5 : 1
const answers_meanwhile = is_long ? 2_000 : 300
const count = slowSort('count', {})
const limits = { timeout: 300_000 }

test('a full disk refuses state changes and loses nothing that was answered', {
  ...limits,
  skip: canMount()
    ? false
    : 'mounting a small disk needs root; audit/audit-log-faults.test.ts injects the error instead',
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, rounds, chance)
  const scene = openScene(t)
  const disk = join(scene.dir, 'disk')
  mkdirSync(disk)
  scene.mount(disk, 'size=4m,nr_inodes=200')
  const engine = await scene.start('engine', {
    node_args: slow_engine,
    env: { SVC_AUDIT_BUFFER_DIR: join(disk, 'audit'), SVC_LOG: 'silent' },
  })
  const answers: Answered[] = []
  const unrecorded: Answered[] = []
  for (let round = 0; round < rounds; round++) {
    const callers = startCallers(engine, callers_count, [count, query, foreign], chance)
    await until('calls flow', () => callers.answered.length > 200)
    fillUp(disk)
    await until('state changes are refused', () => last(callers, count)?.status === 429)
    await assertOverflow(engine)
    const before = callers.answered.length
    await until('calls go on', () => callers.answered.length > before + answers_meanwhile)
    rmSync(join(disk, 'filler'))
    await until('state changes are taken again', () => last(callers, count)?.status === 200)
    await callers.stop()
    assert.equal(callers.unanswered, 0)
    assertFlowing(callers.answered.slice(before, before + answers_meanwhile))
    answers.push(...(await withoutInodes(engine, disk, chance)))
    // When even the reserve is exhausted, the caller gets an internal error, and that answer has no record.
    answers.push(...callers.answered.filter(({ code }) => code !== 'internal'))
    unrecorded.push(...callers.answered.filter(({ code }) => code === 'internal'))
  }
  const audit_logs = await readAuditLogs(engine, { data_dir: scene.dataDir('engine') })
  assertKept(answers, audit_logs)
  const counted = await dispatch(engine, { protocol: 'SLOW', operation: 'counted', input: {} })
  const confirmed = answers.filter(({ sort, status }) => sort === count && status === 200).length
  assert.equal(counted.body.output.changes, confirmed, 'something was changed that has no record')
  report(t, {
    answered: answers.length,
    told_of_failure: unrecorded.length,
    unrecorded_changes: 0,
    lost: 0,
  })
})

/** Without inodes existing files can still be written: nothing is refused and nothing is lost. */
async function withoutInodes(
  engine: RunningEngine,
  disk: string,
  chance: Chance,
): Promise<readonly Answered[]> {
  const folder = join(disk, 'inodes')
  mkdirSync(folder)
  for (let n = 0; statfsSync(disk).ffree > 0; n++) writeFileSync(join(folder, String(n)), '')
  const callers = startCallers(engine, callers_count, [count, query, foreign], chance)
  await until('calls go on', () => callers.answered.length > answers_meanwhile)
  rmSync(folder, { recursive: true })
  await callers.stop()
  const failed = callers.answered.filter(({ status }) => status >= 429)
  assert.deepEqual([callers.unanswered, failed.map(({ code }) => code).slice(0, 3)], [0, []])
  return callers.answered
}

/** Fills the free space in one step: a loop would also take the reserve that the engine frees. */
function fillUp(disk: string): void {
  const { bavail, bsize } = statfsSync(disk)
  try {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize, 1))
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  }
}

function last({ answered }: Callers, kind: Sort): Answered | undefined {
  return answered.findLast(({ sort }) => sort === kind)
}

/** A segment that drains frees its space for a moment, so every state is polled for. */
async function assertOverflow(engine: RunningEngine, ready_status = 200): Promise<void> {
  const request = JSON.parse(emit.ask(engine).body)
  const { body, headers } = await until('a state change is refused', async () => {
    const answer = await dispatch(engine, request)
    return answer.status === 429 && answer
  })
  assert.deepEqual([body.error.code, body.error.reason], ['rate_limited', 'audit buffer overflow'])
  assert.ok(Number(headers.get('retry-after')) > 0)
  // Overflow alone does not take an engine out of rotation; an unreachable database does.
  await until(`/ready says so with ${ready_status}`, async () => {
    const ready = await fetch(`${engine.api_url}/ready`)
    return ready.status === ready_status && (await ready.text()).includes('"audit":{"state":"overflow"}')
  })
}

/**
 * Most reads and refusals are answered. State changes may pass when space is freed; the audit log decides.
 */
function assertFlowing(meanwhile: readonly Answered[]): void {
  for (const [kind, expected] of [
    [query, 200],
    [foreign, 403],
  ] as const) {
    const of_kind = meanwhile.filter(({ sort }) => sort === kind)
    const fitting = of_kind.filter(({ status }) => status === expected)
    assert.ok(fitting.length > of_kind.length / 2, `${fitting.length} of ${of_kind.length} ${kind.name}`)
  }
}

test('a buffer at its limit, and one whose folder is deleted', limits, async (t) => {
  const scene = openScene(t)
  const database = await scene.startDatabase('database')
  const env = { SVC_DB_URL: database.url, SVC_AUDIT_BUFFER_MAX_BYTES: '200000', SVC_LOG: 'silent' }
  const engine = await scene.start('engine', { env })
  const answers: Answered[] = []
  const meanwhile = async (sorts: readonly Sort[], happen: (callers: Callers) => Promise<unknown>) => {
    const callers = startCallers(engine, callers_count, sorts, openChance())
    await until('calls flow', () => callers.answered.length > 100)
    await happen(callers)
    await callers.stop()
    assert.equal(callers.unanswered, 0)
    answers.push(...callers.answered)
    return callers.answered
  }
  await t.test('at its limit it refuses state changes until the database is back', async () => {
    await meanwhile([emit, foreign], async (callers) => {
      signal([database.pid], 'SIGQUIT')
      assert.ok(await waitForExit(database.pid, hang_ms_max))
      await until('state changes are refused', () => last(callers, emit)?.status === 429)
      await assertOverflow(engine, 503)
      await moreAnswers(callers)
      await scene.startDatabase('database')
      await until('state changes are taken again', () => last(callers, emit)?.status === 200)
    })
  })
  await t.test('deleted under load it is created again', async (t) => {
    const answered = await meanwhile([emit, entry, foreign], async (callers) => {
      const folder = join(scene.dataDir('engine'), 'audit')
      rmSync(folder, { recursive: true })
      const elapsed_ms = stopwatch()
      await until('the folder is there again', () => existsSync(join(folder, 'id')))
      report(t, { N: 1, noticed_ms: elapsed_ms() })
      await moreAnswers(callers)
    })
    assert.deepEqual(answered.filter(({ status }) => status >= 500).slice(0, 3), [])
  })
  assertKept(
    answers,
    await readAuditLogs(engine, { data_dir: scene.dataDir('engine'), db_url: database.url }),
  )
})

async function moreAnswers(callers: Callers): Promise<void> {
  const before = callers.answered.length
  await until('calls go on', () => callers.answered.length > before + answers_meanwhile)
}
