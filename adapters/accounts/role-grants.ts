// Capabilities that people have by their roles: computed from the books at each call, never copied.
import type { HeldCapability } from '@svc/contract/authority/capability'
import { type RoleTable, roleCapability, type TenantRoles } from '@svc/contract/authority/role'
import { parseDid } from '@svc/contract/identity/did'
import type { Treasury } from '@svc/engine/ports'
import type { GrantSource, Grants } from '../capabilities/effective.ts'

const nothing: Grants = { held: [], excluded: [] }

/** Caches only what follows from books that are themselves cached. */
export function roleGrants(treasury: Treasury, table: RoleTable): GrantSource {
  const grants_of = new WeakMap<readonly string[], Grants>()
  const grantsIn = ({ holders, changes }: TenantRoles, did: string, tenant_id: string): Grants => {
    const roles = holders.get(did)
    if (!roles) return nothing
    let grants = grants_of.get(roles)
    if (!grants) {
      grants = findGrants(table, roles, changes, did, tenant_id)
      grants_of.set(roles, grants)
    }
    return grants
  }
  return {
    grantsTo({ did }, tenant_id) {
      const books = treasury.of(tenant_id)
      return books instanceof Promise
        ? books.then(({ roles }) => grantsIn(roles, did, tenant_id))
        : grantsIn(books.roles, did, tenant_id)
    },
  }
}

function findGrants(
  table: RoleTable,
  roles: readonly string[],
  changes: TenantRoles['changes'],
  did: string,
  tenant_id: string,
): Grants {
  // A role is one of its own organization.
  if (parseDid(did)?.namespace !== tenant_id) return nothing
  const capabilities = roles.flatMap((role) => {
    const names = table.capabilitiesOf(role, changes)
    if (!names) return []
    return [...names, roleCapability(role)].map(
      (name): HeldCapability => ({ name, caveats: [], source: 'role', source_ref: role }),
    )
  })
  return { held: capabilities, excluded: [] }
}
