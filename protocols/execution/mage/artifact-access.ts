// What callers from other organizations see: a treaty admits them, and hidden artifacts look absent.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'

/** Whether this caller was admitted by a treaty. */
export function isForeign({ caller, tenant_id }: Pick<OperationContext, 'caller' | 'tenant_id'>): boolean {
  return parseDid(caller.did)?.namespace !== tenant_id
}

/** A foreign caller sees only its own drafts and sources. */
export function mayRead(
  context: Pick<OperationContext, 'caller' | 'tenant_id'>,
  { author_did }: { readonly author_did: string },
): boolean {
  return author_did === context.caller.did || !isForeign(context)
}

/** Only members publish for the organization. */
export function requireMember(context: OperationContext): void {
  if (!isForeign(context)) return
  throw refuse(
    'policy_denied',
    `Only identities of ${context.tenant_id} publish there, and you belong to another organization; have one of them do it.`,
    { reason: 'not of this organization' },
  )
}
