// What an organization decides as a whole: shown before an operation that binds all of it may go on.
import { contentHash } from '@svc/contract/canonical-json'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'

/** How the only member of a charter asks for the verdict that the engine writes for it. */
const sole_member_ref = 'mace://sole-member'

interface Wanted {
  readonly operation: string
  readonly subject: string
  readonly ref: string | undefined
}

/** A charter of one may act alone. A verdict of several is MACE's to give, and there is none yet that could be looked up. */
export async function requireAuthority(
  context: OperationContext,
  { operation, subject, ref }: Wanted,
): Promise<string> {
  const { tenant_id, caller, now } = context
  if (!(await context.sitsInCharter(caller.did))) throw refused(operation, 'is no charter member')
  if ((await context.charterMembers()).length > 1) throw refused(operation, 'is one of several')
  if (ref !== undefined && ref !== sole_member_ref) {
    throw refuse(
      'policy_denied',
      `There is no verdict ${ref} of ${tenant_id}; as its only charter member give ${sole_member_ref}.`,
      { reason: 'charter quorum required', denying_policy: 'MACE quorum', appeal_path: 'MACE convene' },
    )
  }
  const verdict = { tenant_id, operation, subject, member: caller.did, at: now, sole_member: true }
  const verdict_ref = `mace://verdict/${contentHash(verdict)}`
  context.audit('AuthorizationCheck', { gate: 'MACE-quorum', verdict: verdict_ref, pass: true, ...verdict })
  return verdict_ref
}

function refused(operation: string, why: string): Refusal {
  return refuse(
    'policy_denied',
    `${operation} binds the whole organization, and the caller ${why}; it needs a verdict of the charter's quorum.`,
    { reason: 'charter quorum required', denying_policy: 'MACE quorum', appeal_path: 'MACE convene' },
  )
}
