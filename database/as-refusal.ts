// Turns anything thrown into a refusal for the caller.
import { Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { tenantMoving } from '@svc/contract/tenant-home'
import { isDatabaseAway, isFenced } from './database-fault.ts'

/** Anything else thrown is a bug or an unavailable database: the caller learns which; the cause goes to the log and the record. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown
  if (isFenced(thrown)) return tenantMoving()
  if (isDatabaseAway(thrown)) return unavailable('database', thrown)
  return refuse(
    'internal',
    'The service failed while doing this. Give the correlation id to the operator, who can look up why.',
    {},
    thrown,
  )
}
