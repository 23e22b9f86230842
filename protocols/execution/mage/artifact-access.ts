// Who of another organization sees what: a treaty lets a caller in, and what is not shown to it is not there.
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'

/** Whether this caller came in by a treaty. */
export function isForeign({ caller, tenant_id }: Pick<OperationContext, 'caller' | 'tenant_id'>): boolean {
  return parseDid(caller.did)?.namespace !== tenant_id
}

/** Of drafts and sources a caller from outside sees its own. */
export function mayRead(
  context: Pick<OperationContext, 'caller' | 'tenant_id'>,
  { author_did }: { readonly author_did: string },
): boolean {
  return author_did === context.caller.did || !isForeign(context)
}

/** What is published is the organization's word. */
export function requireMember(context: OperationContext): void {
  if (!isForeign(context)) return
  throw refuse(
    'policy_denied',
    `${context.caller.did} is not of ${context.tenant_id}, and only its own publish there; have one of them do it.`,
    { reason: 'not of this organization' },
  )
}
