// kill -9 while memories are stored: acknowledged ones are kept, found by their own words, and in the audit
// log once.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { dispatch, freePorts, type RunningEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'
import { openScene, postmasterOf, type Scene, signal } from './scene/scene.ts'

const kills = is_long ? 40 : 1
const stores_at_once = 4
const stores_max = is_long ? 200 : 40
const extra_ms_max = 25
const recalls_at_once = 8
// biome-ignore format: a list of words
const words = ['amber', 'bridge', 'candle', 'dragon', 'engine', 'forest', 'garden', 'harbor', 'island', 'jacket', 'kettle', 'ladder']

interface Stored {
  readonly memory_id: string
  readonly text: string
}

test('kill -9 of the engine or the database loses no acknowledged memory', {
  timeout: 1_800_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const scene = openScene(t)
  const port = await freePorts()
  const stored: Stored[] = []
  for (let kill = 0; kill < kills; kill++) {
    const engine = await scene.start('engine', { port })
    // The database is killed every other time, which loses every unlogged index.
    await storeUntilKilled(scene, engine, chance, stored, kill % 2 === 0)
  }
  const engine = await scene.start('engine', { port })
  const lost: string[] = []
  for (let from = 0; from < stored.length; from += recalls_at_once)
    await Promise.all(
      stored.slice(from, from + recalls_at_once).map(async (one) => {
        if (!(await isRecalled(engine, one))) lost.push(one.text)
      }),
    )
  assert.deepEqual(lost, [])
  assert.ok(stored.length >= kills)
  const { body } = await dispatch(engine, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { event_type: ['MemoryStored'], limit: 200 },
  })
  const refs = (body.output.records as { meta: { ref: string } }[]).map(({ meta }) => meta.ref)
  assert.equal(new Set(refs).size, refs.length, 'each is in the audit log once')
  assert.equal(await engine.stop(), 0)
  report(t, { kills, stored: stored.length, lost: 0 })
})

async function storeUntilKilled(
  scene: Scene,
  engine: RunningEngine,
  chance: Chance,
  stored: Stored[],
  with_database: boolean,
): Promise<void> {
  let killed = false
  const before = stored.length
  const work = async () => {
    while (!killed && stored.length < before + stores_max) {
      const text = `${chance.pick(words)} ${chance.pick(words)} number${chance.below(2 ** 30)}`
      const input = { kind: 'episodic', payload: { text }, namespace: 'kills' }
      const answer = await dispatch(engine, { protocol: 'MIND', operation: 'store_memory', input }).catch(
        () => null,
      )
      if (answer?.status === 200) stored.push({ memory_id: answer.body.output.memory_id, text })
    }
  }
  const working = Array.from({ length: stores_at_once }, work)
  const target = before + 1 + chance.below(stores_max / 2)
  await until('memories are stored', () => stored.length >= target)
  await pace(chance.below(extra_ms_max))
  if (with_database) signal([(await postmasterOf(join(scene.dataDir('engine'), 'postgres')))!], 'SIGKILL')
  await engine.stop('SIGKILL')
  killed = true
  await Promise.all(working)
}

/** While the index is rebuilt, or takes too long on a busy machine, the engine says so; then the call is retried. */
async function isRecalled(engine: RunningEngine, { memory_id, text }: Stored): Promise<boolean> {
  const input = { predicate: { semantic: { text } }, namespace: 'kills', limit: 3 }
  const answer = await until('what is known can be searched', async () => {
    const recalled = await dispatch(engine, { protocol: 'MIND', operation: 'recall_memory', input })
    return recalled.body.error?.retryable ? undefined : recalled
  })
  const { memories } = answer.body.output as { memories: { memory_id: string }[] }
  return memories.some((memory) => memory.memory_id === memory_id)
}
