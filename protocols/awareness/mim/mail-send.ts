// MIM message_send: a sealed copy per recipient, in its own organization's rows; all or none.
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { deliverAll, type Manner, type Sending, type SendNeed } from './mail-delivery.ts'
import { recipients_max } from './mail-limits.ts'
import { type RecipientNeed, unknownAmong } from './mail-recipients.ts'
import { Delivery, type SendInput } from './mail-send-input.ts'

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
  context: OperationContext<SendNeed | RecipientNeed>,
): Promise<Static<typeof SendOutput>> {
  return sendOne({ input, dedupe_id: context.idempotency_key }, context, {
    answers_tasks: true,
    unknownAmong: (mailboxes) => unknownAmong(mailboxes, context),
  })
}

/** About a task, to its agent, who exists: never itself the answer of a task. */
export function deliver(
  sending: Sending,
  context: OperationContext<SendNeed>,
): Promise<Static<typeof SendOutput>> {
  return sendOne(sending, context, { answers_tasks: false })
}

async function sendOne(
  sending: Sending,
  context: OperationContext<SendNeed>,
  manner: Omit<Manner, 'refusalAt'>,
): Promise<Static<typeof SendOutput>> {
  const [sent] = await deliverAll([sending], context, { ...manner, refusalAt: (refusal) => refusal })
  const { deliveries, size } = sent!
  const { message_id, seq } = deliveries[0]!
  const duplicate = deliveries.every((delivery) => delivery.duplicate)
  return { message_id, seq, duplicate, accepted_at: context.now, size, deliveries }
}
