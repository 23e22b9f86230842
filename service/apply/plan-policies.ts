// Policies of an organization: whether those that are declared are in force.
import { readFileSync, statSync } from 'node:fs'
import { policyStateAt } from '@svc/contract/authority/policy-timeline'
import { readVersions } from '@svc/protocols/governance/policies/api'
import { ConfigError } from '../settings/config-error.ts'
import type { TenantConfig } from './config-schema.ts'
import type { Plan } from './plan.ts'
import type { View } from './plan-tenant.ts'

const policy_bytes_max = 4 * 65_536

/** Rules bind the whole organization, so its charter enacts them; the operator only sees whether they are in force. */
export async function planPolicies(
  plan: Plan,
  view: View,
  { id, policies = [] }: TenantConfig,
): Promise<void> {
  for (const { id: policy_id, version, body, file } of policies) {
    const text = body ?? readPolicy(view.pathOf(file!))
    const versions = await readVersions(view.db, id, policy_id)
    const stored = versions.find((one) => one.version === version)
    const state = stored && policyStateAt(stored, versions, view.at.getTime())
    const what = `${id}: policy ${policy_id} ${version}`
    if (!stored) plan.remaining.push({ what, needs: 'needs a vote: MAXIM author' })
    else if (stored.body !== text)
      plan.remaining.push({ what, needs: 'was enacted with another text; give this one a higher version' })
    else if (state !== 'ACTIVE' && state !== 'SCHEDULED')
      plan.remaining.push({
        what,
        needs: `is ${state?.toLowerCase()}; needs a vote on a higher version: MAXIM author`,
      })
    else plan.unchanged++
  }
}

function readPolicy(path: string): string {
  try {
    if (statSync(path).size > policy_bytes_max) throw new Error(`it is larger than ${policy_bytes_max} bytes`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as a policy: ${(error as Error).message}.`)
  }
}
