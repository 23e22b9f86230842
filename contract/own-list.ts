// Whose lists these are, and how one is paged that is in order of names: beside list-page.ts, which orders by time.
import { parseDid } from './identity/did.ts'
import { type Place, page_fields } from './list-page.ts'
import type { OperationContext } from './operation-context.ts'
import { type Refusal, refuse } from './refusal.ts'

/** Where ids alone are the order, every row is of one moment. */
export function placeOfName(id: string): Place {
  return { at: '1970-01-01T00:00:00.000Z', id }
}

const { limit, cursor } = page_fields
export const name_page_fields = { limit, cursor }

/** What two fields of a request say does not fit together. */
export function listMisfit(field: string, why: string): Refusal {
  return refuse('invalid_payload', `${field} does not fit what is listed here: ${why}.`, {
    reason: 'fields do not fit together',
    faults: [{ pointer: `/${field}`, message: why }],
  })
}

/** A treaty opens doors one by one: what there is behind them is listed to the organization's own identities alone. */
export function requireAtHome(
  { caller, tenant_id }: Pick<OperationContext, 'caller' | 'tenant_id'>,
  what: string,
): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse(
    'policy_denied',
    `${caller.did} is not of ${tenant_id}, and ${what} of an organization are listed to its own identities; list your own.`,
    { reason: 'not your organization' },
  )
}
