// MIM message_receive: applies answers and delivers messages in one transaction; holds none while waiting.

import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { isGuest, type Mailbox, nameOf, sourceOf } from './mail-address.ts'
import { boxName, mailKey, mailTopic } from './mail-delivery.ts'
import { readReceipt, receiptFor } from './mail-receipt.ts'
import type { Message, ReceiveInput, ReceiveOutput } from './mail-receive-input.ts'
import { type Answered, type MessageRow, type Taken, type Taking, takeMessages } from './mail-store.ts'
import { isSubscription } from './topics/address.ts'
import { takeFromTopic } from './topics/read.ts'

const max_default = 10
const visibility_ms_default = 30_000
/** Change notifications may be lost, so waiting also polls. */
const look_again_ms = 5_000
const looks_max = 10_000
const salt_chars = 22

export async function receiveMessages(
  input: ReceiveInput,
  context: OperationContext<'mail' | 'change_notifications' | 'treaties' | 'vault'>,
): Promise<ReceiveOutput> {
  const mailbox = sourceOf(context, input.mailbox ?? context.caller.did)
  const answers = answersOf(input, context)
  const taking = takingOf(input, context, mailbox, answers.valid)
  const taken =
    context.idempotency_key === undefined
      ? await takeOrWait(input.wait_ms ?? 0, context, taking)
      : await takeOnce(context, taking)
  context.metadata.handed = taken.messages.map(({ message_id }) => `mim://message/${message_id}`)
  const outcome = answers.all.map(({ n }) => taken.answered.get(n) ?? 'stale')
  const receiptsThat = (kind: string) => [
    ...new Set(answers.all.filter(({ n }) => outcome[n] === kind).map(({ receipt }) => receipt)),
  ]
  const shown = taken.messages.map((row) => showMessage(context.vault, row, taking))
  const last = taken.messages.at(-1)
  return {
    messages: shown,
    unreleased: taken.unreleased.map(({ message_id, attempt }) => ({
      message_id,
      receipt: receiptFor(context.vault, { message_id, attempt }),
    })),
    acked: receiptsThat('ack'),
    released: receiptsThat('release'),
    nacked: receiptsThat('nack'),
    stale: receiptsThat('stale'),
    backlog: { live: taken.live, dead: taken.dead, ...taken.topic },
    ...(taking.mode !== 'live' && last && { next_cursor: last.place }),
  }
}

interface Answers {
  readonly all: readonly { readonly n: number; readonly receipt: string }[]
  readonly valid: readonly Answered[]
}

/** In the order they apply: one call may ack a message and then release it. */
function answersOf(
  { ack = [], release = [], nack = [] }: ReceiveInput,
  { vault, now }: OperationContext<'vault'>,
): Answers {
  const answers = [
    ...ack.map((receipt) => ({ kind: 'ack' as const, receipt })),
    ...release.map((receipt) => ({ kind: 'release' as const, receipt })),
    ...nack.map((one) => ({ kind: 'nack' as const, ...one })),
  ]
  const valid = answers.flatMap((answer, n): Answered[] => {
    const handed = readReceipt(vault, answer.receipt)
    if (!handed) return []
    const { message_id: id, attempt } = handed
    if (answer.kind !== 'nack') return [{ n, kind: answer.kind, id, attempt }]
    const { delay_ms = 0, dead = false, reason } = answer as NonNullable<ReceiveInput['nack']>[number]
    const note = reason === undefined ? undefined : vault.seal(noteName(id), reason)
    return [
      {
        n,
        kind: 'nack',
        id,
        attempt,
        until: new Date(Date.parse(now) + delay_ms).toISOString(),
        dead,
        ...(note && { note: note.sealed.toString('base64'), note_key: note.wrapped_key.toString('base64') }),
      },
    ]
  })
  return { all: answers.map(({ receipt }, n) => ({ n, receipt })), valid }
}

function noteName(message_id: string): string {
  return `mail note/${message_id}`
}

function takingOf(
  { max = max_default, mode = 'live', filter = {}, delegates, cursor = '0', ...input }: ReceiveInput,
  { vault, caller, now }: OperationContext<'vault'>,
  mailbox: Mailbox,
  answers: readonly Answered[],
): Timeless {
  const { thread_id, from, content_type } = filter
  return {
    ...mailbox,
    caller_did: caller.did,
    delegates: delegates ? [...new Set(delegates)] : null,
    answers,
    mode,
    max,
    after_place: Number(cursor),
    thread_key: thread_id === undefined ? null : vault.blind(mailKey('thread', thread_id)),
    sender_did: from ?? null,
    type_key: content_type === undefined ? null : vault.blind(mailKey('type', content_type)),
    now_ms: Date.parse(now),
    visibility_ms: input.visibility_timeout_ms ?? visibility_ms_default,
  }
}

interface Timeless extends Omit<Taking, 'at' | 'until'> {
  readonly now_ms: number
  readonly visibility_ms: number
}

function atTime(taking: Timeless, now_ms: number): Taking {
  return { ...taking, at: new Date(now_ms), until: new Date(now_ms + taking.visibility_ms) }
}

/** Runs in the transaction already open for the idempotent answer, so it must not wait. */
async function takeOnce(
  context: OperationContext<'change_notifications' | 'vault'>,
  taking: Timeless,
): Promise<Taken> {
  const taken = requireAllowed(await take(context.db, context, atTime(taking, taking.now_ms)), taking)
  context.afterCommit(async () => tellOthers(context, taking))
  return taken
}

/** Each attempt is its own transaction: answers are committed before any waiting. */
async function takeOrWait(
  wait_ms: number,
  context: OperationContext<'mail' | 'change_notifications' | 'vault'>,
  taking: Timeless,
): Promise<Taken> {
  const look = (request: Timeless, now_ms: number) =>
    context.apart(async ({ db }) => requireAllowed(await take(db, context, atTime(request, now_ms)), request))
  const leave = wait_ms > 0 && taking.mode === 'live' ? context.mail.wait(taking.tenant_id) : undefined
  if (!leave) {
    const taken = await look(taking, taking.now_ms)
    tellOthers(context, taking)
    return taken
  }
  const listening = context.change_notifications.listen(mailTopic(taking.tenant_id, taking.mailbox))
  try {
    const first = await look(taking, taking.now_ms)
    tellOthers(context, taking)
    const again = { ...taking, answers: [], delegates: null }
    let last = first
    for (let looks = 1; last.messages.length === 0 && looks < looks_max; looks++) {
      const waited_ms = listening.elapsed_ms()
      if (waited_ms >= wait_ms) break
      await listening.wait(pauseFor(last, wait_ms - waited_ms, taking.now_ms + waited_ms), context.signal)
      // The caller has gone.
      if (context.signal.aborted) break
      last = await look(again, taking.now_ms + Math.floor(listening.elapsed_ms()))
    }
    return { ...last, answered: first.answered }
  } finally {
    listening.close()
    leave()
  }
}

function take(db: Database, context: OperationContext<'vault'>, taking: Taking): Promise<Taken> {
  return isSubscription(taking.mailbox) ? takeFromTopic(db, context, taking) : takeMessages(db, taking)
}

function pauseFor({ next_at }: Taken, left_ms: number, now_ms: number): number {
  const due_ms = next_at ? Math.max(1, next_at.getTime() - now_ms) : look_again_ms
  return Math.min(left_ms, look_again_ms, due_ms)
}

/** An answer may unblock the next message for another receiver. */
function tellOthers(
  { change_notifications }: OperationContext<'change_notifications'>,
  { answers, tenant_id, mailbox }: Timeless,
): void {
  if (answers.length > 0) change_notifications.tell(mailTopic(tenant_id, mailbox))
}

function requireAllowed(taken: Taken, { tenant_id, mailbox, caller_did, delegates }: Timeless): Taken {
  if (!taken.refused) return taken
  // A guest does not learn which mailboxes exist.
  if (taken.refused === 'unknown' || isGuest(caller_did, tenant_id))
    throw notFound(isSubscription(mailbox) ? 'subscription' : 'mailbox', mailbox)
  throw notYours(mailbox, delegates !== null)
}

function notYours(mailbox: string, delegating: boolean): Refusal {
  const name = nameOf(mailbox)
  const named_in = isSubscription(mailbox) ? 'in consumers' : 'in delegates'
  return refuse(
    'policy_denied',
    delegating
      ? `Only the owner of ${name} says who else receives from it, and you are not the owner; ask the owner.`
      : `You neither own ${name} nor may receive from it; ask the owner to name you ${named_in}.`,
    { reason: 'not the owner of the mailbox', denying_policy: 'MIM mailbox owner' },
  )
}

function showMessage(vault: Vault, row: MessageRow, { mode, mailbox }: Timeless): Message {
  const is_published = isSubscription(mailbox)
  const { message_id, attempt, qos, note_sealed, note_key, sealed, wrapped_key } = row
  const text = vault.open(boxName(message_id), { sealed, wrapped_key }).subarray(salt_chars).toString()
  const answerable = mode === 'dead' || (mode === 'live' && qos > 0)
  const nack_reason =
    note_sealed &&
    note_key &&
    vault.open(noteName(message_id), { sealed: note_sealed, wrapped_key: note_key }).toString()
  return {
    ...JSON.parse(text),
    message_id,
    ...(is_published && { published_id: row.dedupe_key! }),
    ...(answerable && { receipt: receiptFor(vault, { message_id, attempt }) }),
    from: row.sender_did,
    qos,
    seq: Number(row.seq),
    attempt,
    priority: row.priority,
    size: row.size,
    sent_at: row.sent_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    ...(row.dead_reason !== null && { dead_reason: row.dead_reason as Message['dead_reason'] }),
    ...(nack_reason !== null && { nack_reason }),
  }
}
