// Refusals of a cell for a tenant that is being moved to another one, or has been.
import { type Refusal, refuse } from './refusal.ts'

export const moving_reason = 'tenant moving'
/** A gateway that reads it looks for the cell in which the tenant lives now. */
export const moved_reason = 'tenant moved'

/** A write of a row that is being copied to another cell is refused with this code of PostgreSQL. */
export const fence_state = 'SV100'

const retry_after_ms = 1_000

export function tenantMoving(tenant_id?: string): Refusal {
  return refuse(
    'no_endpoint_available',
    `${tenant_id ?? 'This organization'} is being moved to another database, which takes seconds, and nothing was done; try again shortly.`,
    { reason: moving_reason, retry_after_ms },
  )
}

export function tenantMoved(tenant_id: string): Refusal {
  return refuse(
    'no_endpoint_available',
    `${tenant_id} was moved to another database, which these engines do not serve; send the call to the gateway, or to an engine of that database.`,
    { reason: moved_reason, retry_after_ms },
  )
}
