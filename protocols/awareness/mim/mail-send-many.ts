// MIM message_send_many: a batch in one transaction, for senders of many messages.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Address } from './mail-address.ts'
import { Delivery, deliver, SendInput, type SendNeed, tellAfterCommit } from './mail-send.ts'

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
  context: OperationContext<SendNeed>,
): Promise<Static<typeof SendManyOutput>> {
  const deliveries: Static<typeof Delivery>[] = []
  const topics = new Set<string>()
  let size = 0
  // Two batches lock their mailboxes in the same order.
  const in_order = [...messages.entries()].sort(([a, one], [b, other]) =>
    one.to < other.to ? -1 : one.to > other.to ? 1 : a - b,
  )
  for (const [place, message] of in_order) {
    const key = context.idempotency_key
    const facts = {
      answers_tasks: true,
      dedupe_id: key === undefined ? undefined : `${key}/${place}`,
      topics,
    }
    const sent = await deliver(message, context, facts).catch((error) => {
      throw error instanceof Refusal ? atPlace(error, place) : error
    })
    deliveries[place] = sent.deliveries[0]!
    size += sent.size
  }
  tellAfterCommit(context, topics)
  return { accepted_at: context.now, size, deliveries }
}

function atPlace({ code, message, details }: Refusal, place: number): Refusal {
  const faults = (details.faults ?? []) as readonly { pointer: string; message: string }[]
  return refuse(code, `Message ${place} of the batch, so that none was sent: ${message}`, {
    ...details,
    message: place,
    ...(faults.length > 0 && {
      faults: faults.map((fault) => ({ ...fault, pointer: `/messages/${place}${fault.pointer}` })),
    }),
  })
}
