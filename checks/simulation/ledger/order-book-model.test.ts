import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayOrderBook } from './order-book-model.ts'
import type { Agent } from './organizations.ts'
import type { Input, Request } from './requests.ts'
import type { LogRow, Snapshot } from './snapshot.ts'

const order_id = 'one'
const agent = { did: 'did:oas:acme:agent:one', tenant_id: 'acme' } as Agent

function request(key: string, input: Input, seq: number): Request {
  const operation = 'MARKET.create_order'
  return { key, agent, operation, input, done: { order_id, seq } } as Request
}

function row(seq: number, kind: LogRow['kind'], remaining: number, price: number | null): LogRow {
  return { seq, order_id, at_ms: seq, kind, remaining, price }
}

/** One order of 10 that became 50, which put it at the end of the queue, and then 20, which left it there. */
const log = [row(1, 'place', 10, 103), row(2, 'place', 50, 103), row(3, 'reduce', 20, null)]
const orders = [
  {
    order_id,
    owner_did: agent.did,
    seq: 2,
    price: 103,
    quantity: 20,
    filled: 0,
    reserved: 206,
    state: 'OPEN',
  },
]
const snapshot = { log, orders, trades: [] } as unknown as Snapshot
const placed = request('r1', { side: 'buy', price: '103', quantity: '10' }, 1)
const larger = request('r3', { action: 'replace', quantity: '50', price: '103' }, 2)

test('of two replacements at the same place in the queue, the log says which one put the order there', () => {
  const smaller = request('r2', { action: 'replace', quantity: '20' }, 2)
  for (const requests of [
    [placed, smaller, larger],
    [placed, larger, smaller],
  ])
    assert.equal(replayOrderBook(requests, snapshot).orders.get(order_id)?.quantity, 20)
})

test('an order that became smaller than anybody asked is noticed', () => {
  const smaller = request('r2', { action: 'replace', quantity: '30' }, 2)
  assert.throws(() => replayOrderBook([placed, smaller, larger], snapshot), /nobody asked .* at 3/)
})
