// Refuses new obligations while an organization is wound up, in operations that can also end some.

import { parseDid } from '@svc/contract/identity/did'
import type { Standing } from '@svc/contract/money/books'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'

/** Of the organization whose books these are, and of the caller's own if different. */
export async function requireStanding(context: OperationContext<'budgets'>, what: string): Promise<void> {
  const { tenant_id, caller } = context
  if ((await context.budgets.rules()).standing !== 'active') throw dissolving(tenant_id, what)
  const home = parseDid(caller.did)?.namespace ?? tenant_id
  if (home !== tenant_id && (await standingOf(context, home)) !== 'active') throw dissolving(home, what)
}

async function standingOf({ db }: OperationContext, tenant_id: string): Promise<Standing> {
  const row = await sql<{ standing: Standing }>`
    SELECT svc_standing(${tenant_id}) AS standing`.first(db)
  return row?.standing ?? 'active'
}

function dissolving(tenant_id: string, what: string) {
  return refuse(
    'policy_denied',
    `Tenant ${tenant_id} is being wound up, and ${what} would bind it anew; finish what is open, or cancel with MAUSOLEUM initiate.`,
    { reason: 'organization dissolving', denying_policy: 'MAUSOLEUM', appeal_path: 'MAUSOLEUM initiate' },
  )
}
