// What a subscription has not read of its topic becomes its own mail, as far as a receiver needs it now.
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { isGuest, type Mailbox } from '../mail-address.ts'
import { boxName } from '../mail-delivery.ts'
import { postMessages, type Taken, type Taking, takeMessages } from '../mail-store.ts'
import { read_more, reads_max } from './limits.ts'
import { noUse } from './refusals.ts'
import { lockSubscription, readTopic, type Subscription } from './store.ts'

type Context = Pick<OperationContext<'vault'>, 'caller' | 'vault' | 'newId'>

/** Reads on until there is something to hand out: the first messages may all wait behind others of their order. */
export async function takeFromTopic(db: Database, context: Context, taking: Taking): Promise<Taken> {
  const { tenant_id, mailbox, at } = taking
  // Before anything is read: each message that is read is opened and sealed again.
  const group = await lockSubscription(db, tenant_id, mailbox)
  if (group && !isReceiver(group, taking)) return { ...nothing, refused: 'denied' }
  const read = (count: number) => readOn(db, context, { tenant_id, mailbox }, { count, at })
  await read(taking.mode === 'dead' ? 0 : taking.max)
  let taken = await takeMessages(db, taking)
  const { answered } = taken
  const isOver = () => taking.mode !== 'live' || taken.refused !== undefined || taken.messages.length > 0
  for (let reads = 1; reads < reads_max && !isOver(); reads++) {
    if ((await read(Math.max(taking.max, read_more))) === 0) break
    taken = await takeMessages(db, { ...taking, answers: [], delegates: null })
  }
  const subscription = await lockSubscription(db, tenant_id, mailbox)
  const topic = subscription && { unread: subscription.unread, missed: subscription.missed }
  return { ...taken, answered, ...(topic && { topic }) }
}

const nothing: Taken = {
  ...{ messages: [], unreleased: [], answered: new Map() },
  ...{ live: 0, dead: 0, next_at: null },
}

/** As svc_mail_receive judges it: a call that names consumers is for the owner alone. */
function isReceiver({ owner_did, consumers }: Subscription, { caller_did, delegates }: Taking): boolean {
  return caller_did === owner_did || (delegates === null && consumers.includes(caller_did))
}

/** Each copy has a key of its own, and ends on its own. Returns how many were read. */
async function readOn(
  db: Database,
  context: Context,
  { tenant_id, mailbox }: Pick<Mailbox, 'tenant_id' | 'mailbox'>,
  { count, at }: { readonly count: number; readonly at: Date },
): Promise<number> {
  const { caller, vault } = context
  const is_member = !isGuest(caller.did, tenant_id)
  const rows = await readTopic(db, { tenant_id, mailbox }, { did: caller.did, is_member }, count, at)
  const postings = rows.map(({ kind, sealed, wrapped_key, message_id: published_id, ...row }) => {
    if (kind !== 'message') throw noUse(kind, mailbox, { is_member, what: 'receive from' })
    const message_id = context.newId()
    const plain = vault.open(boxName(published_id), { sealed, wrapped_key })
    return {
      ...row,
      ...vault.seal(boxName(message_id), plain),
      tenant_id,
      mailbox,
      owner_did: null,
      message_id,
      // Names the message as it was published, and keeps a second copy out.
      dedupe_key: published_id,
    }
  })
  await postMessages(db, postings, at)
  return rows.length
}
