// MIM topic_declare: a topic with its owner and rules; and its end.
import { isMember } from '@svc/contract/identity/member'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound } from '@svc/contract/refusal'
import { Closed, Did, described } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { enterMailbox } from '../mail-store.ts'
import { strangerOwner } from '../mailbox-declaring.ts'
import { TopicName } from './address.ts'
import { retention_ms_default, retention_ms_max, retention_ms_min } from './limits.ts'
import { notOwner } from './refusals.ts'
import { Agents, agentsShown } from './rules.ts'
import { lockTopic, removeTopicMail, saveTopic, type Topic } from './store.ts'

const Retention = Type.Integer({ minimum: retention_ms_min, maximum: retention_ms_max })

export const TopicDeclareInput = Closed({
  topic: TopicName,
  owner_did: Type.Optional(
    described(Did, 'Whose it is: an identity of your organization. Default you, or its owner until now.'),
  ),
  publishers: Type.Optional(
    described(Agents, 'Who may publish: all of your organization (default), or these and the owner.'),
  ),
  subscribers: Type.Optional(
    described(
      Agents,
      'Who may subscribe and receive: all of your organization (default), or these and the owner.',
    ),
  ),
  retention_ms: Type.Optional(
    described(
      Retention,
      'How long messages published from now on stay for late subscribers. Default 7 days.',
    ),
  ),
  closed: Type.Optional(
    Type.Boolean({ description: 'Remove the topic with its messages and all its subscriptions.' }),
  ),
})

export const TopicDeclareOutput = Closed({
  topic: TopicName,
  owner_did: described(Did, 'Whose it is.'),
  publishers: described(Agents, 'Who may publish, beside the owner.'),
  subscribers: described(Agents, 'Who may subscribe and receive, beside the owner.'),
  retention_ms: described(Retention, 'How long its messages stay.'),
  closed: Type.Boolean({ description: 'It was removed.' }),
})

/** The first to declare a topic owns it; what is not named stays as it is. */
export async function declareTopic(
  { topic, closed = false, ...input }: Static<typeof TopicDeclareInput>,
  context: OperationContext<'authority' | 'membership'>,
): Promise<Static<typeof TopicDeclareOutput>> {
  requireAtHome(context, 'topics')
  const { db, tenant_id, caller } = context
  const before =
    (await lockTopic(db, tenant_id, topic)) ?? (closed ? undefined : await openTopic(context, topic))
  if (!before) throw notFound('topic', topic)
  if (before.owner_did !== caller.did) throw notOwner('topic', topic)
  const declared = {
    topic,
    owner_did: input.owner_did ?? before.owner_did,
    publishers: input.publishers === undefined ? before.publishers : agentsOf(input.publishers),
    subscribers: input.subscribers === undefined ? before.subscribers : agentsOf(input.subscribers),
    retention_ms: input.retention_ms ?? before.retention_ms,
  }
  if (!(await isMember(declared.owner_did, context))) throw strangerOwner('topic')
  if (closed) await removeTopicMail(db, tenant_id, topic)
  else await saveTopic(db, tenant_id, declared)
  const shown = {
    ...declared,
    publishers: agentsShown(declared.publishers),
    subscribers: agentsShown(declared.subscribers),
    closed,
  }
  context.audit('TopicDeclared', shown)
  return shown
}

function agentsOf(agents: 'organization' | string[]): string[] | null {
  return agents === 'organization' ? null : [...new Set(agents)]
}

/** Another declaration may have come first while this one waited: then the topic is theirs. */
async function openTopic({ db, tenant_id, caller, now }: OperationContext, topic: string): Promise<Topic> {
  const at = new Date(now)
  const { owner_did } = await enterMailbox(db, { tenant_id, mailbox: topic, owner_did: caller.did, at })
  const opened = await lockTopic(db, tenant_id, topic)
  if (opened) return opened
  const rules = { publishers: null, subscribers: null, retention_ms: retention_ms_default }
  return { topic, owner_did, last_place: '0', ...rules }
}
