import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Bounds, type PageAsked, type Place, readPage, requireOne } from './list-page.ts'
import { Refusal } from './refusal.ts'

interface Row extends Place {
  readonly even: boolean
}

const moments = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.001Z', '2026-11-20T11:00:00.000Z']
const rowsOf = (count: number, from = 0): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    at: moments[(n + from) % moments.length]!,
    id: String(n + from).padStart(4, '0'),
    even: (n + from) % 2 === 0,
  }))

const isBefore = (one: Place, other: Place) => one.at < other.at || (one.at === other.at && one.id < other.id)
const newestFirst = (one: Place, other: Place) => (isBefore(one, other) ? 1 : -1)

/** Like a table: sorted for each query, so rows may be added in between. */
const listingOf = (rows: readonly Row[], isWanted?: (row: Row) => boolean) => ({
  id_form: /^\d{4}$/,
  placeOf: ({ at, id }: Row) => ({ at, id }),
  isWanted,
  read: async ({ since, before, limit }: Bounds) =>
    rows
      .filter((row) => (since === null || row.at >= since) && (before === null || isBefore(row, before)))
      .sort(newestFirst)
      .slice(0, limit),
})

test('pages to the end hold every row that existed at the start, whatever is added meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 60 }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (n, limit, filters) => {
        const rows = rowsOf(n)
        const isWanted = filters ? ({ even }: Row) => even : () => true
        const listed: Row[] = []
        let cursor: string | undefined
        for (let pages = 0; pages <= 4 * n + 4; pages++) {
          const request: PageAsked = { limit, ...(cursor !== undefined && { cursor }) }
          const page = await readPage(request, listingOf(rows, isWanted))
          assert.ok(page.rows.length <= limit)
          listed.push(...page.rows)
          cursor = page.next_cursor
          if (cursor === undefined) break
          rows.push(...rowsOf(1, 1000 + pages))
        }
        assert.equal(cursor, undefined, 'it ends')
        assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length)
        const old = listed.filter(({ id }) => id < '1000')
        assert.deepEqual(old, rowsOf(n).filter(isWanted).sort(newestFirst))
      },
    ),
    { numRuns: 100 },
  )
})

test('a search for rare rows ends with a cursor to continue from', async () => {
  const rows = rowsOf(2_000)
  const queries: string[] = []
  let cursor: string | undefined
  let count = 0
  do {
    const page = await readPage(
      { limit: 1, ...(cursor !== undefined && { cursor }) },
      listingOf(rows, ({ id }) => id === '0000'),
    )
    count += page.rows.length
    cursor = page.next_cursor
    if (cursor !== undefined) queries.push(cursor)
  } while (cursor !== undefined)
  assert.deepEqual([count, queries.length], [1, 1])
})

test('an invalid cursor or time is refused', async () => {
  const refusedBy = (reason: string) => (thrown: unknown) =>
    thrown instanceof Refusal && thrown.code === 'invalid_payload' && thrown.details.reason === reason
  for (const text of ['x', '2026-11-20T10:00:00Z|0001', `${moments[0]}|drop`, `${moments[0]}|0001|0001`]) {
    const cursor = Buffer.from(text).toString('base64url')
    await assert.rejects(readPage({ cursor }, listingOf([])), refusedBy('cursor'), text)
  }
  await assert.rejects(
    readPage({ since: '2026-02-30T00:00:00Z' }, listingOf([])),
    refusedBy('no_such_moment'),
  )
  assert.throws(() => requireOne(true, undefined, 'case_id'), refusedBy('detail of one'))
  requireOne(true, 'x', 'case_id')
  requireOne(false, undefined, 'case_id')
})
