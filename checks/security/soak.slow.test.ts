// Hostile traffic that names new things in every call: what the engine remembers of it is bounded. After a
// third of the calls, as warm-up, memory after garbage collection stays flat.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { is_long, report } from '../faults/scene/chance.ts'
import { until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { type AttackedEngine, type Caller, openAttackedEngine } from './attacked-engine.ts'
import { type Hostile, hostileTraffic } from './input/hostile-traffic.ts'

const thirds = 3
/** The long form lasts ten minutes; the short one makes each kind of call this many times in each third. */
const third_ms = 200_000
const rounds_short = 6
const at_once = 4
const tenants = 20
const mebibyte = 1024 * 1024
/** What filling caches and newly used code may add in one third. Large bodies add more. */
const growth_bytes_max = 5 * mebibyte
const counts_more_max = 64
/** The allocator frees late, and threads collect on their own: only a trend counts. */
const resident_growth_max = 1.1

interface Weight {
  readonly heap: number
  readonly outside: number
  readonly resident: number
  readonly descriptors: number
  readonly resources: number
}

test('whatever strangers name, memory is flat after warm-up', { timeout: 1_800_000 }, async (t) => {
  const attacked = await openAttackedEngine({ node_args: ['--expose-gc'] })
  t.after(() => attacked.stop())
  const callers: Caller[] = []
  for (let n = 0; n < tenants; n++) callers.push(await attacked.newCaller(`tenant-${n}`))
  const kinds = hostileTraffic(attacked, callers)
  t.diagnostic(is_long ? `N=${(third_ms * thirds) / 1000} s` : `N=${rounds_short * thirds * kinds.length}`)
  let calls = 0
  const attack = async () => {
    const first = calls
    const elapsed_ms = stopwatch()
    const isOver = () => (is_long ? elapsed_ms() > third_ms : calls - first >= rounds_short * kinds.length)
    const work = async () => {
      while (!isOver()) await callOnce(kinds, calls++)
    }
    await Promise.all(Array.from({ length: at_once }, work))
    return calls - first
  }
  await attack()
  await attack()
  const before = await settled(attacked)
  const last_calls = await attack()
  const grown = (after: Weight) => usedBy(after) - usedBy(before)
  // Records in progress hold their bodies a little longer than the call.
  const after = await until('what the calls held is free again', async () => {
    const now = await weigh(attacked)
    return grown(now) <= growth_bytes_max && isFew(now, before) && now
  })
  report(t, {
    calls,
    heap_mb: after.heap / mebibyte,
    outside_mb: after.outside / mebibyte,
    resident_mb_before: before.resident / mebibyte,
    resident_mb: after.resident / mebibyte,
    bytes_a_call: grown(after) / last_calls,
    descriptors: after.descriptors,
    resources: after.resources,
  })
  if (is_long)
    assert.ok(after.resident <= before.resident * resident_growth_max, JSON.stringify({ before, after }))
  await assertSeriesBounded(attacked)
})

function usedBy({ heap, outside }: Weight): number {
  return heap + outside
}

/** Work from before the first measurement is done when two in a row are alike. */
async function settled(attacked: AttackedEngine): Promise<Weight> {
  let last = await weigh(attacked)
  return await until('what is under way is done', async () => {
    const before = last
    last = await weigh(attacked)
    return usedBy(last) > usedBy(before) - mebibyte / 4 && last
  })
}

function isFew(now: Weight, before: Weight): boolean {
  const more = (name: 'descriptors' | 'resources') => now[name] - before[name]
  return more('descriptors') <= counts_more_max && more('resources') <= counts_more_max
}

/** Kinds take turns, so that all parts of a run have the same mix. A failed call is part of the attack. */
async function callOnce(kinds: readonly Hostile[], n: number): Promise<void> {
  await kinds[n % kinds.length]!.call(n).catch((error: Error) => {
    if (error.name !== 'TypeError' || error.message !== 'fetch failed') throw error
  })
}

async function weigh({ acme }: AttackedEngine): Promise<Weight> {
  const { status, body } = await dispatch(acme, { protocol: 'SCALE', operation: 'weigh', input: {} })
  assert.equal(status, 200, JSON.stringify(body))
  return body.output
}

/** The metrics contain no protocol, operation or code that a stranger named. */
async function assertSeriesBounded(attacked: AttackedEngine): Promise<void> {
  const lines = (await attacked.metrics()).split('\n')
  const own = lines.filter((line) => /NONE\d|none_\d|nobody-\d|v1\.\d+\.0/.test(line))
  assert.deepEqual(own, [])
}
