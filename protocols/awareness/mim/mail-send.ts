// MIM message_send: a sealed copy per recipient, in its own organization's rows; all or none.
import { createHash } from 'node:crypto'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Address, destinationOf, type Mailbox } from './mail-address.ts'
import {
  type Letter,
  tooLarge,
  Written,
  type Written as WrittenLetter,
  writeLetter,
  wrong,
} from './mail-letter.ts'
import { fan_out_bytes_max, mailbox_bytes_max, mailbox_live_max, recipients_max } from './mail-limits.ts'
import { type Posted, postMessage } from './mail-store.ts'
import { answerTask } from './tasks/answer.ts'

const day_ms = 86_400_000
const ttl_ms_default = 7 * day_ms
const priority_default = 4

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
      description: 'The message expires after this time. Default 7 days.',
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
type Delivery = Static<typeof Delivery>

export type SendNeed = 'mail' | 'change_notifications' | 'treaties' | 'vault'

export function sendMessage(
  input: SendInput,
  context: OperationContext<SendNeed>,
): Promise<Static<typeof SendOutput>> {
  return deliver(input, context, { answers_tasks: true, dedupe_id: context.idempotency_key })
}

interface DeliveryFacts {
  /** The sender may be the agent of a task, and this its answer. */
  readonly answers_tasks: boolean
  /** For QoS 2, where the message names none. */
  readonly dedupe_id?: string | undefined
  /** Collects the mailboxes whose readers the caller notifies itself. */
  readonly topics?: Set<string>
}

export async function deliver(
  input: SendInput,
  context: OperationContext<SendNeed>,
  { answers_tasks, dedupe_id: dedupe_default, topics }: DeliveryFacts,
): Promise<Static<typeof SendOutput>> {
  const { to, qos: _, ttl_ms: __, deliver_after_ms: ___, priority: ____, ...written } = input
  const addresses = [...new Set(Array.isArray(to) ? to : [to])]
  const letter = writeLetter(written as WrittenLetter, context.mail.message_bytes_max)
  if (letter.size * addresses.length > fan_out_bytes_max)
    throw tooLarge(letter.size * addresses.length, fan_out_bytes_max)
  const dedupe_id = dedupeIdOf(input, dedupe_default)
  const mailboxes = await Promise.all(addresses.map((address) => destinationOf(context, address)))
  const salt = context.vault.salt()
  const common = { ...timesOf(input, context), letter, dedupe_id, salt: salt.toString('base64url') }
  // Mailboxes are always locked in the same order, to avoid deadlocks.
  const deliveries = new Map<string, Delivery>()
  for (const mailbox of mailboxes.toSorted(byName)) {
    const answered = answers_tasks ? await answerTask(written as WrittenLetter, context, mailbox) : undefined
    const posted = answered ?? (await post(input, context, mailbox, common))
    if (posted.outcome === 'full' || posted.outcome === 'unknown') throw notTaken(posted.outcome, mailbox)
    const duplicate = posted.outcome === 'duplicate'
    const { kept_id: message_id, kept_seq: seq } = posted
    deliveries.set(mailbox.mailbox, { to: mailbox.mailbox, message_id, seq, duplicate })
  }
  const commitment = createHash('sha256').update(salt).update(letter.text).digest('hex')
  record(context, mailboxes, deliveries, { size: letter.size, qos: input.qos ?? 1, commitment }, topics)
  const ordered = addresses.map((address) => deliveries.get(address)!)
  const { message_id, seq } = ordered[0]!
  const duplicate = ordered.every((delivery) => delivery.duplicate)
  return { message_id, seq, duplicate, accepted_at: context.now, size: letter.size, deliveries: ordered }
}

function byName(a: Mailbox, b: Mailbox): number {
  const [left, right] = [`${a.tenant_id} ${a.mailbox}`, `${b.tenant_id} ${b.mailbox}`]
  return left < right ? -1 : left > right ? 1 : 0
}

function dedupeIdOf({ qos, dedupe_id }: SendInput, otherwise: string | undefined): string | undefined {
  if (dedupe_id !== undefined || qos !== 2) return dedupe_id
  if (otherwise !== undefined) return otherwise
  throw wrong(
    '/dedupe_id',
    'is missing, and QoS 2 needs it; name one, or send an idempotency key',
    'dedupe_id missing',
  )
}

interface Times {
  readonly sent_at: Date
  readonly visible_at: Date
  readonly expires_at: Date
}

function timesOf(
  { ttl_ms = ttl_ms_default, deliver_after_ms = 0 }: SendInput,
  { now }: OperationContext,
): Times {
  if (deliver_after_ms >= ttl_ms)
    throw wrong(
      '/deliver_after_ms',
      `is not before its end after ${ttl_ms} ms; deliver it earlier`,
      'never delivered',
    )
  const sent_ms = Date.parse(now)
  return {
    sent_at: new Date(sent_ms),
    visible_at: new Date(sent_ms + deliver_after_ms),
    expires_at: new Date(sent_ms + ttl_ms),
  }
}

interface Common extends Times {
  readonly letter: Letter
  readonly dedupe_id: string | undefined
  /** Lets the reader of the message verify its record in the audit log. */
  readonly salt: string
}

function post(
  input: SendInput,
  context: OperationContext<'mail'>,
  mailbox: Mailbox,
  { letter, dedupe_id, salt, ...times }: Common,
): Promise<Posted> {
  const vault = context.mail.vaultOf(mailbox.tenant_id)
  const message_id = context.newId()
  const blind = (kind: MailKey, word: string | undefined) =>
    word === undefined ? null : vault.blind(mailKey(kind, word))
  return postMessage(context.db, {
    ...mailbox,
    ...times,
    ...vault.seal(boxName(message_id), salt + letter.text),
    message_id,
    ordering_key: blind('order', input.ordering_key),
    dedupe_key: blind('dedupe', dedupe_id),
    thread_key: blind('thread', input.thread_id),
    type_key: blind('type', input.content_type),
    qos: input.qos ?? 1,
    priority: input.priority ?? priority_default,
    sender_did: context.caller.did,
    size: letter.size,
  })
}

type MailKey = 'order' | 'dedupe' | 'thread' | 'type'

/** The blinded form of a header: equal values match, and nobody can read them. */
export function mailKey(kind: MailKey, word: string): string {
  return `mail ${kind} ${word}`
}

export function boxName(message_id: string): string {
  return `mail/${message_id}`
}

/** Each organization's record covers its own messages only. */
function record(
  context: OperationContext<'change_notifications'>,
  mailboxes: readonly Mailbox[],
  deliveries: ReadonlyMap<string, Delivery>,
  meta: Record<string, unknown>,
  topics?: Set<string>,
): void {
  for (const [tenant_id, own] of Map.groupBy(mailboxes, (mailbox) => mailbox.tenant_id)) {
    const sent = own.map(({ mailbox }) => deliveries.get(mailbox)!).filter(({ duplicate }) => !duplicate)
    if (sent.length === 0) continue
    const refs = sent.map(({ message_id }) => `mim://message/${message_id}`)
    const to = sent.map((delivery) => delivery.to)
    context.audit('MessageSent', { ...meta, refs, to }, { also: [tenant_id] })
    const mail_topics = sent.map((delivery) => mailTopic(tenant_id, delivery.to))
    if (topics) for (const topic of mail_topics) topics.add(topic)
    else tellAfterCommit(context, mail_topics)
  }
}

export function tellAfterCommit(
  context: OperationContext<'change_notifications'>,
  topics: Iterable<string>,
): void {
  context.afterCommit(async () => {
    for (const topic of topics) context.change_notifications.tell(topic)
  })
}

export function mailTopic(tenant_id: string, mailbox: string): string {
  return `mail/${tenant_id}/${mailbox}`
}

function notTaken(outcome: 'full' | 'unknown', { mailbox }: Mailbox): Refusal {
  if (outcome === 'unknown')
    return refuse(
      'invalid_payload',
      `There is no mailbox ${mailbox} that you may write to; check its name.`,
      {
        reason: 'not_found',
      },
    )
  return refuse(
    'policy_denied',
    `${mailbox} is full: it holds ${mailbox_live_max} messages or ${mailbox_bytes_max} bytes; wait until some are received.`,
    { reason: 'mailbox full', denying_policy: 'MIM mailbox quota' },
  )
}
