// MIM message_send: a sealed copy per recipient, in its own organization's rows; all or none.
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Address } from './mail-address.ts'
import { deliverAll, type Sending, type SendNeed } from './mail-delivery.ts'
import { Written } from './mail-letter.ts'
import { recipients_max } from './mail-limits.ts'

const day_ms = 86_400_000

export const SendInput = Closed({
  to: Type.Union([Address, ListOf(Address, 1, recipients_max)], {
    description: 'Where it goes; each recipient of a list gets a message of its own.',
  }),
  ...Written.properties,
  qos: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2,
      description:
        '0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once.',
    }),
  ),
  ttl_ms: Type.Optional(
    Type.Integer({
      minimum: 1000,
      maximum: 30 * day_ms,
      description:
        'The message expires after this time. Default 7 days; in a topic at most as long as it keeps any.',
    }),
  ),
  deliver_after_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7 * day_ms,
      description: 'The message is not handed out before this time has passed. Default 0.',
    }),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9,
      description: 'Higher is delivered first. Default 4. Within an ordering_key the order counts instead.',
    }),
  ),
})
export type SendInput = Static<typeof SendInput>

export const Delivery = Closed({
  to: Address,
  message_id: described(Uuid, 'Names the message in this mailbox.'),
  seq: Type.Integer({
    minimum: 1,
    description: 'Increases by one for each message of its mailbox and ordering_key.',
  }),
  duplicate: Type.Boolean({ description: 'It was sent before and was not sent again.' }),
})

export type Delivery = Static<typeof Delivery>

export const SendOutput = Closed({
  message_id: described(Uuid, 'Names the message, for the first recipient.'),
  seq: Type.Integer({
    minimum: 1,
    description: 'Place in its mailbox and ordering_key, for the first recipient.',
  }),
  duplicate: Type.Boolean({ description: 'The first recipient had it before; it was not sent again.' }),
  accepted_at: described(Timestamp, 'When the engine took it.'),
  size: Type.Integer({
    minimum: 0,
    description: 'Bytes of JCS(body), and of the names and values of the headers that were given.',
  }),
  deliveries: described(ListOf(Delivery, 1, recipients_max), 'One for each recipient, in the order given.'),
})

export function sendMessage(
  input: SendInput,
  context: OperationContext<SendNeed>,
): Promise<Static<typeof SendOutput>> {
  return deliver({ input, dedupe_id: context.idempotency_key }, context)
}

/** One message. An answer of a task is no answer again. */
export async function deliver(
  sending: Sending,
  context: OperationContext<SendNeed>,
  answers_tasks = true,
): Promise<Static<typeof SendOutput>> {
  const [sent] = await deliverAll([sending], context, { answers_tasks, refusalAt: (refusal) => refusal })
  const { deliveries, size } = sent!
  const { message_id, seq } = deliveries[0]!
  const duplicate = deliveries.every((delivery) => delivery.duplicate)
  return { message_id, seq, duplicate, accepted_at: context.now, size, deliveries }
}
