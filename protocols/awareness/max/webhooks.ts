// MAX set_webhook, list_webhooks and remove_webhook: which addresses receive events of the audit log.
import { headOf } from '@svc/audit/query/records'
import { isKnownEvent } from '@svc/contract/audit/event'
import { isWithin } from '@svc/contract/authority/attenuation'
import { type AgentCapability, capabilityFor, unexpired } from '@svc/contract/authority/capability'
import { type ListedWebhook, webhooks_max } from '@svc/contract/needs/webhooks'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const secret_bytes = 32

const Name = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
  description: 'Names the webhook within your organization.',
})
const State = described(
  OneOf('ACTIVE', 'RETRYING', 'STOPPED'),
  'RETRYING after a failure; STOPPED until it is set again.',
)

const target = {
  name: Name,
  address: Type.String({
    pattern: '^https?://[!-~]{1,2000}$',
    description:
      'Where events are posted: public and over https, or an address that the operator of this engine allows.',
  }),
  event_types: described(
    ListOf(Text(80), 1, 32),
    'Event types of the audit log that are sent, such as ApprovalRequested.',
  ),
}

export const SetWebhookInput = Closed({
  ...target,
  new_secret: Type.Optional(
    Type.Boolean({ default: false, description: 'Replaces the secret of a webhook that exists.' }),
  ),
})
export const SetWebhookOutput = Closed({
  ...target,
  secret: Type.Optional(
    Type.String({
      description: 'Verifies the signatures of its deliveries. Shown only now: when it is new or replaced.',
    }),
  ),
})

export const ListWebhooksInput = Closed({})
export const ListWebhooksOutput = Closed({
  items: described(
    ListOf(
      Closed({
        ...target,
        state: State,
        set_by: described(Did, 'Whoever set it last; it stops when they may no longer read the log.'),
        set_at: described(Timestamp, 'When it was set last.'),
        last_delivered_at: Type.Optional(described(Timestamp, 'Newest delivery that was accepted.')),
        last_failure: Type.Optional(
          Type.String({ description: 'Why the newest delivery failed, or why it was stopped.' }),
        ),
        next_attempt_at: Type.Optional(described(Timestamp, 'When a failed delivery is tried again.')),
        seconds_behind: Type.Integer({
          minimum: 0,
          description: 'Age of the oldest event that is still to be delivered; 0 where none is.',
        }),
      }),
      0,
      webhooks_max,
    ),
    'All webhooks, by name.',
  ),
})

export const RemoveWebhookInput = Closed({
  name: Name,
  reason: Type.Optional(Text(500, { description: 'Why, for the audit log.' })),
})
export const RemoveWebhookOutput = Closed({
  name: Name,
  removed_at: described(Timestamp, 'From when on nothing more is sent.'),
})

type SetContext = OperationContext<'audit_log' | 'authority' | 'webhooks'>

export async function setWebhook(input: Static<typeof SetWebhookInput>, context: SetContext) {
  const { name, new_secret = false } = input
  requireAtHome(context, 'webhooks')
  const address = requireAddress(input.address, context)
  const event_types = [...new Set(input.event_types)]
  requireEvents(event_types)
  await requireUnbounded(context)
  await requireReader(context)
  await context.audit_log.settled()
  const { webhooks, caller, tenant_id, db } = context
  const count = await webhooks.lockAndCount()
  const is_new = !(await webhooks.find(name))
  if (is_new && count >= webhooks_max) throw tooMany()
  const secret = is_new || new_secret ? newSecret(context) : undefined
  const own = { name, address: input.address, event_types, set_by: caller.did, at: new Date(context.now) }
  if (is_new) await webhooks.add({ ...own, secret: secret!, seq: (await headOf(db, tenant_id)).seq })
  else await webhooks.change({ ...own, secret })
  // Of the address only its host: the rest may hold a secret of the receiver.
  context.audit(
    'WebhookSet',
    { name, event_types, is_new, new_secret: secret !== undefined },
    { supplied: { host: address.host } },
  )
  return { name, address: input.address, event_types, ...(secret !== undefined && { secret }) }
}

export async function listWebhooks(
  _: Static<typeof ListWebhooksInput>,
  context: OperationContext<'webhooks'>,
) {
  requireAtHome(context, 'webhooks')
  const webhooks = await context.webhooks.list()
  return { items: webhooks.map((webhook) => viewOf(webhook, Date.parse(context.now))) }
}

export async function removeWebhook(
  { name, reason }: Static<typeof RemoveWebhookInput>,
  context: OperationContext<'webhooks'>,
) {
  requireAtHome(context, 'webhooks')
  if (!(await context.webhooks.find(name))) throw notFound('webhook', name)
  await context.webhooks.remove(name)
  context.audit('WebhookRemoved', { name }, { supplied: { reason } })
  return { name, removed_at: context.now }
}

function viewOf(webhook: ListedWebhook, now_ms: number) {
  const { name, address, event_types, set_by, last_failure, waiting_since, stopped_at } = webhook
  const { set_at, last_delivered_at, next_at } = webhook
  const state = stopped_at ? 'STOPPED' : last_failure === null ? 'ACTIVE' : 'RETRYING'
  const behind_ms = waiting_since ? Math.max(0, now_ms - waiting_since.getTime()) : 0
  return {
    name,
    address,
    event_types: [...event_types],
    state: state as Static<typeof State>,
    set_by,
    set_at: set_at.toISOString(),
    ...(last_delivered_at && { last_delivered_at: last_delivered_at.toISOString() }),
    ...(last_failure !== null && { last_failure }),
    ...(next_at && { next_attempt_at: next_at.toISOString() }),
    seconds_behind: Math.floor(behind_ms / 1000),
  }
}

function newSecret(context: Pick<OperationContext, 'randomBytes'>): string {
  return `whsec_${context.randomBytes(secret_bytes).toString('base64')}`
}

function tooMany() {
  return refuse(
    'policy_denied',
    `Your organization has ${webhooks_max} webhooks; remove one that is not used any more.`,
    { reason: 'too many webhooks' },
  )
}

function requireAddress(address: string, { webhooks }: Pick<SetContext, 'webhooks'>): URL {
  const url = URL.parse(address)
  if (!url || url.hash || url.username || url.password)
    throw unfitAddress('must be an https address without user or fragment', 'invalid address')
  const why_not = webhooks.whyNotTo(url)
  if (why_not === undefined) return url
  const message = `is refused (${why_not}): name a public https address, or have the operator allow its network`
  throw unfitAddress(message, 'address not allowed')
}

function unfitAddress(message: string, reason: string) {
  return refuse('invalid_payload', `The input of svc.max.set_webhook is invalid: /address ${message}.`, {
    reason,
    faults: [{ pointer: '/address', message }],
  })
}

function requireEvents(event_types: readonly string[]): void {
  const unknown = event_types.findIndex((event_type) => !isKnownEvent(event_type))
  if (unknown === -1) return
  throw refuse(
    'invalid_payload',
    `${event_types[unknown]} is no event type of the audit log; name one such as ApprovalRequested, or custom.<name>.`,
    {
      reason: 'unknown event type',
      faults: [{ pointer: `/event_types/${unknown}`, message: 'is no event type' }],
    },
  )
}

/** A webhook has no bounds of its own, so that one who has them cannot hand out more by it. */
async function requireUnbounded({ webhooks }: Pick<SetContext, 'webhooks'>): Promise<void> {
  const why_not = await webhooks.whyNot()
  if (why_not === undefined) return
  throw refuse(
    'policy_denied',
    `You cannot set a webhook with this credential: ${why_not}; sign in, or use a key without bounds.`,
    { reason: 'bounded credential' },
  )
}

/** It sends whole records, so that it is set only by whoever may read them all, at any time. */
async function requireReader({ authority, now }: Pick<SetContext, 'authority' | 'now'>): Promise<void> {
  const { held } = await authority.ofCaller()
  if (readsAll(unexpired(held, now))) return
  throw refuse(
    'policy_denied',
    `You may not read the whole audit log (${reading}), or only within bounds, so you cannot have it sent; ask an administrator.`,
    { reason: 'not a reader of the audit log' },
  )
}

const reading = capabilityFor('MAX', 'audit_query')

/** Whether these capabilities allow reading all of an organization's audit log, without bounds. */
export function readsAll(grants: readonly AgentCapability[]): boolean {
  return isWithin({ name: reading, caveats: [] }, grants)
}
