// One organization: itself, its credit line, roles, claims for roles, and keys.
import { issuedKeys } from '@svc/adapters/access/api-keys'
import { satAt } from '@svc/adapters/access/charter'
import { findTenant } from '@svc/adapters/access/tenant-directory'
import { listRoleClaims } from '@svc/adapters/accounts/role-claims'
import { roleChanges } from '@svc/adapters/accounts/role-store'
import { isBuiltIn, type RoleChange } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { microUsd, usdText } from '@svc/contract/money/money'
import { readBooks } from '@svc/protocols/economic/meal/api'
import { requireDidOf } from '../admin/command.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { TenantConfig } from './config-schema.ts'
import { changesOf, option, type Plan, removeLater, settle } from './plan.ts'

/** What plans are made with. */
export interface View {
  readonly db: Database
  readonly at: Date
  /** Also plans the removal of what the file does not declare, in the sections that it has. */
  readonly prune: boolean
  pathOf(path: string): string
}

export async function planTenant(plan: Plan, { db, at }: View, config: TenantConfig): Promise<void> {
  const { id, name, tier, root } = config
  if (root !== undefined && root !== 'new') requireDidOf(id, root, `${id}: root`)
  const tenant = await findTenant(db, id)
  if (!tenant) {
    const after = { name: name ?? id, tier: tier ?? 'sandbox', root }
    const options = [...option('name', name), ...option('tier', tier), ...option('root', root)]
    settle(plan, `tenant ${id}`, undefined, after, () => ['tenant', 'create', id, ...options])
    return
  }
  const differs = changesOf({ name: tenant.name, tier: tenant.tier }, { name, tier })
  for (const { field, before, after } of differs) {
    const needs = field === 'tier' ? 'MEAL admin set_tier by the operator’s agent' : 'it stays as created'
    plan.remaining.push({ what: `tenant ${id}`, needs: `${field} ${before} → ${after}: ${needs}` })
  }
  if (root !== undefined && root !== 'new' && !(await satAt(db, id, root, at)))
    settle(plan, `${id}: charter member ${root}`, undefined, {}, () => ['member', 'add', id, root])
  if (differs.length === 0) plan.unchanged++
}

export async function planBudget(plan: Plan, { db }: View, { id, budget }: TenantConfig): Promise<void> {
  if (budget?.credit_line_usd === undefined) return
  const text = String(budget.credit_line_usd)
  const micro_usd = text === 'tier' ? null : microUsd(text)
  if (micro_usd === undefined)
    throw new ConfigError(
      `${id}: budget.credit_line_usd is ${text}; write dollars with at most six decimal places, or tier.`,
    )
  const { credit_line_micro_usd } = await readBooks(db, id)
  const lineText = (line: bigint | null | undefined) => (line == null ? 'tier' : usdText(line))
  const fields = (line: bigint | null | undefined) => ({ credit_line_usd: lineText(line) })
  const before = fields(credit_line_micro_usd)
  settle(plan, `${id}: budget`, before, fields(micro_usd), () => ['credit', 'line', id, text])
}

/** A role that neither is there nor will be would stop the run in the middle. */
export async function requireRolesOf(
  { db, prune }: View,
  { id, roles }: TenantConfig,
  names: readonly string[],
): Promise<void> {
  const stored = roles && prune ? [] : (await roleChanges(db, id)).keys()
  const there = new Set([...stored, ...Object.keys(roles ?? {})])
  const absent = names.find((name) => !isBuiltIn(name) && !there.has(name))
  if (absent !== undefined)
    throw new ConfigError(`${id} has no role ${absent}; declare it in roles, or choose another.`)
}

export async function planRoles(plan: Plan, { db, prune }: View, { id, roles }: TenantConfig): Promise<void> {
  if (!roles) return
  const stored = await roleChanges(db, id)
  for (const [name, { add = [], remove = [] }] of Object.entries(roles)) {
    const both = add.find((capability) => remove.includes(capability))
    if (both !== undefined)
      throw new ConfigError(`${id}: the role ${name} adds and removes ${both}; choose one.`)
    if (!isBuiltIn(name) && (add.length === 0 || remove.length > 0))
      throw new ConfigError(`${id}: ${name} is a role of your own; it only has add, with one name at least.`)
    const before = stored.get(name)
    const is_new = before === undefined && !isBuiltIn(name)
    const fields = ({ added, removed }: RoleChange) => ({ add: added, remove: removed })
    settle(
      plan,
      `${id}: role ${name}`,
      is_new ? undefined : fields(before ?? { added: [], removed: [] }),
      isBuiltIn(name) ? { add, remove } : { add },
      () =>
        add.length + remove.length === 0
          ? ['role', 'reset', id, name]
          : ['role', 'set', id, name, '--exact', ...option('add', add), ...option('remove', remove)],
    )
  }
  if (!prune) return
  for (const [name, { added, removed }] of stored) {
    if (Object.hasOwn(roles, name) || added.length + removed.length === 0) continue
    removeLater(plan, `${id}: role ${name}`, ['role', 'reset', id, name])
  }
}

export async function planClaims(plan: Plan, view: View, config: TenantConfig): Promise<void> {
  const { id, role_claims } = config
  if (!role_claims) return
  const { db, prune } = view
  const roles = role_claims.map(({ role }) => role)
  await requireRolesOf(view, config, roles)
  const stored = await listRoleClaims(db, id)
  type Claim = (typeof stored)[number]
  const wordsOf = ({ claim, value, issuer }: Claim) => `${claim}=${value} of ${issuer}`
  const sameAs = (one: Claim) => (other: Claim) => one.role === other.role && wordsOf(one) === wordsOf(other)
  const args = (verb: string, { role, issuer, claim, value }: Claim) => [
    ...['role', verb, id, role],
    ...[...option('issuer', issuer), ...option('claim', `${claim}=${value}`)],
  ]
  const what = (claim: Claim) => `${id}: role ${claim.role} by claim ${wordsOf(claim)}`
  for (const claim of role_claims) {
    const before = stored.some(sameAs(claim)) ? {} : undefined
    settle(plan, what(claim), before, {}, () => args('claim', claim))
  }
  const rest = prune ? stored.filter((claim) => !role_claims.some(sameAs(claim))) : []
  for (const claim of rest) removeLater(plan, what(claim), args('unclaim', claim))
}

/** Never removed: people and agents have keys of their own, which no file knows. */
export async function planKeys(plan: Plan, { db, at }: View, { id, keys }: TenantConfig): Promise<void> {
  if (!keys) return
  const labels = keys.map(({ label }) => label)
  const issued = new Map((await issuedKeys(db, id, labels, at)).map((key) => [key.label, key]))
  for (const { label, did, capabilities = [], expires_at } of keys) {
    if (did !== undefined) requireDidOf(id, did, `${id}: the agent of the key ${label}`)
    const key = issued.get(label)
    const what = `${id}: key ${label}`
    const after = { did, capabilities }
    if (!key) {
      const options = [...option('did', did), ...option('capability', capabilities)]
      const more = [...option('label', label), ...option('expires-at', expires_at)]
      const args = ['key', 'issue', id, ...options, ...more]
      settle(plan, what, undefined, { ...after, expires_at }, () => args)
      continue
    }
    const differs = changesOf({ did: key.did, capabilities: key.capabilities.map(({ name }) => name) }, after)
    for (const change of differs)
      plan.remaining.push({
        what,
        needs: `${change.field} ${change.before} → ${change.after}: revoke ${key.key_id}, and the next run issues a new key`,
      })
    if (differs.length === 0) plan.unchanged++
  }
}
