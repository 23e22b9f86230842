// Input and answer of create_orders.

import { Refusal } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { OrderAnswer, orderAnswer } from './market-answers.ts'
import type { BatchAnswer } from './order-batch.ts'
import { CreateOrderInput, InstrumentName } from './order-input.ts'

/** Each is an event in two audit logs, each trade one in three, and a call may record a thousand. */
const orders_max = 100

const { instrument: _, action: __, order_id: ___, ...fields } = CreateOrderInput.properties

export const CreateOrdersInput = Closed({
  instrument: InstrumentName,
  orders: described(
    ListOf(Closed(fields), 1, orders_max),
    'Orders as in create_order; they come one after the other, in this order.',
  ),
})

export const CreateOrdersAnswer = Closed({
  results: described(
    ListOf(
      Closed({
        order: Type.Optional(described(OrderAnswer, 'The order that was taken.')),
        refused: Type.Optional(
          Closed(
            {
              code: described(
                OneOf('policy_denied', 'invalid_payload'),
                'invalid_payload: it can never be taken as it is; policy_denied: not now, or not from you.',
              ),
              reason: Type.String({ description: 'In a few fixed words.' }),
              message: Text(2_000, { description: 'What happened, and what to do.' }),
              order_id: Type.Optional(described(Uuid, 'The order that has its client_order_id already.')),
            },
            { description: 'Why it was refused; nothing of it was done, and the others are not affected.' },
          ),
        ),
      }),
      1,
      orders_max,
    ),
    'One for each order, in the same order: either order or refused.',
  ),
})

export function batchAnswer({ results, lot_size }: BatchAnswer): Static<typeof CreateOrdersAnswer> {
  return {
    results: results.map((result) => {
      if (!(result instanceof Refusal)) return { order: orderAnswer(result.order, result.trades, lot_size) }
      const { code, message, details } = result
      const { reason = code, order_id } = details as { reason?: string; order_id?: string }
      return {
        refused: {
          ...{ code: code as 'policy_denied' | 'invalid_payload', reason, message },
          ...(order_id === undefined ? {} : { order_id }),
        },
      }
    }),
  }
}
