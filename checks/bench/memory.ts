// The cost of storing and recalling memories through dispatch, and how it grows with their number.
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import type { Engine } from '@svc/engine/dispatch'
import { startInProcess } from '../engines/in-process.ts'

const sizes = [1_000, 10_000, 100_000]
const at_once = 16
const recalls = 200
const warm_up = 30
const goal_times = 3
const ready_ms_max = 60_000
const embedded = 20_000
const words_per_memory = 14
const vocabulary = 20_000

interface Caller {
  readonly did: string
  readonly tenant_id: string
}

export async function measureMemory(
  cell_counts: readonly number[] = sizes,
): Promise<Record<string, unknown>> {
  const service = await startInProcess({ check_outputs: false, config: { limits: 'off' } })
  const { engine, audit_log } = service.service
  const caller = { did: service.agent_did, tenant_id: service.tenant_id }
  const measured: {
    memories: number
    store_ms: number
    first_ms: number
    recall_ms: number
    recall_p99_ms: number
  }[] = []
  try {
    await audit_log.ready(caller.tenant_id)
    let stored = 0
    for (const memories of cell_counts) {
      const store_ms = await store(engine, caller, stored, memories)
      stored = memories
      const { first_ms, p50_ms, p99_ms } = await recall(engine, caller, memories)
      measured.push({ memories, store_ms, first_ms, recall_ms: p50_ms, recall_p99_ms: p99_ms })
      console.log(
        `memory, ${memories}: store_memory p50 ${store_ms.toFixed(2)} ms (${at_once} at once), ` +
          `recall_memory p50 ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(2)} ms (the first ${first_ms.toFixed(0)} ms)`,
      )
    }
  } finally {
    await service.stop()
  }
  const growth = measured.at(-1)!.recall_ms / measured[0]!.recall_ms
  const embed_per_s = await embedding()
  console.log(
    `memory: recall at ${measured.at(-1)!.memories} takes ${growth.toFixed(2)} times that at ${measured[0]!.memories} ` +
      `(goal ${goal_times}); ${embed_per_s.toFixed(0)} sentences embedded a second`,
  )
  return { measured, growth, goal_times, embed_per_s }
}

async function store(engine: Engine, caller: Caller, from: number, until: number): Promise<number> {
  const times: number[] = []
  let next = from
  const work = async () => {
    while (next < until) {
      const number = next++
      const begun = performance.now()
      await dispatch(engine, caller, 'store_memory', {
        kind: 'episodic',
        payload: { number, text: sentence(number, words_per_memory) },
      })
      times.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: at_once }, work))
  return quantile(times, 0.5)
}

/** One after another; the first after a pause reads what was added meanwhile. */
async function recall(engine: Engine, caller: Caller, memories: number) {
  const times: number[] = []
  let first_ms = 0
  for (let round = -warm_up; round < recalls; round++) {
    const text = `what about ${sentence((round + warm_up) * 37 + memories, 6)}?`
    const begun = performance.now()
    // Recent memories may not be indexed yet.
    while (!(await dispatch(engine, caller, 'recall_memory', { predicate: { semantic: { text } } })))
      if (performance.now() - begun > ready_ms_max)
        throw new Error('what is known was never ready to be searched')
    const took = performance.now() - begun
    if (round === -warm_up) first_ms = took
    if (round >= 0) times.push(took)
  }
  return { first_ms, p50_ms: quantile(times, 0.5), p99_ms: quantile(times, 0.99) }
}

async function embedding(): Promise<number> {
  const texts = Array.from({ length: embedded }, (_, number) => sentence(number, words_per_memory))
  const begun = performance.now()
  await static_embedder.embed(texts)
  return embedded / ((performance.now() - begun) / 1_000)
}

/** Few common words and many rare ones, the same in every run. */
function sentence(seed: number, length: number): string {
  let state = seed * 2_654_435_761 + 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return wordOf(Math.floor((state / 2 ** 32) ** 3 * vocabulary))
  }).join(' ')
}

const syllables = [
  'ba',
  'lo',
  'ri',
  'ten',
  'ma',
  'su',
  'ka',
  'vor',
  'ni',
  'del',
  'po',
  'shi',
  'gar',
  'tu',
  'fen',
  'os',
]

function wordOf(number: number): string {
  let word = ''
  for (let rest = number + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]!
  return word
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!
}

async function dispatch(engine: Engine, { did, tenant_id }: Caller, operation: string, input: unknown) {
  const outcome = await engine.dispatch({
    request: { protocol: 'MIND', version: 'v1', operation, tenant_id, input },
    credential: { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] },
    origin: 'http',
  })
  if (outcome.kind === 'success') return true
  if (outcome.kind === 'refused' && outcome.refusal.code === 'no_endpoint_available') return false
  throw new Error(`a call failed: ${JSON.stringify(outcome)}`)
}
