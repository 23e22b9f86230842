// MIM.list: mailboxes and their fill levels, without content.

import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { Closed, Did, described, ListOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { AnyMailbox, unowned } from './mail-address.ts'
import { type ListedMailbox, listMailboxes } from './mail-figures.ts'
import { delegates_max } from './mail-limits.ts'
import { Agents, agentsShown } from './topics/rules.ts'

const mailbox_form = /^(did:oas:[a-z0-9:-]{1,200}|(mailbox|topic):[a-z0-9._/-]{1,127})$/
const Count = Type.Integer({ minimum: 0 })

const Mailbox = Closed({
  mailbox: AnyMailbox,
  owner_did: Type.Optional(
    described(Did, 'Who owns the mailbox; absent until it is declared, or somebody receives from it.'),
  ),
  delegates: described(ListOf(Did, 0, delegates_max), 'Who else may receive from it.'),
  topic: Type.Optional(
    Closed(
      {
        publishers: Agents,
        subscribers: Agents,
        retention_ms: Type.Integer({ minimum: 0, description: 'How long it keeps a message.' }),
        subscriptions: described(Count, 'How many there are.'),
      },
      { description: 'Of a topic, for its owner and those who may subscribe.' },
    ),
  ),
  unread: Type.Optional(
    described(
      Count,
      'Of a subscription: messages not yet read from its topic, those that have ended included.',
    ),
  ),
  missed: Type.Optional(
    described(Count, 'Of a subscription: messages that expired, or that a full topic dropped, unread.'),
  ),
  opened_at: described(Timestamp, 'When it was opened.'),
  waiting: described(Count, 'Messages to be handed out, now or after their delay.'),
  in_flight: Type.Integer({
    minimum: 0,
    description: 'Delivered, and the visibility timeout has not ended.',
  }),
  unreleased: Type.Integer({ minimum: 0, description: 'QoS 2: acked and not yet released.' }),
  dead: described(Count, 'Dead letters.'),
  bytes: described(Count, 'Size of its unfinished messages and dead letters.'),
  oldest_waiting_at: Type.Optional(
    described(Timestamp, 'When the oldest waiting message was sent; absent where none waits.'),
  ),
  oldest_dead_at: Type.Optional(
    described(Timestamp, 'When the oldest dead letter was sent; absent where there is none.'),
  ),
})

export const ListInput = Closed({
  mailbox: Type.Optional(AnyMailbox),
  holding: Type.Optional(
    Type.Enum(['waiting', 'dead'], {
      description: 'Mailboxes with unfinished messages, or with dead letters.',
    }),
  ),
  ...page_fields,
})

export const ListOutput = Closed({
  items: described(
    ListOf(Mailbox, 0, page_max),
    'Mailboxes and subscriptions you may receive from, and topics you may subscribe to; charter members see all.',
  ),
  next_cursor,
})

export async function listMail(
  { mailbox, holding, ...asked }: Static<typeof ListInput>,
  context: OperationContext<'charter'>,
) {
  requireAtHome(context, 'mailboxes')
  const { db, tenant_id, caller, now } = context
  // Only those who may receive from a mailbox see its fill level, except members of the charter.
  const reader_did = (await context.charter.has(caller.did)) ? undefined : caller.did
  return listing(asked, context, {
    id_form: mailbox_form,
    read: (bounds) => listMailboxes(db, tenant_id, { ...bounds, mailbox, holding, reader_did, now }),
    placeOf: ({ opened_at, mailbox: id }) => ({ at: opened_at.toISOString(), id }),
    view: (rows) => rows.map(mailboxView),
  })
}

function mailboxView(row: ListedMailbox): Static<typeof Mailbox> {
  const { mailbox, owner_did, delegates, opened_at, live, in_flight, received, dead, bytes } = row
  const { oldest_waiting_at, oldest_dead_at, retention_ms, unread, missed } = row
  return {
    mailbox,
    ...(owner_did !== unowned && { owner_did }),
    delegates: [...delegates],
    ...(retention_ms !== null && {
      topic: {
        publishers: agentsShown(row.publishers),
        subscribers: agentsShown(row.subscribers),
        retention_ms,
        subscriptions: row.subscriptions,
      },
    }),
    ...(unread !== null && { unread }),
    ...(missed !== null && { missed }),
    opened_at: opened_at.toISOString(),
    waiting: Math.max(0, live - in_flight - received),
    in_flight,
    unreleased: received,
    dead,
    bytes: Number(bytes),
    ...(oldest_waiting_at && { oldest_waiting_at: oldest_waiting_at.toISOString() }),
    ...(oldest_dead_at && { oldest_dead_at: oldest_dead_at.toISOString() }),
  }
}
