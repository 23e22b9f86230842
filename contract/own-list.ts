// Access to lists, and paging of lists ordered by name; list-page.ts orders by time.
import { parseDid } from './identity/did.ts'
import { type Place, page_fields } from './list-page.ts'
import type { OperationContext } from './operation-context.ts'
import { type Refusal, refuse } from './refusal.ts'

/** Where ids alone are the order, all rows share one time. */
export function placeOfName(id: string): Place {
  return { at: '1970-01-01T00:00:00.000Z', id }
}

const { limit, cursor } = page_fields
export const name_page_fields = { limit, cursor }

/** Two fields of a request contradict each other. */
export function listMisfit(field: string, why: string): Refusal {
  return refuse('invalid_payload', `${field} does not fit what is listed here: ${why}.`, {
    reason: 'fields do not fit together',
    faults: [{ pointer: `/${field}`, message: why }],
  })
}

/** A treaty grants single operations: lists are shown to the organization's own identities only. */
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
