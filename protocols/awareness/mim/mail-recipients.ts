// Whether anybody can ever read a message: what is sent to an identity that does not exist would wait until it expires.
import { parseDid } from '@svc/contract/identity/did'
import { isMember } from '@svc/contract/identity/member'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { isGuest, type Mailbox } from './mail-address.ts'
import { findMailboxes } from './mail-store.ts'

export type RecipientNeed = 'authority' | 'membership'

/**
 * Those that name no identity. Only of the sender's own organization: whether one exists elsewhere is not for partners
 * and guests to know. Who has a mailbox is not looked up again.
 */
export async function unknownAmong(
  mailboxes: readonly Mailbox[],
  context: OperationContext<RecipientNeed>,
): Promise<ReadonlySet<string>> {
  const { db, tenant_id, caller } = context
  if (isGuest(caller.did, tenant_id)) return new Set()
  const dids = new Set(
    mailboxes
      .filter((mailbox) => mailbox.tenant_id === tenant_id && mailbox.mailbox !== caller.did)
      .flatMap(({ mailbox }) => (parseDid(mailbox) ? [mailbox] : [])),
  )
  if (dids.size === 0) return dids
  for (const did of await findMailboxes(db, tenant_id, [...dids])) dids.delete(did)
  for (const did of dids) if (await isMember(did, context)) dids.delete(did)
  return dids
}

export function nobodyThere(to: string | readonly string[], did: string): Refusal {
  const pointer = typeof to === 'string' ? '/to' : `/to/${to.indexOf(did)}`
  const message = 'names no identity of your organization'
  return refuse(
    'invalid_payload',
    `The message was not sent: ${pointer} ${message}, so nobody could receive it; check the DID.`,
    { reason: 'not_found', faults: [{ pointer, message }] },
  )
}
