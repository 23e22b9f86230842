// An order book with its depth, trades, and the caller's orders.

import { Button, Input } from '@mantine/core'
import type { Catalogue } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { type Action, useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { type DeepLevel, depthOf } from './depth.ts'

type AuditLog = Catalogue['MARKET']['query_orderbook']['output']

export function Market({ instrument }: { instrument: string | undefined }) {
  const why_not = useWhyNot('MARKET', 'query_orderbook')
  if (why_not) return <NoRight protocol="MARKET" operation="query_orderbook" />
  return (
    <>
      <InstrumentForm key={instrument} instrument={instrument ?? ''} />
      {instrument ? (
        <OrderBook key={`book of ${instrument}`} instrument={instrument} />
      ) : (
        <p className="panel empty">
          <Empty words={words.empty.market} href={hashOf('costs', ['contracts'])} />
        </p>
      )}
    </>
  )
}

function InstrumentForm({ instrument }: { instrument: string }) {
  const [typed, setTyped] = useState(instrument)
  const go = (event: FormEvent) => {
    event.preventDefault()
    location.hash = hashOf('costs', ['market'], { instrument: typed })
  }
  return (
    <form className="row" onSubmit={go}>
      <Field label="Instrument" hint="What is traded / what it is paid in">
        {(ids) => (
          <Input
            {...ids}
            required
            placeholder="gold/usd"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <Button variant="default" type="submit">
        Show
      </Button>
    </form>
  )
}

const depth_levels = 25
const trades_shown = 50

function OrderBook({ instrument }: { instrument: string }) {
  const query = useQuery(`market ${instrument}`, (client, signal) =>
    client.market.query_orderbook(
      { instrument, depth: depth_levels, mine: true, trades_limit: trades_shown },
      { signal },
    ),
  )
  const cancel = useAct(async (client, order_id: string) => {
    await client.market.create_order({ action: 'cancel', order_id })
    query.again()
  })
  return (
    <AnswerOf query={query}>
      {(order_book) => {
        const { bids, asks } = depthOf(order_book.bids, order_book.asks)
        return (
          <>
            <p>
              Spread {order_book.spread ?? 'none'}
              {order_book.last_trade &&
                `, last trade ${order_book.last_trade.quantity} at ${order_book.last_trade.price}`}{' '}
              <Button variant="default" onClick={query.again}>
                Refresh
              </Button>
            </p>
            <div className="two">
              <Side caption="Bids" levels={bids} />
              <Side caption="Asks" levels={asks} />
            </div>
            {cancel.problem && <ProblemNote problem={cancel.problem} />}
            <OwnOrders orders={order_book.my_orders ?? []} cancel={cancel} />
            <Trades trades={order_book.trades ?? []} />
          </>
        )
      }}
    </AnswerOf>
  )
}

function Side({ caption, levels }: { caption: string; levels: readonly DeepLevel[] }) {
  return (
    <DataTable
      caption={`${caption}, best first`}
      rows={levels}
      keyOf={({ price }) => price}
      empty="No orders on this side."
      columns={[
        { head: 'Price', is_number: true, cell: ({ price }) => price },
        { head: 'Quantity', is_number: true, cell: ({ quantity }) => quantity },
        { head: 'Orders', is_number: true, cell: ({ orders }) => orders },
        { head: 'Cumulative', is_number: true, cell: ({ total }) => total },
        {
          head: 'Depth',
          cell: ({ share, total }) => <meter min={0} max={1} value={share} aria-label={`Depth ${total}`} />,
        },
      ]}
    />
  )
}

function OwnOrders({
  orders,
  cancel,
}: {
  orders: NonNullable<AuditLog['my_orders']>
  cancel: Action<string>
}) {
  const why_not = useWhyNot('MARKET', 'create_order')
  return (
    <DataTable
      caption="Your open orders, newest first"
      rows={orders}
      keyOf={({ order_id }) => order_id}
      empty="You have no open order here."
      columns={[
        { head: 'Order', cell: ({ order_id }) => <Id text={order_id} /> },
        { head: 'Side', cell: ({ side, type }) => `${side}, ${type}` },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Price', is_number: true, cell: ({ price }) => price ?? 'market' },
        { head: 'Filled', is_number: true, cell: ({ filled, quantity }) => `${filled} of ${quantity}` },
        { head: 'Placed', cell: ({ placed_at }) => <When at={placed_at} /> },
        {
          head: 'Cancel',
          cell: ({ order_id, state, remaining, instrument }) =>
            ['OPEN', 'PARTIALLY_FILLED'].includes(state) && (
              <ConfirmAction
                label="Cancel it"
                title="Cancel this order?"
                is_waiting={cancel.is_waiting}
                why_not={why_not}
                onConfirm={() => void cancel.run(order_id)}
              >
                <p>
                  The {remaining} of {instrument} that are not traded yet are removed from the order book, and
                  their reserved funds are released. Trades stay.
                </p>
              </ConfirmAction>
            ),
        },
      ]}
    />
  )
}

function Trades({ trades }: { trades: NonNullable<AuditLog['trades']> }) {
  return (
    <DataTable
      caption={`The last ${trades_shown} trades`}
      rows={trades}
      keyOf={({ trade_id }) => trade_id}
      empty={words.empty.trades}
      columns={[
        { head: 'When', cell: ({ at }) => <When at={at} /> },
        { head: 'Price', is_number: true, cell: ({ price }) => price },
        { head: 'Quantity', is_number: true, cell: ({ quantity }) => quantity },
        { head: 'Taken by a', cell: ({ taker_side }) => taker_side },
        { head: 'Trade', cell: ({ trade_id }) => <Id text={trade_id} /> },
      ]}
    />
  )
}
