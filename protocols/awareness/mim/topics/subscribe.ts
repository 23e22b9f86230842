// MIM topic_subscribe and topic_unsubscribe: a place to receive a topic's messages from, alone or as a group.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { isGuest } from '../mail-address.ts'
import { delegates_max } from '../mail-limits.ts'
import { changeMailbox, enterMailbox } from '../mail-store.ts'
import { SubscriptionName, topicOf } from './address.ts'
import { subscriptions_max } from './limits.ts'
import { notOwner, noUse } from './refusals.ts'
import {
  countSubscriptions,
  insertSubscription,
  lockSubscription,
  lockTopic,
  removeTopicMail,
  type Topic,
} from './store.ts'

const Consumers = ListOf(Did, 0, delegates_max)

export const SubscribeInput = Closed({
  subscription: SubscriptionName,
  from: Type.Optional(
    Type.Enum(['now', 'earliest'], {
      description:
        'Where a new subscription begins: with the next message (default), or the earliest that is stored.',
    }),
  ),
  consumers: Type.Optional(
    described(
      Consumers,
      'Who else receives from it: one of the group gets each message. Absent: as before; of a new one nobody.',
    ),
  ),
})

export const SubscribeOutput = Closed({
  subscription: SubscriptionName,
  owner_did: described(Did, 'Whose it is: who made it.'),
  consumers: described(Consumers, 'Who else receives from it.'),
  created: Type.Boolean({ description: 'It is new; otherwise it goes on from where it was.' }),
  unread: Type.Integer({ minimum: 0, description: 'Messages of the topic that it has not read yet.' }),
  missed: Type.Integer({
    minimum: 0,
    description: 'Messages that expired, or that a full topic dropped, before they were read here.',
  }),
})

/** Again by its owner: only the consumers change. */
export async function subscribe(
  { subscription, from = 'now', consumers }: Static<typeof SubscribeInput>,
  context: OperationContext,
): Promise<Static<typeof SubscribeOutput>> {
  const { db, tenant_id, caller } = context
  const topic = await lockTopic(db, tenant_id, topicOf(subscription))
  const is_member = !isGuest(caller.did, tenant_id)
  const outcome = topic ? (maySubscribe(topic, caller.did, is_member) ? undefined : 'denied') : 'unknown'
  if (outcome) throw noUse(outcome, topicOf(subscription), { is_member, what: 'receive from' })
  const before = await lockSubscription(db, tenant_id, subscription)
  if (before && before.owner_did !== caller.did) throw notOwner('subscription', subscription)
  const at = new Date(context.now)
  if (!before) {
    if ((await countSubscriptions(db, tenant_id, topic!.topic)) >= subscriptions_max) throw tooMany(topic!)
    await enterMailbox(db, { tenant_id, mailbox: subscription, owner_did: caller.did, at })
    await insertSubscription(db, tenant_id, { mailbox: subscription, topic: topic!.topic, from, at })
  }
  const owner_did = caller.did
  if (consumers)
    await changeMailbox(db, tenant_id, {
      mailbox: subscription,
      owner_did,
      delegates: [...new Set(consumers)],
    })
  const { unread, missed, ...now } = (await lockSubscription(db, tenant_id, subscription))!
  const created = before === undefined
  if (created || consumers)
    context.audit('TopicSubscribed', { subscription, owner_did, consumers: now.consumers, created, from })
  return { subscription, owner_did, consumers: now.consumers, created, unread, missed }
}

function maySubscribe({ owner_did, subscribers }: Topic, did: string, is_member: boolean): boolean {
  return did === owner_did || (subscribers === null ? is_member : subscribers.includes(did))
}

export const UnsubscribeInput = Closed({ subscription: SubscriptionName })
export const UnsubscribeOutput = Closed({
  subscription: SubscriptionName,
  unread: Type.Integer({ minimum: 0, description: 'Messages of the topic that it had not read.' }),
})

/** By its owner, or that of the topic. Receipts of it are stale from then on. */
export async function unsubscribe(
  { subscription }: Static<typeof UnsubscribeInput>,
  context: OperationContext,
): Promise<Static<typeof UnsubscribeOutput>> {
  const { db, tenant_id, caller } = context
  const topic = await lockTopic(db, tenant_id, topicOf(subscription))
  const before = topic && (await lockSubscription(db, tenant_id, subscription))
  const is_theirs = before?.owner_did === caller.did || topic?.owner_did === caller.did
  if (!before || (!is_theirs && isGuest(caller.did, tenant_id))) throw notFound('subscription', subscription)
  if (!is_theirs) throw notOwner('subscription', subscription)
  await removeTopicMail(db, tenant_id, subscription)
  context.audit('TopicUnsubscribed', { subscription, owner_did: before.owner_did })
  return { subscription, unread: before.unread }
}

function tooMany({ topic }: Topic): Refusal {
  return refuse(
    'policy_denied',
    `${topic} has ${subscriptions_max} subscriptions, the most there may be; end one with MIM topic_unsubscribe first.`,
    { reason: 'too many subscriptions', subscriptions_max },
  )
}
