import assert from 'node:assert/strict'
import { test } from 'node:test'
import { within } from './page-bounds.ts'
import { type Fragment, sql } from './sql.ts'

const textOf = (fragment: Fragment) => fragment.statement().text

test('interpolated values become parameters, in order', () => {
  const statement = sql`SELECT ${'a'}, ${2}, ${null} FROM t WHERE x = ANY(${['b']})`.statement()
  assert.deepEqual(statement, {
    text: 'SELECT $1, $2, $3 FROM t WHERE x = ANY($4)',
    values: ['a', 2, null, ['b']],
  })
})

test('fragments become part of the text at any depth, and can be reused', () => {
  const mine = sql`owner = ${'me'}`
  const either = sql`(${mine} OR ${sql`open AND ${mine}`})`
  assert.deepEqual(sql`SELECT FROM t WHERE n > ${1} AND ${either} LIMIT ${5}`.statement(), {
    text: 'SELECT FROM t WHERE n > $1 AND (owner = $2 OR open AND owner = $3) LIMIT $4',
    values: [1, 'me', 'me', 5],
  })
  assert.deepEqual(sql`${sql``}${mine}`.statement(), { text: 'owner = $1', values: ['me'] })
})

test('a list is joined by commas or the given separator; an empty one is nothing', () => {
  assert.deepEqual(sql`(${sql.join([1, sql`now()`, 'x'])})`.statement(), {
    text: '($1, now(), $2)',
    values: [1, 'x'],
  })
  assert.equal(textOf(sql.join([sql`a`, sql`b`], sql` AND `)), 'a AND b')
  assert.equal(textOf(sql`(${sql.join([])})`), '()')
})

test('names are quoted, constants escaped, and neither can break out', () => {
  assert.equal(textOf(sql.ref('r.seq')), '"r"."seq"')
  assert.equal(textOf(sql.table('odd"name')), '"odd""name"')
  assert.equal(textOf(sql.lit("it's")), "'it''s'")
  assert.equal(textOf(sql.lit(30)), '30')
  assert.deepEqual(sql.raw('count(*) = $1').statement(), { text: 'count(*) = $1', values: [] })
})

test('a statement runs on the given database', async () => {
  const rows = [{ n: 1 }]
  const db = { execute: async () => ({ rows }) } as never
  assert.equal((await sql<{ n: number }>`SELECT 1 AS n`.execute(db)).rows, rows)
})

test('a page is also bounded by its time alone', () => {
  const page = (since: string | null, before: { at: string; id: string } | null) =>
    within({ since, before, limit: 2 }, sql`at`, sql`id`).statement()
  assert.deepEqual(page(null, null), { text: 'true', values: [] })
  assert.deepEqual(page('s', { at: 'b', id: 'i' }), {
    text: 'at >= $1 AND at <= $2 AND (at, id) < ($3, $4)',
    values: ['s', 'b', 'b', 'i'],
  })
})
