// Resolves a recipient: an identity, which has its own mailbox, or a named mailbox of this organization.
import { did_pattern, parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Type } from 'typebox'
import { isSubscription, isTopic, subscription_form, topic_form } from './topics/address.ts'

const did = did_pattern.slice(1, -1)

const name = 'mailbox:[a-z0-9][a-z0-9._-]{0,62}'
export const MailboxName = Type.String({
  pattern: `^${name}$`,
  description: 'mailbox:<name>, a mailbox of your organization.',
})
export const Address = Type.String({
  pattern: `^(?:${did}|${name}|${topic_form})$`,
  description:
    'A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name.',
})
export const Source = Type.String({
  pattern: `^(?:${did}|${name}|${subscription_form})$`,
  description: 'A DID, mailbox:<name>, or topic:<name>/<subscription>.',
})
/** Whatever holds messages. */
export const AnyMailbox = Type.String({
  pattern: `^(?:${did}|${name}|${topic_form}|${subscription_form})$`,
  description: 'A DID, mailbox:<name>, topic:<name>, or topic:<name>/<subscription>.',
})

export interface Mailbox {
  readonly tenant_id: string
  readonly mailbox: string
  /** Whose the mailbox becomes if it is nobody's: '' leaves it so; null if the caller may not create one. */
  readonly owner_did: string | null
}

type Caller = Pick<OperationContext<'treaties'>, 'tenant_id' | 'caller' | 'treaties' | 'now'>

/** Resolves where to send. In another organization only identities have mailboxes, and only by treaty. */
export async function destinationOf(context: Caller, address: string): Promise<Mailbox> {
  const named = parseDid(address)
  // Topics are declared: sending opens none.
  if (isTopic(address)) return { tenant_id: context.tenant_id, mailbox: address, owner_did: null }
  if (!named) {
    const mailbox = ownNamed(context, address)
    return mailbox.owner_did === null ? mailbox : { ...mailbox, owner_did: unowned }
  }
  const { namespace: tenant_id } = named
  if (tenant_id !== context.tenant_id) await requireTreaty(context, tenant_id)
  return { tenant_id, mailbox: address, owner_did: address }
}

/** Receiving is local only: another organization's mailbox is treated as missing. */
export function sourceOf(context: Caller, address: string): Mailbox {
  const named = parseDid(address)
  if (isSubscription(address)) return { tenant_id: context.tenant_id, mailbox: address, owner_did: null }
  if (!named) return ownNamed(context, address)
  if (named.namespace !== context.tenant_id) throw notFound('mailbox', address)
  return { tenant_id: context.tenant_id, mailbox: address, owner_did: address }
}

/** Of a mailbox that nobody has declared or received from: whoever sends there does not own it. */
export const unowned = ''

/** The first member to receive under a name owns the mailbox, unless it was declared; a guest cannot own one. */
function ownNamed({ tenant_id, caller }: Caller, mailbox: string): Mailbox {
  return { tenant_id, mailbox, owner_did: isGuest(caller.did, tenant_id) ? null : caller.did }
}

export function isGuest(did: string, tenant_id: string): boolean {
  return parseDid(did)?.namespace !== tenant_id
}

/** As a sentence names it: nobody reads a DID. */
export function nameOf(mailbox: string): string {
  return parseDid(mailbox) ? 'this mailbox' : mailbox
}

const capability = 'svc.mim.message_send'

async function requireTreaty(context: Caller, to_tenant: string): Promise<void> {
  const from_tenant = parseDid(context.caller.did)?.namespace ?? ''
  if (from_tenant !== context.tenant_id) throw asGuest(from_tenant, context.tenant_id)
  const at_ms = Date.parse(context.now)
  const { active, reason, treaty } = await context.treaties.judge({
    from_tenant,
    to_tenant,
    capability,
    at_ms,
  })
  if (!active) throw noTreaty(from_tenant, reason ?? 'no active treaty', treaty?.id)
}

/** A guest sends only to its host's mailboxes from here; to all others from its home tenant. */
function asGuest(from_tenant: string, host_tenant: string): Refusal {
  return refuse(
    'capability_denied',
    `As a guest of ${host_tenant} you can write to its mailboxes only; send to others from your own organization, ${from_tenant}.`,
    { requested_capability: capability, reason: 'guest of the tenant' },
  )
}

/** Does not reveal whether the organization or the identity exists. */
export function noTreaty(from_tenant: string, reason: string, denying_policy?: string): Refusal {
  const none = reason === 'no active treaty'
  return refuse(
    'capability_denied',
    none
      ? `Tenant ${from_tenant} has no active treaty with the organization written to; propose one with MOAT propose.`
      : `${capability} is not open to tenant ${from_tenant} there: ${reason}; look with MOAT compliance_query, or amend the treaty.`,
    {
      requested_capability: capability,
      reason,
      ...(denying_policy !== undefined && { denying_policy }),
      appeal_path: none ? 'MOAT propose' : 'MOAT propose_amendment',
    },
  )
}
