import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { Recipe } from '@svc/contract/recipe'
import { contentHash } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { activationOf, archived_below, unused_ms_min } from './activation.ts'
import { closedSessions, confidenceOf, draftRecipe, sessionsOf, statementOf } from './consolidation.ts'
import { repeatedSequences } from './consolidation-sequences.ts'
import { clusterEpisodes, type Occurrence } from './episode-clustering.ts'

const minute_ms = 60_000
const now = new Date('2026-11-15T10:00:00Z')
const ago = (ms: number) => new Date(now.getTime() - ms)

/** Vectors in a plane: similarity follows from the angle. */
const at = (degrees: number, minutes: number, entities: string[] = []): Occurrence => {
  const angle = (degrees * Math.PI) / 180
  return {
    vector: Int8Array.of(Math.round(127 * Math.cos(angle)), Math.round(127 * Math.sin(angle))),
    entities,
    at_ms: minutes * minute_ms,
  }
}
const membersOf = (occurrences: readonly Occurrence[]) =>
  clusterEpisodes(occurrences).map(({ members }) => members)

test('similar and close in time, or similar and about the same entity, is one episode; otherwise not', () => {
  assert.deepEqual(membersOf([at(0, 0), at(10, 20), at(5, 100), at(90, 1)]), [[0, 1], [2], [3]])
  assert.deepEqual(membersOf([at(0, 0, ['acme']), at(10, 500, ['acme']), at(5, 900, ['ely'])]), [[0, 1], [2]])
  assert.deepEqual(membersOf([{ vector: undefined, entities: ['a'], at_ms: 0 }, at(0, 0, ['a'])]), [[0], [1]])
})

test('each occurrence is in one cluster, and no two clusters can be merged', () => {
  const occurrence = fc
    .tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 90 }), fc.subarray(['a', 'b']))
    .map(([degrees, minutes, entities]) => at(degrees, minutes, entities))
  fc.assert(
    fc.property(fc.array(occurrence, { maxLength: 12 }), (occurrences) => {
      const clusters = clusterEpisodes(occurrences)
      const all = clusters.flatMap(({ members }) => members).sort((a, b) => a - b)
      assert.deepEqual(
        all,
        occurrences.map((_, place) => place),
      )
      for (const { silhouette } of clusters) assert.ok(silhouette >= -1 && silhouette <= 1)
      assertUnjoinable(
        occurrences,
        clusters.map(({ members }) => members),
      )
      assert.deepEqual(clusterEpisodes(occurrences), clusters)
    }),
  )
})

/** By definition: the mean over all pairs of members, and proximity in time or by name. */
function assertUnjoinable(occurrences: readonly Occurrence[], groups: readonly (readonly number[])[]): void {
  for (const [place, one] of groups.entries())
    for (const other of groups.slice(place + 1)) {
      const pairs = one.flatMap((a) => other.map((b) => cosine(occurrences[a]!, occurrences[b]!)))
      const mean = pairs.reduce((sum, value) => sum + value, 0) / pairs.length
      assert.ok(mean < 0.75 + 1e-9 || !areClose(one, other, occurrences), `${one} and ${other} at ${mean}`)
    }
}

function cosine(one: Occurrence, other: Occurrence): number {
  const product = one.vector!.reduce((sum, value, place) => sum + value * other.vector![place]!, 0)
  return Math.max(-1, Math.min(1, product / 127 ** 2))
}

function areClose(one: readonly number[], other: readonly number[], all: readonly Occurrence[]): boolean {
  const span = (members: readonly number[]) => members.map((member) => all[member]!.at_ms)
  const [a, b] = [span(one), span(other)]
  const gap = Math.max(Math.min(...a), Math.min(...b)) - Math.min(Math.max(...a), Math.max(...b))
  const names = new Set(one.flatMap((member) => all[member]!.entities))
  return gap < 30 * minute_ms || other.some((member) => all[member]!.entities.some((name) => names.has(name)))
}

test('a session is over after a long pause, or when none of its cells is active', () => {
  const cell = (ref: string, minutes_ago: number, is_over = false) => ({
    ref,
    created_at: ago(minutes_ago * minute_ms),
    is_over,
  })
  assert.deepEqual(closedSessions([cell('b', 99), cell('a', 100), cell('c', 10)], now), ['a', 'b'])
  assert.deepEqual(closedSessions([cell('a', 31)], now), ['a'])
  assert.deepEqual(closedSessions([cell('a', 20), cell('b', 10)], now), [])
  assert.deepEqual(closedSessions([cell('a', 20, true), cell('b', 10, true)], now), ['a', 'b'])
  assert.deepEqual(closedSessions([cell('a', 20, true), cell('b', 10)], now), [])
})

test('repeated sequences are found with gaps, only the longest, without overlaps', () => {
  const day = ['A.a', 'B.b', 'X.x', 'C.c']
  const bounds = { support_min: 3, length_min: 3, length_max: 12 }
  const sessions = [{ steps: [...day, ...day] }, { steps: ['A.a', 'B.b', 'C.c'] }]
  assert.deepEqual(repeatedSequences(sessions, bounds), [{ steps: ['A.a', 'B.b', 'C.c'], support: 3 }])
  assert.deepEqual(repeatedSequences(sessions.slice(0, 1), bounds), [])
  const letters = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 }), { maxLength: 5 })
  fc.assert(
    fc.property(letters, (lists) => {
      const all_sessions = lists.map((steps) => ({ steps }))
      for (const { steps, support } of repeatedSequences(all_sessions, { ...bounds, length_max: 5 })) {
        assert.equal(support, countByHand(lists, steps))
        assert.ok(support >= 3 && steps.length >= 3 && steps.length <= 5)
        assert.ok(support * steps.length <= lists.flat().length)
      }
    }),
  )
})

/** Left to right: the first match with at most two calls between steps, then again after its end. */
function countByHand(lists: readonly string[][], steps: readonly string[]): number {
  let count = 0
  for (const list of lists)
    for (let start = 0; start < list.length; start++) {
      let [end, is_there] = [start, list[start] === steps[0]]
      for (const step of steps.slice(1)) {
        const next = list.indexOf(step, end + 1)
        is_there &&= next >= 0 && next - end <= 3
        end = next
      }
      if (!is_there) continue
      count++
      start = end
    }
  return count
}

test('sessions: successes of each caller up to a pause, repetitions once, reads of the audit log excluded', () => {
  const record = (seq: number, minutes: number, name: string, more: object = {}): AuditRecord => {
    const [protocol, operation] = name.split('.')
    const timestamp = new Date(now.getTime() + minutes * minute_ms).toISOString()
    const call_record = { seq, timestamp, protocol, operation, caller_did: 'me', meta: {}, ...more }
    return { event_type: 'ProtocolInvocation', outcome: 'success', ...call_record } as unknown as AuditRecord
  }
  const sessions = sessionsOf([
    record(3, 2, 'MIND.recall_memory'),
    record(1, 0, 'MIND.store_memory'),
    record(2, 1, 'MIND.store_memory'),
    record(4, 3, 'MAX.audit_query'),
    record(5, 4, 'MADE.settle', { outcome: 'refused' }),
    record(6, 40, 'MADE.settle'),
    record(7, 41, 'MEAL.meter', { caller_did: 'you' }),
    record(8, 42, 'MEAL.meter', { meta: { replayed: true } }),
  ])
  assert.deepEqual(
    sessions.map(({ steps }) => steps),
    [['MIND.store_memory', 'MIND.recall_memory'], ['MADE.settle'], ['MEAL.meter']],
  )
})

test('a draft is a recipe whose id is the hash of the rest', () => {
  const recipe = draftRecipe(['MIND.recall_memory', 'MAESTRO.goal.refine', 'MIND.store_memory'])
  assert.deepEqual([...Compile(Recipe).Errors(recipe)], [])
  const { id, ...rest } = recipe
  assert.equal(id, contentHash(rest))
  assert.equal((recipe.steps[1] as { operation: string }).operation, 'goal.refine')
})

test('activation: each use raises it, time lowers it, and a single use falls below the limit', () => {
  const uses = fc.record({ age: fc.integer({ min: 2, max: 4e5 }), more: fc.integer({ min: 0, max: 50 }) })
  fc.assert(
    fc.property(uses, fc.integer({ min: 1, max: 100 }), ({ age, more }, later) => {
      const [created_at, last_access] = [ago(age * minute_ms), ago((age / 2) * minute_ms)]
      const once = activationOf({ created_at, last_access: null, access_count: 0 }, now)
      const often = activationOf({ created_at, last_access, access_count: 1 + more }, now)
      const oftener = activationOf({ created_at, last_access, access_count: 2 + more }, now)
      assert.ok(once < often && often < oftener)
      const then = new Date(now.getTime() + later * minute_ms)
      assert.ok(activationOf({ created_at, last_access, access_count: 1 + more }, then) < often)
    }),
  )
  const faded = (ms: number) =>
    activationOf({ created_at: ago(ms), last_access: null, access_count: 0 }, now) < archived_below
  assert.deepEqual([faded(unused_ms_min - minute_ms), faded(unused_ms_min + minute_ms)], [false, true])
})

test('a statement is the same in any spelling; confidence stays between 0 and 1', () => {
  const one = statementOf({ subject: 'Acme  Corp', predicate: 'Located In', object: 'Ely' })
  const other = statementOf({ subject: 'acme corp', predicate: 'located_in', object: 'ELY' })
  assert.deepEqual(one, other)
  assert.notEqual(
    one.triple,
    statementOf({ subject: 'acme corp', predicate: 'located_in', object: 1 }).triple,
  )
  assert.deepEqual([confidenceOf(40, 40), confidenceOf(3, 8)], [41 / 42, 0.4])
})

test('five thousand calls that repeat in many ways are searched within the memory of a worker', async () => {
  const steps = Array.from({ length: 5_000 }, (_, i) => `P${(i * 7919 + ((i * i) % 13)) % 100}.op`)
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
     import(workerData.module).then(({ repeatedSequences }) => {
       const bounds = { support_min: 3, length_min: 3, length_max: 12 }
       parentPort.postMessage(repeatedSequences([{ steps: workerData.steps }], bounds).length)
     })`,
    {
      eval: true,
      workerData: { steps, module: new URL('./consolidation-sequences.ts', import.meta.url).href },
      resourceLimits: { maxOldGenerationSizeMb: 112 },
    },
  )
  assert.deepEqual(await once(worker, 'message'), [50])
})
