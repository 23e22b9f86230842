// Whose metrics a caller may read: its own organization's; all only for an operator allowed to observe.
import { coversForOperator } from '@svc/contract/authority/capability'
import { isCaveatSatisfied } from '@svc/contract/authority/caveat'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Type } from 'typebox'

const observer_capability = 'svc.admin.observability'

export const AllTenants = Type.Boolean({
  default: false,
  description: `Every organization's; for the operator's own agents that hold ${observer_capability}.`,
})

/** The tenant to read, or undefined for all. The database also limits everyone but the operator. */
export async function tenantSeen(
  { all_tenants = false }: { readonly all_tenants?: boolean },
  context: OperationContext<'authority' | 'engine'>,
): Promise<string | undefined> {
  if (!all_tenants) return context.tenant_id
  if (context.tenant_id !== context.engine.operator_tenant_id)
    throw refuse(
      'policy_denied',
      'Only the organization that runs this engine sees what others measure; ask without all_tenants.',
      { reason: 'operator only', denying_policy: 'operator tenant' },
    )
  const now = new Date(context.now)
  const { held } = await context.authority.ofCaller()
  const may = held.some(
    (grant) =>
      coversForOperator(grant, observer_capability) &&
      (grant.expires_at === undefined || Date.parse(grant.expires_at) > now.getTime()) &&
      grant.caveats.every((caveat) => isCaveatSatisfied(caveat, { now })),
  )
  if (may) return undefined
  throw refuse('missing_capability', `all_tenants needs the capability ${observer_capability}; ask for it.`, {
    reason: 'missing capability',
    requested_capability: observer_capability,
  })
}
