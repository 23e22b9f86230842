// MIM mailbox_declare: whose a mailbox with a name is, before anybody uses it.
import { isMember } from '@svc/contract/identity/member'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { MailboxName, unowned } from './mail-address.ts'
import { delegates_max } from './mail-limits.ts'
import { changeMailbox, enterMailbox, lockMailbox } from './mail-store.ts'

const Delegates = ListOf(Did, 0, delegates_max)

export const DeclareInput = Closed({
  mailbox: MailboxName,
  owner_did: Type.Optional(described(Did, 'Whose it is: an identity of your organization. Default you.')),
  delegates: Type.Optional(
    described(Delegates, 'Who else may receive from it, from now on. Absent: as before.'),
  ),
})
export const DeclareOutput = Closed({
  mailbox: MailboxName,
  owner_did: described(Did, 'Whose it is.'),
  delegates: described(Delegates, 'Who else may receive from it.'),
})

/** What is nobody's yet may be declared for anybody, with what waits in it; after that only its owner changes it. */
export async function declareMailbox(
  input: Static<typeof DeclareInput>,
  context: OperationContext<'authority' | 'membership'>,
): Promise<Static<typeof DeclareOutput>> {
  requireAtHome(context, 'mailboxes')
  const { db, tenant_id, caller } = context
  const { mailbox, owner_did = caller.did } = input
  if (!(await isMember(owner_did, context))) throw strangerOwner('mailbox')
  const before = await lockMailbox(db, tenant_id, mailbox)
  const at = new Date(context.now)
  const entered = before ?? (await enterMailbox(db, { tenant_id, mailbox, owner_did, at }))
  const was = before?.owner_did ?? unowned
  // Another declaration may have come first while this one waited.
  const is_free = was === unowned && [unowned, owner_did].includes(entered.owner_did)
  const declared = { mailbox, owner_did, delegates: [...new Set(input.delegates ?? entered.delegates)] }
  if (!is_free && was !== caller.did) {
    if (entered.owner_did === owner_did && isSame(declared.delegates, entered.delegates)) return declared
    throw notYours(mailbox)
  }
  await changeMailbox(db, tenant_id, declared)
  context.audit('MailboxDeclared', { ...declared, ...(was !== unowned && { was_owned_by: was }) })
  return declared
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((did) => other.includes(did))
}

export function strangerOwner(what: 'mailbox' | 'topic'): Refusal {
  const message = 'names no identity of your organization'
  return refuse('invalid_payload', `The ${what} cannot be declared: /owner_did ${message}; name one.`, {
    reason: 'stranger as owner',
    faults: [{ pointer: '/owner_did', message }],
  })
}

function notYours(mailbox: string): Refusal {
  return refuse(
    'policy_denied',
    `${mailbox} belongs to another identity of your organization; only its owner declares it anew.`,
    { reason: 'not the owner of the mailbox', denying_policy: 'MIM mailbox owner' },
  )
}
