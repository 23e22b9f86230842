// Shared by tests of lists: pages read to their end while rows are added, each checked against its schema.
import assert from 'node:assert/strict'
import { findProtocol } from '@svc/catalogue/catalogue'
import { Errors } from 'typebox/value'
import { dispatch } from '../../engines/running-engine.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import type { Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export type Fields = Record<string, any>

const pages_max = 50

export async function listed(
  who: Party,
  protocol: string,
  input: Fields = {},
): Promise<{ items: Fields[]; next_cursor?: string }> {
  const answer = await dispatch(who, { protocol, operation: 'list', input })
  const { output } = assertSuccess(answer)
  assert.deepEqual([...Errors(findProtocol(protocol)!.operations.list!.output, output)], [], protocol)
  return output as { items: Fields[]; next_cursor?: string }
}

/** The full detail of one item. */
export async function whole(who: Party, protocol: string, named: Fields): Promise<Fields> {
  const { items, next_cursor } = await listed(who, protocol, { ...named, include_detail: true })
  assert.deepEqual([items.length, next_cursor], [1, undefined])
  return items[0]!
}

/** All items of a list, page by page; `meanwhile` runs once, after the first page. */
export async function everything(
  who: Party,
  protocol: string,
  input: Fields,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Fields[]> {
  const items: Fields[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pages_max; pages++) {
    const page = await listed(who, protocol, { ...input, ...(cursor !== undefined && { cursor }) })
    items.push(...page.items)
    cursor = page.next_cursor
    if (cursor === undefined) return items
    if (pages === 0) await meanwhile()
  }
  return assert.fail('the list has no end')
}

/** Everything there at the start is listed, and nothing twice. */
export function assertWhole(items: readonly Fields[], id: string, expected: readonly unknown[]): void {
  const ids = items.map((item) => item[id])
  assert.equal(new Set(ids).size, ids.length, 'nothing is told twice')
  assert.deepEqual(
    ids.filter((one) => expected.includes(one)),
    expected,
  )
}
