// Who may set prices: holders of svc.meal.admin in the operator's own organization.
import { coversForOperator } from '@svc/contract/authority/capability'
import { meetsLevel } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'

const admin_capability = 'svc.meal.admin'

export async function requireBillingRight(context: OperationContext<'authority' | 'engine'>): Promise<void> {
  if (context.tenant_id !== context.engine.operator_tenant_id)
    throw refuse(
      'policy_denied',
      'Only the organization that runs this engine sets prices, tiers and credit; ask it to.',
      { reason: 'operator only', denying_policy: 'operator tenant' },
    )
  await requireAdmin(context)
}

export async function requireAdmin(context: OperationContext<'authority'>): Promise<void> {
  const { held } = await context.authority.ofCaller()
  const now_ms = Date.parse(context.now)
  const holds = held.some(
    (grant) =>
      coversForOperator(grant, admin_capability) &&
      // A delegation limited in time or purpose does not include the right to set prices.
      grant.caveats.length === 0 &&
      (grant.expires_at === undefined || Date.parse(grant.expires_at) > now_ms),
  )
  if (!holds)
    throw refuse('missing_capability', `This needs the capability ${admin_capability}; ask for it.`, {
      reason: 'missing capability',
      requested_capability: admin_capability,
    })
  if (!meetsLevel(context.caller, 'L2'))
    throw refuse('policy_denied', 'This needs an identity of conformance level L2.', {
      reason: 'conformance L2 required',
      denying_policy: 'conformance L2',
    })
}
