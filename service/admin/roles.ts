// Roles of people: what each allows in an organization, and its changes.
import { changeRole, resetRole, roleChanges } from '@svc/adapters/accounts/role-store'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { isBuiltIn, type RoleTable, roleTable } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { ConfigError } from '../settings/config-error.ts'
import { readCapabilities } from './capability-names.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { recordChange } from './record.ts'
import { claim_verbs } from './role-claims.ts'
import type { Said } from './say.ts'

export const role: Noun = {
  list: {
    usage: 'role list <tenant> [role]',
    summary: 'the roles of an organization; with a name, what it allows',
    takes: [],
    run: list,
  },
  set: {
    usage: 'role set <tenant> <role> [--add CAPABILITY ...] [--remove CAPABILITY ...] [--exact]',
    summary:
      'changes what a role allows, or makes a new one, at once on every engine; with --exact earlier changes end',
    takes: ['add', 'remove', 'exact'],
    run: set,
  },
  reset: {
    usage: 'role reset <tenant> <role>',
    summary: 'a built-in role allows again what it did at first; one of your own ends for everybody',
    takes: [],
    run: reset,
  },
  ...claim_verbs,
}

/** The catalogue loads every protocol, which is slow, so it is imported only when needed. */
async function tableOf(): Promise<RoleTable> {
  const { catalogue } = await import('@svc/catalogue/catalogue')
  return roleTable(catalogue)
}

export async function capabilitiesByRoles(
  db: Database,
  tenant_id: string,
  roles: readonly string[],
): Promise<AgentCapability[]> {
  if (roles.length === 0) return []
  const [table, changes] = [await tableOf(), await roleChanges(db, tenant_id)]
  const names = roles.flatMap((name) => table.capabilitiesOf(name, changes) ?? [])
  return names.map((name) => ({ name, caveats: [] }))
}

async function list({ store, names }: Work): Promise<Said> {
  const [tenant_id, only] = names as [string, string | undefined]
  await requireTenant(store.engine, tenant_id)
  const changes = await roleChanges(store.engine, tenant_id)
  const table = await tableOf()
  if (only !== undefined) {
    const capabilities = table.capabilitiesOf(only, changes)
    if (!capabilities) throw new ConfigError(`${tenant_id} has no role ${only}; role list shows them.`)
    return { rows: capabilities.toSorted().map((capability) => ({ capability })), columns: ['capability'] }
  }
  const rows = table.names(changes).map((name) => ({
    role: name,
    built_in: isBuiltIn(name),
    capabilities: table.capabilitiesOf(name, changes)!.length,
    added: changes.get(name)?.added ?? [],
    removed: changes.get(name)?.removed ?? [],
  }))
  return { rows, columns: ['role', 'built_in', 'capabilities', 'added', 'removed'] }
}

async function set({ store, operator, values, names }: Work): Promise<Said> {
  const [tenant_id, name] = names as [string, string]
  const { add: added = [], remove: removed = [], exact = false } = values
  if (added.length + removed.length === 0)
    throw new ConfigError('Say what changes: --add svc.<protocol>.<operation>, or --remove.')
  await requireTenant(store.engine, tenant_id)
  await readCapabilities(store.engine, added)
  const table = await tableOf()
  const foreign = added.find((capability) => !table.isGrantable(capability))
  if (foreign !== undefined)
    throw new ConfigError(
      `${foreign} cannot be part of a role; name operations, or all of a protocol: svc.moat.*`,
    )
  const change = await store.engine.transaction(async (trx) => {
    const at = new Date(operator.clock.now_ms())
    const next = await changeRole(trx, tenant_id, name, { added, removed, exact }, at)
    const meta = { role: name, added, removed, ...(exact && { exact }) }
    await recordChange(trx, operator, { tenant_id, command: 'role set', event_type: 'RoleChanged', meta })
    return next
  })
  return { rows: [{ role: name, ...change }] }
}

async function reset({ store, operator, names }: Work): Promise<Said> {
  const [tenant_id, name] = names as [string, string]
  await store.engine.transaction(async (trx) => {
    if (!(await resetRole(trx, tenant_id, name)))
      throw new ConfigError(`${tenant_id} has not changed a role ${name}; role list shows them.`)
    const meta = { role: name, reset: true }
    await recordChange(trx, operator, { tenant_id, command: 'role reset', event_type: 'RoleChanged', meta })
  })
  return { rows: [{ role: name, reset: true }] }
}
