// MIM message_send_many: a batch in one transaction, for senders of many messages.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Address } from './mail-address.ts'
import { deliverAll, type SendNeed } from './mail-delivery.ts'
import { type RecipientNeed, unknownAmong } from './mail-recipients.ts'
import { Delivery, SendInput } from './mail-send-input.ts'

const messages_max = 100

export const SendManyInput = Closed({
  messages: described(
    ListOf(
      Closed({ ...SendInput.properties, to: { ...Address, description: 'Where it goes: one recipient.' } }),
      1,
      messages_max,
    ),
    'As message_send takes them. In one mailbox they keep this order.',
  ),
})
export const SendManyOutput = Closed({
  accepted_at: described(Timestamp, 'When the engine took them.'),
  size: Type.Integer({ minimum: 0, description: 'Bytes of all of them, as message_send counts.' }),
  deliveries: described(ListOf(Delivery, 1, messages_max), 'One for each message, in the order given.'),
})

/** All or none: a refusal says which message it is about. */
export async function sendMany(
  { messages }: Static<typeof SendManyInput>,
  context: OperationContext<SendNeed | RecipientNeed>,
): Promise<Static<typeof SendManyOutput>> {
  const key = context.idempotency_key
  const sendings = messages.map((input, place) => ({
    input,
    dedupe_id: key === undefined ? undefined : `${key}/${place}`,
  }))
  const sent = await deliverAll(sendings, context, {
    answers_tasks: true,
    unknownAmong: (mailboxes) => unknownAmong(mailboxes, context),
    refusalAt,
  })
  const deliveries = sent.map(({ deliveries: [delivery] }) => delivery!)
  return { accepted_at: context.now, size: sent.reduce((sum, { size }) => sum + size, 0), deliveries }
}

function refusalAt({ code, message, details }: Refusal, place: number): Refusal {
  const faults = (details.faults ?? []) as readonly { pointer: string; message: string }[]
  return refuse(code, `Message ${place} of the batch, so that none was sent: ${message}`, {
    ...details,
    message: place,
    ...(faults.length > 0 && {
      faults: faults.map((fault) => ({ ...fault, pointer: `/messages/${place}${fault.pointer}` })),
    }),
  })
}
