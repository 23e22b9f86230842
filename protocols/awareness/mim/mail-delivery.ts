// Delivers messages: a sealed copy per recipient, in its own organization's rows; all of a call or none.
import { createHash } from 'node:crypto'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { destinationOf, isGuest, type Mailbox, nameOf } from './mail-address.ts'
import { type Letter, tooLarge, type Written, writeLetter, wrong } from './mail-letter.ts'
import { fan_out_bytes_max, mailbox_bytes_max, mailbox_live_max } from './mail-limits.ts'
import { nobodyThere } from './mail-recipients.ts'
import type { Delivery, SendInput } from './mail-send-input.ts'
import { type Posted, type Posting, postMessages } from './mail-store.ts'
import { answerTask } from './tasks/answer.ts'
import { heardAt, isTopic } from './topics/address.ts'
import { noUse } from './topics/refusals.ts'
import { enterTopic } from './topics/store.ts'

const ttl_ms_default = 7 * 86_400_000
const priority_default = 4

export type SendNeed = 'mail' | 'change_notifications' | 'treaties' | 'vault'

export interface Sending {
  readonly input: SendInput
  /** For QoS 2, where the message names none. */
  readonly dedupe_id?: string | undefined
}

interface Sent {
  /** In the order of the recipients. */
  readonly deliveries: Delivery[]
  readonly size: number
}

export interface Manner {
  /** The sender may be the agent of a task, and this its answer. */
  readonly answers_tasks: boolean
  /** Which of them are nobody's and never will be; absent: all are known to exist. */
  readonly unknownAmong?: (mailboxes: readonly Mailbox[]) => Promise<ReadonlySet<string>>
  /** What a refusal of one of several says. */
  readonly refusalAt: (refusal: Refusal, place: number) => Refusal
}

export async function deliverAll(
  sendings: readonly Sending[],
  context: OperationContext<SendNeed>,
  { answers_tasks, unknownAmong, refusalAt }: Manner,
): Promise<Sent[]> {
  const prepared = await prepareAll(sendings, context, refusalAt)
  const unknown = await unknownAmong?.(prepared.flatMap(({ mailboxes }) => mailboxes))
  // Mailboxes are always locked in the same order, to avoid deadlocks.
  const copies = prepared
    .flatMap((one, place) => one.mailboxes.map((mailbox) => ({ one, place, mailbox })))
    .toSorted((a, b) => byName(a.mailbox, b.mailbox) || a.place - b.place)
  const posted = new Map<Copy, Posted>()
  if (answers_tasks)
    for (const copy of copies) {
      const answered = await answerTask(copy.one.written, context, copy.mailbox).catch(
        placing(refusalAt, copy.place),
      )
      if (answered) posted.set(copy, answered)
    }
  const mail = copies.filter((copy) => !posted.has(copy))
  for (const { one, place, mailbox } of mail)
    if (unknown?.has(mailbox.mailbox)) throw refusalAt(nobodyThere(one.input.to, mailbox.mailbox), place)
  const retentions = await enterTopics(mail, context, refusalAt)
  const postings = mail.map(({ one, mailbox }) => postingOf(one, mailbox, retentions.get(mailbox), context))
  for (const [n, one] of (await postMessages(context.db, postings)).entries()) posted.set(mail[n]!, one)
  const deliveries = prepared.map(() => new Map<string, Delivery>())
  for (const copy of copies) {
    const { outcome, kept_id: message_id, kept_seq: seq } = posted.get(copy)!
    const { mailbox, place } = copy
    if (outcome === 'full' || outcome === 'unknown') throw refusalAt(notTaken(outcome, mailbox), place)
    deliveries[place]!.set(mailbox.mailbox, {
      to: mailbox.mailbox,
      message_id,
      seq,
      duplicate: outcome === 'duplicate',
    })
  }
  const topics = new Set<string>()
  for (const [place, one] of prepared.entries()) record(context, one, deliveries[place]!, topics)
  context.afterCommit(async () => {
    for (const topic of topics) context.change_notifications.tell(topic)
  })
  return prepared.map(({ mailboxes, letter }, place) => ({
    deliveries: mailboxes.map(({ mailbox }) => deliveries[place]!.get(mailbox)!),
    size: letter.size,
  }))
}

/** A message for one of its recipients. */
interface Copy {
  readonly one: Prepared
  readonly place: number
  readonly mailbox: Mailbox
}

/** Topics before mailboxes, each of both in order; how long each topic keeps what it is sent. */
async function enterTopics(
  copies: readonly Copy[],
  { db, caller, tenant_id, now }: OperationContext<SendNeed>,
  refusalAt: Manner['refusalAt'],
): Promise<ReadonlyMap<Mailbox, number>> {
  const retentions = new Map<Mailbox, number>()
  const published = copies.filter(({ mailbox }) => isTopic(mailbox.mailbox))
  const sender = { did: caller.did, is_member: !isGuest(caller.did, tenant_id) }
  for (const [mailbox, own] of Map.groupBy(published, (copy) => copy.mailbox)) {
    const bytes = own.reduce((sum, { one }) => sum + one.letter.size, 0)
    const more = { messages: own.length, bytes, at: new Date(now) }
    const { outcome, retention_ms } = await enterTopic(db, mailbox, sender, more)
    if (outcome !== 'open') {
      const facts = { is_member: sender.is_member, what: 'publish to' } as const
      throw refusalAt(noUse(outcome, mailbox.mailbox, facts), own[0]!.place)
    }
    for (const { one, place } of own)
      if (one.times.visible_at >= endInTopic(one.input, one.times, retention_ms))
        throw refusalAt(neverDelivered(retention_ms), place)
    retentions.set(mailbox, retention_ms)
  }
  return retentions
}

interface Prepared {
  readonly input: SendInput
  readonly written: Written
  readonly letter: Letter
  readonly dedupe_id: string | undefined
  /** Lets the reader of the message verify its record in the audit log. */
  readonly salt: Buffer
  readonly times: Times
  readonly mailboxes: readonly Mailbox[]
}

async function prepareAll(
  sendings: readonly Sending[],
  context: OperationContext<SendNeed>,
  refusalAt: Manner['refusalAt'],
): Promise<Prepared[]> {
  const destinations = new Map<string, Promise<Mailbox>>()
  const prepared: Prepared[] = []
  for (const [place, sending] of sendings.entries()) {
    prepared.push(await prepare(sending, context, destinations).catch(placing(refusalAt, place)))
  }
  return prepared
}

function placing(refusalAt: Manner['refusalAt'], place: number) {
  return (error: unknown): never => {
    throw error instanceof Refusal ? refusalAt(error, place) : error
  }
}

async function prepare(
  { input, dedupe_id }: Sending,
  context: OperationContext<SendNeed>,
  destinations: Map<string, Promise<Mailbox>>,
): Promise<Prepared> {
  const { to, qos: _, ttl_ms: __, deliver_after_ms: ___, priority: ____, ...written } = input
  const addresses = [...new Set(Array.isArray(to) ? to : [to])]
  const letter = writeLetter(written as Written, context.mail.message_bytes_max)
  if (letter.size * addresses.length > fan_out_bytes_max)
    throw tooLarge(letter.size * addresses.length, fan_out_bytes_max)
  const facts = { dedupe_id: dedupeIdOf(input, dedupe_id), salt: context.vault.salt() }
  for (const address of addresses)
    if (!destinations.has(address)) destinations.set(address, destinationOf(context, address))
  const mailboxes = await Promise.all(addresses.map((address) => destinations.get(address)!))
  return { input, written: written as Written, letter, times: timesOf(input, context), mailboxes, ...facts }
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
  if (deliver_after_ms >= ttl_ms) throw neverDelivered(ttl_ms)
  const sent_ms = Date.parse(now)
  return {
    sent_at: new Date(sent_ms),
    visible_at: new Date(sent_ms + deliver_after_ms),
    expires_at: new Date(sent_ms + ttl_ms),
  }
}

function postingOf(
  { input, letter, dedupe_id, salt, times }: Prepared,
  mailbox: Mailbox,
  retention_ms: number | undefined,
  context: OperationContext<'mail'>,
): Posting {
  const vault = context.mail.vaultOf(mailbox.tenant_id)
  const message_id = context.newId()
  const blind = (kind: MailKey, word: string | undefined) =>
    word === undefined ? null : vault.blind(mailKey(kind, word))
  return {
    ...mailbox,
    ...times,
    ...(retention_ms !== undefined && { expires_at: endInTopic(input, times, retention_ms) }),
    ...vault.seal(boxName(message_id), salt.toString('base64url') + letter.text),
    message_id,
    ordering_key: blind('order', input.ordering_key),
    dedupe_key: blind('dedupe', dedupe_id),
    thread_key: blind('thread', input.thread_id),
    type_key: blind('type', input.content_type),
    qos: input.qos ?? 1,
    priority: input.priority ?? priority_default,
    sender_did: context.caller.did,
    size: letter.size,
  }
}

function neverDelivered(ttl_ms: number): Refusal {
  const message = `is not before its end after ${ttl_ms} ms; deliver it earlier`
  return wrong('/deliver_after_ms', message, 'never delivered')
}

/** A topic keeps a message no longer than it keeps any. */
function endInTopic({ ttl_ms }: SendInput, { sent_at }: Times, retention_ms: number): Date {
  return new Date(sent_at.getTime() + Math.min(ttl_ms ?? retention_ms, retention_ms))
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
  { input, mailboxes, letter, salt }: Prepared,
  deliveries: ReadonlyMap<string, Delivery>,
  topics: Set<string>,
): void {
  const commitment = createHash('sha256').update(salt).update(letter.text).digest('hex')
  const meta = { size: letter.size, qos: input.qos ?? 1, commitment }
  for (const [tenant_id, own] of Map.groupBy(mailboxes, (mailbox) => mailbox.tenant_id)) {
    const sent = own.map(({ mailbox }) => deliveries.get(mailbox)!).filter(({ duplicate }) => !duplicate)
    if (sent.length === 0) continue
    const refs = sent.map(({ message_id }) => `mim://message/${message_id}`)
    const to = sent.map((delivery) => delivery.to)
    context.audit('MessageSent', { ...meta, refs, to }, { also: [tenant_id] })
    for (const delivery of sent) topics.add(mailTopic(tenant_id, delivery.to))
  }
}

export function mailTopic(tenant_id: string, mailbox: string): string {
  return `mail/${tenant_id}/${heardAt(mailbox)}`
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
    `The message was not sent, because ${nameOf(mailbox)} is full: it holds ${mailbox_live_max} messages or ${mailbox_bytes_max} bytes. Try again when some were received.`,
    { reason: 'mailbox full', denying_policy: 'MIM mailbox quota', mailbox },
  )
}
