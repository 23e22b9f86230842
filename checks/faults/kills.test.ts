// kill -9 of the engine at random moments, under load: what was answered is in the book exactly once, whatever else happened.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '../running-engine.ts'
import { assertKept, findFaults, readBooksByCommand } from './book-check.ts'
import { type Answered, emit, entry, foreign, malformed, startCallers, stranger } from './callers.ts'
import { announce, type Chance, is_long, openChance, quantile, report } from './chance.ts'
import { openScene, type Scene, until } from './scene.ts'

const kills = is_long ? 200 : 10
const callers_count = 16
const sorts = [emit, entry, foreign, malformed, stranger]
/** One start in so many is killed before it is done. */
const hasty_share = 8
const start_ms_max = 1_200
const extra_ms_max = 25

interface Tally {
  readonly answered: Answered[]
  readonly ready_ms: number[]
  unanswered: number
  killed_starting: number
}

test('no answered decision is lost or doubled by kill -9', { timeout: 1_800_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const scene = openScene(t)
  const port = await freePorts()
  const tally: Tally = { answered: [], ready_ms: [], unanswered: 0, killed_starting: 0 }
  for (let i = 0; i < kills; i++) {
    if (i > 0 && chance.below(hasty_share) === 0) await killStarting(scene, port, chance, tally)
    else await killUnderLoad(scene, port, chance, tally)
  }
  const started_ms = performance.now()
  const engine = await scene.start('engine', { port })
  tally.ready_ms.push(performance.now() - started_ms)
  const books = await readBooksByCommand(engine, { data_dir: scene.dataDir('engine') })
  assertKept(tally.answered, books)
  // The oracle itself must be able to say no.
  for (const answer of tally.answered.slice(0, 20)) {
    assert.notDeepEqual(findFaults([{ ...answer, correlation_id: 'never recorded' }], books), [])
  }
  for (const sort of sorts)
    assert.ok(
      tally.answered.some((answer) => answer.sort === sort),
      sort.name,
    )
  assert.equal(await engine.stop(), 0)
  report(t, {
    kills,
    killed_starting: tally.killed_starting,
    answered: tally.answered.length,
    unanswered: tally.unanswered,
    records: books.records,
    lost: 0,
    duplicates: 0,
    ready_ms_p50: quantile(tally.ready_ms, 0.5),
    ready_ms_p99: quantile(tally.ready_ms, 0.99),
  })
})

async function killUnderLoad(scene: Scene, port: number, chance: Chance, tally: Tally): Promise<void> {
  const started_ms = performance.now()
  const engine = await scene.start('engine', { port })
  tally.ready_ms.push(performance.now() - started_ms)
  const callers = startCallers(engine, callers_count, sorts, chance)
  // So many answers, so that what was answered a moment ago is at stake; then some time, so that any step is hit.
  const wanted = 1 + chance.below(is_long ? 4_000 : 300)
  await until('the callers have their answers', () => callers.answered.length >= wanted)
  await pause(chance.below(extra_ms_max))
  await engine.stop('SIGKILL')
  await callers.stop()
  for (const answer of callers.answered) tally.answered.push(answer)
  tally.unanswered += callers.unanswered
}

/** The journal of the run before is being recovered just then. */
async function killStarting(scene: Scene, port: number, chance: Chance, tally: Tally): Promise<void> {
  const main = join(import.meta.dirname, '../../service/main.ts')
  const args = [main, 'up', '--json', '--port', String(port), '--data-dir', scene.dataDir('engine')]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await pause(chance.below(start_ms_max))
  child.kill('SIGKILL')
  assert.deepEqual(await exited, [null, 'SIGKILL'])
  tally.killed_starting++
}
