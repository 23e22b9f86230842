// Input and output of receiving.
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Source } from './mail-address.ts'
import { ContentType, Encrypted, headers } from './mail-letter.ts'
import { delegates_max, handed_max } from './mail-limits.ts'
import { Receipt } from './mail-receipt.ts'

const hour_ms = 3_600_000
const Receipts = ListOf(Receipt, 0, handed_max)

export const ReceiveInput = Closed({
  mailbox: Type.Optional(
    described(
      Source,
      'Your own DID where absent. topic:<name>/<subscription> receives from a topic. A name that was not declared for anybody is yours once you receive from it.',
    ),
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
    described(
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
      'Messages you could not process; they are delivered again or become dead letters.',
    ),
  ),
  filter: Type.Optional(
    Closed(
      {
        thread_id: Type.Optional(Text(128, { description: 'Only messages of this conversation.' })),
        from: Type.Optional(described(Did, 'Only messages of this sender.')),
        content_type: Type.Optional(ContentType),
      },
      { description: 'Hand out only messages that match all of these.' },
    ),
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
  message_id: described(Uuid, 'Names the message.'),
  published_id: Type.Optional(
    described(Uuid, 'From a topic: names the message there, the same for all subscriptions.'),
  ),
  receipt: Type.Optional(described(Receipt, 'Absent with QoS 0 and peek: there is nothing to answer.')),
  from: described(Did, 'Who sent it.'),
  body: Type.Optional(Type.Unknown({ description: 'Content as it was sent; absent where it is encrypted.' })),
  encrypted: Type.Optional(Encrypted),
  ...headers,
  qos: Type.Integer({
    minimum: 0,
    maximum: 2,
    description: 'How it is delivered: 0 at most once, 1 at least once, 2 exactly once.',
  }),
  seq: Type.Integer({
    minimum: 1,
    description: 'Increases by one for each message of its mailbox and ordering_key.',
  }),
  attempt: Type.Integer({ minimum: 0, description: 'How often it has been handed out, this time included.' }),
  priority: Type.Integer({ minimum: 0, maximum: 9, description: 'Higher ones are delivered first.' }),
  size: Type.Integer({ minimum: 0, description: 'Bytes of the body and headers.' }),
  sent_at: described(Timestamp, 'When it was sent.'),
  expires_at: described(Timestamp, 'When it is removed if nobody received it.'),
  dead_reason: Type.Optional(
    described(
      OneOf('max_deliveries', 'rejected'),
      'Why it is a dead letter: handed out too often, or rejected by a receiver.',
    ),
  ),
  nack_reason: Type.Optional(Type.String({ description: 'Reason that its last nack gave.' })),
})
export type Message = Static<typeof Message>

export const ReceiveOutput = Closed({
  messages: described(
    ListOf(Message, 0, handed_max),
    'Messages handed out, or shown in the modes peek and dead.',
  ),
  unreleased: described(
    ListOf(
      Closed({ message_id: described(Uuid, 'The message that waits for its release.'), receipt: Receipt }),
      0,
      handed_max,
    ),
    'QoS 2: acked and not yet released, by whomever; only to be released.',
  ),
  acked: described(Receipts, 'Receipts whose ack took effect.'),
  released: described(Receipts, 'Receipts whose release took effect.'),
  nacked: described(Receipts, 'Receipts whose nack took effect.'),
  stale: described(
    ListOf(Receipt, 0, 3 * handed_max),
    'Receipts that count no more: the message was handed out again, has ended, or was not acked before release.',
  ),
  backlog: Closed(
    {
      live: Type.Integer({ minimum: 0, description: 'Unfinished messages.' }),
      dead: Type.Integer({ minimum: 0, description: 'Dead letters.' }),
      unread: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Of a subscription: messages not yet read from the topic.' }),
      ),
      missed: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Of a subscription: messages that expired, or that a full topic dropped, unread.',
        }),
      ),
    },
    { description: 'What is left in the mailbox.' },
  ),
  next_cursor: Type.Optional(
    Type.String({ description: 'Pass it as cursor to see more, in the modes peek and dead.' }),
  ),
})
export type ReceiveOutput = Static<typeof ReceiveOutput>
