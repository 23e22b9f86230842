// The table of a saved view: what is read, what is cut, and where it is written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testContext } from '../../../../checks/rehearsal/test-context.ts'
import { tableOf } from './view-query.ts'
import { compute, type ViewTableTask } from './view-table-job.ts'

const view = { protocol: 'MAX', operation: 'audit_query', filters: {} }
type Row = Readonly<Record<string, unknown>>

/** Pages of these rows, and how often a worker was asked. */
async function tableFrom(pages: readonly (readonly Row[])[]) {
  let computed = 0
  const input = { properties: { cursor: {} } }
  const context = testContext<'compute' | 'served'>({
    served: { find: () => ({ facts: { input } }) },
    call: async (_protocol: string, _operation: string, { cursor = 0 }: { cursor?: number }) => ({
      items: pages[cursor],
      ...(cursor + 1 < pages.length && { next_cursor: cursor + 1 }),
    }),
    async compute({ module }: { module: string }, task: ViewTableTask) {
      assert.match(module, /view-table-job\.ts$/)
      computed++
      return compute(task)
    },
  })
  return { ...(await tableOf(view, undefined, context)), computed }
}

test('few rows are written at once, with all columns in the order of their first appearance', async () => {
  const { csv, rows, truncated, computed } = await tableFrom([
    [{ b: 1, a: 'x,y', none: undefined, empty: null }],
    [{ c: { of: [1, 2] }, b: true }],
  ])
  assert.equal(csv, 'b,a,empty,c\r\n1,"x,y",,\r\ntrue,,,"{""of"":[1,2]}"\r\n')
  assert.deepEqual([rows, truncated, computed], [2, false, 0])
})

test('many rows are written by a worker, up to ten pages, 2 MiB and 64 columns', async () => {
  const wide = 'x'.repeat(10_000)
  const page = Array.from({ length: 100 }, (_, n) => ({ n, wide }))
  const whole = await tableFrom([page, page])
  assert.deepEqual([whole.rows, whole.truncated, whole.computed], [200, false, 1])
  const cut = await tableFrom(Array.from({ length: 10 }, () => page))
  assert.ok(cut.rows > 200 && cut.rows < 210)
  assert.deepEqual([cut.truncated, cut.computed], [true, 1])
  const pages = await tableFrom(Array.from({ length: 11 }, () => [{ n: 1 }]))
  assert.deepEqual([pages.rows, pages.truncated, pages.computed], [10, true, 0])
  const columns = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`c${n}`, n]))
  assert.equal((await tableFrom([[columns]])).truncated, true)
})
