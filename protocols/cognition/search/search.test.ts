// The search without a database: rows in, rankings out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { applyRow, chooseSlots, type IndexedRow, newSearchIndex, type SearchIndex } from './search-index.ts'
import { readLexemes, readWording, similarityOf } from './search-lexemes.ts'
import { shareAmongNeighbours } from './search-neighbours.ts'
import { rankByVector } from './search-vectors.ts'
import { rankByWords } from './search-words.ts'

const dimensions = 64
const kinds = ['episodic', 'semantic']

function rowOf(
  number: number,
  more: Partial<IndexedRow> & { words?: string; vector?: Int8Array } = {},
): IndexedRow {
  const { words = `word${number}`, vector, ...row } = more
  return {
    ref: `mind://cell/${String(number).padStart(6, '0')}`,
    kind: 'semantic',
    namespace: 'default',
    present: true,
    readers: null,
    lexemes: words
      .split(' ')
      .map((word, place) => `'${word}':${place + 1}`)
      .join(' '),
    embedding: vector ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength) : null,
    embedder_id: 'test',
    occurred_ms: number * 1_000,
    importance: 0.5,
    active_until_ms: null,
    revision: '1',
    ...row,
  }
}

function indexOf(rows: readonly IndexedRow[]): SearchIndex {
  const index = newSearchIndex('test', dimensions)
  for (const row of rows) applyRow(index, row)
  return index
}

function found(index: SearchIndex, words: string, choice = {}): string[] {
  const searched = chooseSlots(index, { kinds, ...choice })
  const lexemes = words.split(' ').map((word) => ({ word, count: 1 }))
  return rankByWords(index.words, lexemes, searched, 100).map(({ slot }) => index.refs[slot]!)
}

test('lexemes are parsed as PostgreSQL writes them', () => {
  assert.deepEqual(readLexemes(`'a\\\\b':1 'it''s':2A,3 'late':4 'plain'`), [
    { word: 'a\\b', count: 1 },
    { word: "it's", count: 2 },
    { word: 'late', count: 1 },
    { word: 'plain', count: 1 },
  ])
  assert.deepEqual(readLexemes(''), [])
  const wording = readWording('who said "never again" -twice or well-known OR -3?')
  assert.deepEqual([wording.phrases, wording.without], [['never again'], ['twice']])
  assert.ok(!/twice|OR/.test(wording.words))
  assert.deepEqual([similarityOf('word', 'word'), similarityOf('abc', 'xyz')], [1, 0])
})

test('a rare word counts more than a common one, and a long text less than a short one', () => {
  const common = Array.from({ length: 20 }, (_, number) => rowOf(number, { words: `team w${number}` }))
  const rare = rowOf(50, { words: 'dragon w w1 w2 w3 w4' })
  const short = rowOf(51, { words: 'dragon w' })
  const index = indexOf([...common, rare, short])
  assert.deepEqual(found(index, 'team dragon').slice(0, 2), [short.ref, rare.ref])
  assert.deepEqual(found(index, 'dragn').slice(0, 2), [short.ref, rare.ref], 'as it was perhaps meant')
  assert.deepEqual(found(index, 'qqqqqq'), [])
})

test('the newest row counts, for any order and repetition of rows', () => {
  const row = fc.record({
    number: fc.integer({ min: 0, max: 5 }),
    revision: fc.integer({ min: 1, max: 9 }),
    present: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), (changes) => {
      const newest = new Map<number, (typeof changes)[number]>()
      const present_by_name = new Map<string, boolean>()
      const rows = changes.flatMap((change) => {
        // One transaction leaves one state of a row.
        const name = `${change.number} ${change.revision}`
        const present = present_by_name.get(name) ?? change.present
        present_by_name.set(name, present)
        const best = newest.get(change.number)
        if (!best || best.revision <= change.revision) newest.set(change.number, { ...change, present })
        const { number, revision } = change
        return [rowOf(number, { revision: String(revision), present, words: `all r${revision}` })]
      })
      // A removal before the first row leaves no trace, so no older row may follow it.
      rows.sort((one, other) => Number(one.revision) - Number(other.revision))
      const index = indexOf([...rows, ...rows])
      const expected = [...newest.values()].filter(({ present }) => present)
      const refs = expected.map(({ number }) => rowOf(number).ref).sort()
      assert.deepEqual(found(index, 'all').sort(), refs)
      for (const { number, revision } of expected)
        assert.ok(found(index, `r${revision}`).includes(rowOf(number).ref))
    }),
  )
})

test('every filter excludes what does not match', () => {
  const index = indexOf([
    rowOf(1, { words: 'x', namespace: 'a' }),
    rowOf(2, { words: 'x', namespace: 'b', kind: 'episodic' }),
    rowOf(3, { words: 'x', namespace: 'a', active_until_ms: 5_000 }),
    rowOf(4, { words: 'x', namespace: 'a', active_until_ms: -Infinity }),
    rowOf(5, { words: 'x', namespace: 'a', kind: 'claim' }),
  ])
  const numbers = (choice: object) =>
    found(index, 'x', choice)
      .map((ref) => Number(ref.slice(-6)))
      .sort()
  assert.deepEqual(numbers({}), [1, 2, 3, 4])
  assert.deepEqual(numbers({ namespace: 'a' }), [1, 3, 4])
  assert.deepEqual(numbers({ namespace: 'nobody' }), [])
  assert.deepEqual(numbers({ active_at_ms: 4_999 }), [1, 2, 3])
  assert.deepEqual(numbers({ active_at_ms: 5_000 }), [1, 2])
  assert.deepEqual(numbers({ kinds: ['claim'] }), [5])
  assert.deepEqual(numbers({ from_ms: 2_000, to_ms: 4_000 }), [2, 3])
  assert.deepEqual(numbers({ refs: new Set([rowOf(1).ref, rowOf(5).ref, 'nobody']) }), [1])
})

const vector = fc.int8Array({ minLength: dimensions, maxLength: dimensions, min: -127 })

test('the length of what only others may read changes no score', () => {
  const rows = [rowOf(1, { words: 'a b' }), rowOf(2, { words: 'a b c d' })]
  const hidden = rowOf(3, {
    words: Array.from({ length: 500 }, (_, at) => `h${at}`).join(' '),
    readers: ['x'],
  })
  const means = [rows, [...rows, hidden]].map((all) => chooseSlots(indexOf(all), { kinds }).length_mean)
  assert.deepEqual(means, [3, 3])
})

test('vectors are ranked by cosine, and distant ones are left out', () => {
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 30 }), vector, (vectors, query) => {
      const index = indexOf(vectors.map((one, number) => rowOf(number, { vector: one })))
      const { allowed } = chooseSlots(index, { kinds })
      const ranked = rankByVector(index.vectors, query, allowed, 0.1, 100)
      const all = vectors.map((one) => cosine(one, query))
      fc.pre(all.every((value) => !(Math.abs(value - 0.1) < 1e-6)))
      const cosines = all.filter((value) => value >= 0.1)
      assert.equal(ranked.length, cosines.length)
      cosines.sort((one, other) => other - one)
      for (const [place, { score }] of ranked.entries()) assert.ok(Math.abs(score - cosines[place]!) < 1e-6)
    }),
  )
})

function cosine(one: Int8Array, other: Int8Array): number {
  const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  const length = Math.sqrt(dot(one, one) * dot(other, other))
  return length === 0 ? Number.NaN : dot(one, other) / length
}

test('vectors of another embedder are never compared', () => {
  const ones = new Int8Array(dimensions).fill(1)
  const index = indexOf([rowOf(1, { vector: ones, embedder_id: 'other' }), rowOf(2, { vector: ones })])
  const { allowed } = chooseSlots(index, { kinds })
  assert.deepEqual(
    rankByVector(index.vectors, ones, allowed, 0, 10).map(({ slot }) => slot),
    [1],
  )
})

test('adjacent turns share part of their score; others do not', () => {
  const hour_ms = 3_600_000
  const times = [0, 1_000, 2_000, 10 * hour_ms]
  const index = indexOf(times.map((occurred_ms, number) => rowOf(number, { kind: 'episodic', occurred_ms })))
  const ranked = [2, 0, 1, 3].map((slot, place) => ({ slot, score: slot === 2 ? 10 : 4 - place }))
  const shared = new Map(shareAmongNeighbours(index, ranked).map(({ slot, score }) => [slot, score]))
  assert.deepEqual([shared.get(0), shared.get(1), shared.get(3)], [3 + 0.5 * 2 * 0.7, 2 + 0.5 * 10 * 0.8, 1])
  // The timeline is the same in another order and with a later insertion in between.
  applyRow(index, rowOf(9, { kind: 'episodic', occurred_ms: 1_500 }))
  const between = new Map(shareAmongNeighbours(index, ranked).map(({ slot, score }) => [slot, score]))
  assert.equal(between.get(1), 2 + 0.5 * 3 * 0.8)
  assert.equal(shareAmongNeighbours(index, ranked)[0]?.slot, 2)
})
