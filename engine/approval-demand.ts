// Which rules make a call wait for the consent of others. The call is asked about after stage 6.
import type { Demand } from '@svc/contract/authority/approval'
import { parseConsent } from '@svc/contract/authority/consent'
import type { Authorised } from './call.ts'

const caveat_start = 'approval:'

/** What a caveat of the grant demands. A treaty's caveats are decided by the called organization. */
export function demandByGrant(call: Authorised): Authorised {
  const { caveats, name } = call.grant
  // Most grants have no caveat at all.
  if (caveats.length === 0) return call
  const { tenant_id } = call.asked.request
  for (const caveat of caveats)
    if (caveat.startsWith(caveat_start))
      addDemand(call, { tenant_id, who: caveat.slice(caveat_start.length), by: 'caveat', ref: name })
  return call
}

/** False where it could never be satisfied: then the call is simply forbidden. */
export function addDemand(call: Authorised, demand: Demand): boolean {
  if (!parseConsent(demand.who)) return false
  if (!call.operation.facts.needs_no_approval) call.demands = [...(call.demands ?? []), demand]
  return true
}
