// Input and output of receiving.
import { Closed, Did, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Address } from './mail-address.ts'
import { ContentType, Encrypted, headers } from './mail-letter.ts'
import { delegates_max, handed_max } from './mail-limits.ts'
import { Receipt } from './mail-receipt.ts'

const hour_ms = 3_600_000
const Receipts = ListOf(Receipt, 0, handed_max)
const described = <Schema extends object>(schema: Schema, description: string): Schema => ({
  ...schema,
  description,
})

export const ReceiveInput = Closed({
  mailbox: Type.Optional(
    described(Address, 'Your own DID where absent. Whoever first uses a name owns that mailbox.'),
  ),
  max: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: handed_max,
      description: 'The most messages to return, 5 MiB in all. Default 10.',
    }),
  ),
  wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 20_000,
      description: 'How long to wait for the first message; a call with an idempotency key does not wait.',
    }),
  ),
  visibility_timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 1000,
      maximum: 12 * hour_ms,
      description:
        'How long these messages stay hidden from others before they are delivered again. Default 30000.',
    }),
  ),
  ack: Type.Optional(described(Receipts, 'Taken. QoS 2: it is yours now, and is never handed out again.')),
  release: Type.Optional(described(Receipts, 'QoS 2: done with; after ack, and as often as you like.')),
  nack: Type.Optional(
    ListOf(
      Closed({
        receipt: Receipt,
        delay_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 12 * hour_ms,
            description: 'Delay before it is delivered again. Default 0.',
          }),
        ),
        dead: Type.Optional(Type.Boolean({ description: 'Move it to the dead letters now.' })),
        reason: Type.Optional(Text(512, { description: 'Shown beside the dead letter.' })),
      }),
      0,
      handed_max,
    ),
  ),
  filter: Type.Optional(
    Closed({
      thread_id: Type.Optional(Text(128)),
      from: Type.Optional(Did),
      content_type: Type.Optional(ContentType),
    }),
  ),
  mode: Type.Optional(
    Type.Enum(['live', 'dead', 'peek'], {
      description:
        'live hands out; peek only shows; dead shows dead letters, which nack puts back to the end and ack removes.',
    }),
  ),
  delegates: Type.Optional(
    described(ListOf(Did, 0, delegates_max), 'By the owner: who else may receive here, from now on.'),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,15}$',
      description: 'In the modes peek and dead: continue after this place.',
    }),
  ),
})
export type ReceiveInput = Static<typeof ReceiveInput>

const Message = Closed({
  message_id: Uuid,
  receipt: Type.Optional(described(Receipt, 'Absent with QoS 0 and peek: there is nothing to answer.')),
  from: Did,
  body: Type.Optional(Type.Unknown()),
  encrypted: Type.Optional(Encrypted),
  ...headers,
  qos: Type.Integer({ minimum: 0, maximum: 2 }),
  seq: Type.Integer({ minimum: 1 }),
  attempt: Type.Integer({ minimum: 0 }),
  priority: Type.Integer({ minimum: 0, maximum: 9 }),
  size: Type.Integer({ minimum: 0 }),
  sent_at: Timestamp,
  expires_at: Timestamp,
  dead_reason: Type.Optional(OneOf('max_deliveries', 'rejected')),
  nack_reason: Type.Optional(Type.String()),
})
export type Message = Static<typeof Message>

export const ReceiveOutput = Closed({
  messages: ListOf(Message, 0, handed_max),
  unreleased: described(
    ListOf(Closed({ message_id: Uuid, receipt: Receipt }), 0, handed_max),
    'QoS 2: acked and not yet released, by whomever; only to be released.',
  ),
  acked: Receipts,
  released: Receipts,
  nacked: Receipts,
  stale: described(
    ListOf(Receipt, 0, 3 * handed_max),
    'Receipts that count no more: the message was handed out again, has ended, or was not acked before release.',
  ),
  backlog: Closed({ live: Type.Integer({ minimum: 0 }), dead: Type.Integer({ minimum: 0 }) }),
  next_cursor: Type.Optional(Type.String()),
})
export type ReceiveOutput = Static<typeof ReceiveOutput>
