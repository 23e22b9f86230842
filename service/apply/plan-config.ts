// The whole plan of a configuration, in the order of what depends on what.
import { readCapabilities } from '../admin/capability-names.ts'
import type { Configuration, TenantConfig } from './config-schema.ts'
import { emptyPlan, type Plan } from './plan.ts'
import { planProtocols, planTrustedLogs, planWitnesses } from './plan-engine.ts'
import { planPeople } from './plan-people.ts'
import { planPolicies } from './plan-policies.ts'
import { planBudget, planClaims, planKeys, planRoles, planTenant, type View } from './plan-tenant.ts'
import { planWorkloads } from './plan-workloads.ts'

const capabilities_at_once_max = 128
const tenant_sections = [
  planBudget,
  planRoles,
  planPeople,
  planClaims,
  planKeys,
  planWorkloads,
  planPolicies,
] as const

export async function planConfig(view: View, config: Configuration): Promise<Plan> {
  const { tenants = [] } = config
  await requireCapabilities(view, config)
  const plan = emptyPlan()
  for (const tenant of tenants) await planTenant(plan, view, tenant)
  await planProtocols(plan, view, config)
  for (const tenant of tenants) for (const section of tenant_sections) await section(plan, view, tenant)
  await planWitnesses(plan, view, config)
  await planTrustedLogs(plan, view, config)
  return plan
}

/** Before anything is changed. Names of protocols that the file itself declares are checked when they are there. */
async function requireCapabilities(
  { db }: View,
  { tenants = [], protocols = [] }: Configuration,
): Promise<void> {
  const starts = protocols.map(({ name }) => `svc.${name.toLowerCase()}.`)
  const names = new Set(tenants.flatMap(capabilitiesOf))
  const there = [...names].filter((name) => !starts.some((start) => name.startsWith(start)))
  for (let i = 0; i < there.length; i += capabilities_at_once_max)
    await readCapabilities(db, there.slice(i, i + capabilities_at_once_max))
}

function capabilitiesOf({ roles = {}, keys = [] }: TenantConfig): string[] {
  const by_roles = Object.values(roles).flatMap(({ add = [] }) => add)
  return [...by_roles, ...keys.flatMap(({ capabilities = [] }) => capabilities)]
}
