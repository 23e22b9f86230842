// MARKET.follow_book over HTTP: a snapshot, then every change with the next seq, resumed at any engine.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { FollowAnswer, FollowEvent } from '@svc/protocols/economic/market/follow-input'
import { buy, instrument, sell, venue } from '@svc/protocols/economic/market/test-venue'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { deal, type MarketScene, openMarketScene, refused, treaties } from './market-scene.ts'

interface Streamed {
  readonly id: string | undefined
  readonly event: string
  /** A progress has a message and an event of the order book, the result an output. */
  readonly data: {
    readonly message?: string
    readonly data?: FollowEvent
    readonly output?: FollowAnswer
    readonly error?: { readonly code: string; readonly reason: string; readonly message: string }
  }
}

let scene: MarketScene
let other: InProcessService
let ann: Addresses
let bob: Addresses

before(async () => {
  const master_key = randomBytes(32)
  scene = await openMarketScene({ config: { master_key } })
  other = await startInProcess({ treaties, config: { master_key, db_url: scene.service.db_url } })
  const funds = { gold: 10_000n, coin: 1_000_000n }
  ann = await scene.newTrader('anns', funds)
  bob = await scene.newTrader('bobs', funds)
})
after(async () => {
  await other.stop()
  await scene.service.stop()
})

const place = (trader: Addresses, input: object) => deal(trader, 'create_order', input)
const follow = (trader: Addresses, input: object = {}) =>
  deal(trader, 'follow_book', { instrument, ...input })
const atOther = (trader: Addresses) => ({ ...trader, api_url: other.api_url })

/** As an engine writes it that knows no levels yet. */
async function changeWithoutLevels(seq: number): Promise<void> {
  const { engine_pool } = scene.service.service.store
  await engine_pool.query(
    `INSERT INTO market_order_log (tenant_id, instrument, seq, order_id, at, command)
      SELECT $1, $2, $3, gen_random_uuid(), now(), '{}'`,
    [venue, instrument, seq],
  )
  const moved = 'UPDATE market_book_seq SET seq = $3 WHERE tenant_id = $1 AND instrument = $2'
  await engine_pool.query(moved, [venue, instrument, seq])
}

/** Reads events as they arrive, until it is closed or the stream ends. */
async function stream(
  trader: Addresses,
  input: object,
  onEvent: (event: Streamed) => unknown = () => undefined,
  more_headers: Readonly<Record<string, string>> = {},
): Promise<Streamed[]> {
  const leaving = new AbortController()
  const response = await fetch(`${trader.api_url}/v1/dispatch`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${trader.api_key}`,
      'x-agent-did': trader.agent_did,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...more_headers,
    },
    body: JSON.stringify({
      ...{ protocol: 'MARKET', version: 'v1', operation: 'follow_book', tenant_id: venue },
      input: { instrument, stream: true, ...input },
    }),
  })
  const events: Streamed[] = []
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks.filter((each) => !each.startsWith(':'))) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]))
        const event = {
          id: fields.get('id'),
          event: fields.get('event')!,
          data: JSON.parse(fields.get('data')!),
        }
        events.push(event)
        if ((await onEvent(event)) === 'leave') return events
      }
    }
    return events
  } finally {
    leaving.abort()
  }
}

test('a follower is told the order book, then each change in order, and nobody is named', async () => {
  await place(ann, sell(10, 100))
  await place(ann, sell(5, 101))
  const first = await follow(bob)
  const [snapshot] = first.events
  assert.deepEqual(
    [snapshot.kind, snapshot.bids, snapshot.asks],
    [
      'snapshot',
      [],
      [
        { price: '100', quantity: '10', orders: 1 },
        { price: '101', quantity: '5', orders: 1 },
      ],
    ],
  )
  const { order_id } = await place(bob, buy(12, 101))
  await place(bob, sell(3, 200, { directed_to: ann.agent_did }))
  const rest = await place(bob, buy(4, 90))
  await place(bob, { action: 'replace', order_id: rest.order_id, quantity: '1' })
  await place(bob, { action: 'cancel', order_id: rest.order_id })
  const { events, next_seq } = await follow(bob, { after_seq: first.next_seq })
  assert.deepEqual(
    events.map(({ seq }: { seq: number }) => seq - first.next_seq),
    [1, 2, 3, 4, 5],
  )
  assert.equal(next_seq, first.next_seq + 5)
  assert.deepEqual(
    events[0].trades.map(({ price, quantity, taker_side }: Record<string, string>) => [
      price,
      quantity,
      taker_side,
    ]),
    [
      ['100', '10', 'buy'],
      ['101', '2', 'buy'],
    ],
  )
  assert.deepEqual(events[0].levels, [
    { side: 'sell', price: '100', quantity: '0', orders: 0 },
    { side: 'sell', price: '101', quantity: '3', orders: 1 },
  ])
  assert.deepEqual([events[1].trades, events[1].levels], [[], []], 'a quote is not shown')
  assert.deepEqual(
    events.slice(2).map(({ levels }: { levels: object[] }) => levels),
    ['4', '1', '0'].map((quantity) => [
      { side: 'buy', price: '90', quantity, orders: quantity === '0' ? 0 : 1 },
    ]),
  )
  const shown = JSON.stringify([first, events])
  for (const hidden of ['did:oas', order_id, 'anns', 'bobs']) assert.ok(!shown.includes(hidden), hidden)
  assert.deepEqual((await follow(atOther(bob), { after_seq: first.next_seq })).events, events)
})

test('a stream tells changes made at the other engine, and goes on there after its last event', async () => {
  let seq = 0
  const events = await stream(bob, { wait_ms: 60_000 }, async ({ data }) => {
    if (data.data?.kind === 'snapshot') await place(atOther(ann), sell(1, 150))
    if (data.data?.kind !== 'change') return
    seq = data.data.seq
    return 'leave'
  })
  assert.deepEqual(
    events.map(({ event, id, data }) => [event, id === String(data.data?.seq), data.message]),
    [
      ['progress', true, 'snapshot'],
      ['progress', true, 'change'],
    ],
  )
  await place(ann, sell(2, 151))
  await place(ann, sell(3, 152))
  const again = await stream(atOther(bob), { after_seq: seq, wait_ms: 0 }, () => {})
  assert.deepEqual(
    again.map(({ id, event }) => [event, id]),
    [
      ['progress', String(seq + 1)],
      ['progress', String(seq + 2)],
      ['result', undefined],
    ],
  )
  assert.deepEqual(again.at(-1)?.data.output, { events: [], next_seq: seq + 2 })
})

test('a call without a stream waits for the next change, told by another engine', async () => {
  const { next_seq } = await follow(bob)
  const waiting = follow(bob, { after_seq: next_seq, wait_ms: 60_000 })
  await place(atOther(ann), sell(1, 160))
  const { events } = await waiting
  assert.deepEqual(
    events.map(({ seq }: { seq: number }) => seq),
    [next_seq + 1],
  )
  assert.deepEqual(await follow(bob, { after_seq: next_seq + 1 }), { events: [], next_seq: next_seq + 1 })
})

test('a place that is not there, or no longer, is refused with what to do', async () => {
  const { next_seq } = await follow(bob)
  const ahead = { instrument, after_seq: next_seq + 1 }
  await refused(bob, 'follow_book', ahead, 'place not reached')
  await changeWithoutLevels(next_seq + 1)
  const error = await refused(bob, 'follow_book', { instrument, after_seq: next_seq }, 'place no longer kept')
  assert.match(error.message, /no longer kept.*without after_seq/)
  await refused(bob, 'follow_book', { instrument, stream: true }, 'no stream', 'invalid_payload')
  await refused(bob, 'follow_book', { instrument: 'gold/silver' }, 'instrument unknown')
})

test('a stream over MCP, where its events would get lost, is refused with what to do instead', async () => {
  const [refusal, ...more] = await stream(bob, {}, undefined, { 'x-svc-origin': 'mcp' })
  assert.deepEqual([refusal!.event, more], ['error', []])
  const { code, reason, message } = refusal!.data.error!
  assert.deepEqual([code, reason], ['invalid_payload', 'no stream'])
  assert.match(message, /over MCP.*Leave out stream.*next_seq/)
})

test('a stream that cannot tell what a change did goes on with a second snapshot', async () => {
  const shown: FollowEvent[] = []
  await stream(bob, { wait_ms: 60_000 }, async ({ data: { data: event } }) => {
    if (event) shown.push(event)
    if (shown.length === 2) return 'leave'
    await changeWithoutLevels(shown[0]!.seq + 1)
    await place(ann, sell(1, 170))
  })
  assert.deepEqual(
    shown.map(({ kind }) => kind),
    ['snapshot', 'snapshot'],
  )
  assert.ok(shown[1]!.seq > shown[0]!.seq)
})

test('one may go back 10,000 changes, page by page, and no further', async () => {
  const other_book = 'gold/cent'
  await place(ann, { ...sell(1, 100), instrument: other_book })
  const { engine_pool } = scene.service.service.store
  await engine_pool.query(
    `INSERT INTO market_order_log (tenant_id, instrument, seq, order_id, at, command, levels)
      SELECT $1, $2, n, gen_random_uuid(), now(), '{}', '[]' FROM generate_series(2, 10000) n`,
    [venue, other_book],
  )
  await engine_pool.query('UPDATE market_book_seq SET seq = 10000 WHERE tenant_id = $1 AND instrument = $2', [
    venue,
    other_book,
  ])
  const { events, next_seq } = await follow(bob, { instrument: other_book, after_seq: 0 })
  assert.deepEqual([events.length, events[0].seq, next_seq], [500, 1, 500])
  assert.deepEqual(events[0].levels, [{ side: 'sell', price: '100', quantity: '1', orders: 1 }])
  await place(ann, { ...sell(1, 105), instrument: other_book })
  await refused(bob, 'follow_book', { instrument: other_book, after_seq: 0 }, 'place no longer kept')
})

test('an organization without a treaty follows nothing', async () => {
  const lonely = await startInProcess({})
  try {
    await lonely.newCaller({ tenant_id: venue })
    const stranger = await lonely.newCaller({ tenant_id: 'strangers' })
    const input = { instrument }
    const answer = await dispatch(stranger, {
      protocol: 'MARKET',
      operation: 'follow_book',
      input,
      tenant_id: venue,
    })
    assert.equal(answer.status, 403)
  } finally {
    await lonely.stop()
  }
})
