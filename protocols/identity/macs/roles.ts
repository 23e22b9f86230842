// MACS roles and set_role: what the roles of an organization allow.
import { isWithin } from '@svc/contract/authority/attenuation'
import { unexpired } from '@svc/contract/authority/capability'
import { own_roles_max, role_changes_max, role_form } from '@svc/contract/authority/role'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, described, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const capabilities_max = 4096

const Role = Type.String({ pattern: role_form.source, description: 'Name of a role.' })
const Names = ListOf(CapabilityName, 0, role_changes_max)

const ShownRole = Closed({
  role: Role,
  built_in: Type.Boolean({ description: 'Whether svc defines it; you can change what it allows.' }),
  capabilities: described(ListOf(Type.String(), 0, capabilities_max), 'What it allows now.'),
  added: described(ListOf(Type.String(), 0, role_changes_max), 'What your organization added to it.'),
  removed: described(ListOf(Type.String(), 0, role_changes_max), 'What your organization removed from it.'),
})

export const RolesInput = Closed({})
export const RolesOutput = Closed({
  roles: described(ListOf(ShownRole, 0, own_roles_max + 5), 'Built-in roles and your own.'),
})

export const SetRoleInput = Closed({
  role: described(Role, 'Role to change; an unknown name makes a new one.'),
  add: Type.Optional(described(Names, 'What it allows in addition.')),
  remove: Type.Optional(described(Names, 'What it no longer allows.')),
  reset: Type.Optional(
    Type.Literal(true, {
      description: 'A built-in role allows again what it did at first; one of your own ends for everybody.',
    }),
  ),
})
export const SetRoleOutput = Closed({
  role: Role,
  capabilities: described(ListOf(Type.String(), 0, capabilities_max), 'What it allows now.'),
})

type RoleContext = OperationContext<'authority' | 'people'>

export async function listRoles(_: Static<typeof RolesInput>, context: OperationContext<'people'>) {
  requireAtHome(context, 'roles')
  const roles = await context.people.roles()
  return {
    roles: roles.map(({ role, built_in, capabilities, added, removed }) => ({
      ...{ role, built_in, capabilities: [...capabilities], added: [...added], removed: [...removed] },
    })),
  }
}

export async function setRole(
  { role, add = [], remove = [], reset }: Static<typeof SetRoleInput>,
  context: RoleContext,
) {
  const { people } = context
  if ((reset === true) === add.length + remove.length > 0) throw unclear()
  const foreign = add.find((name) => !people.isGrantable(name))
  if (foreign !== undefined)
    throw refuse(
      'policy_denied',
      `${foreign} cannot be part of a role; name operations, or all of a protocol, such as svc.moat.*.`,
      { reason: 'not grantable by a role', requested_capability: foreign },
    )
  if (reset && !(await people.resetRole(role)))
    throw refuse('not_found', `The role ${role} was not changed here; MACS roles lists them.`, {
      reason: 'no such role',
    })
  if (!reset) await people.changeRole(role, { added: add, removed: remove })
  const capabilities = (await people.roles()).find((each) => each.role === role)?.capabilities ?? []
  await requireHeld(capabilities, context)
  context.audit('RoleChanged', { role, added: add, removed: remove, reset: reset === true })
  return { role, capabilities: [...capabilities] }
}

/** Nobody gives by a role more than she holds herself. */
export async function requireGivable(roles: readonly string[], context: RoleContext): Promise<void> {
  if (roles.length === 0) return
  const listed = await context.people.roles()
  for (const role of roles) {
    const capabilities = listed.find((each) => each.role === role)?.capabilities
    if (!capabilities)
      throw refuse('invalid_payload', `There is no role ${role}; MACS roles lists them.`, {
        reason: 'no such role',
        faults: [{ pointer: '', message: `no role ${role}` }],
      })
    await requireHeld(capabilities, context)
  }
}

async function requireHeld(capabilities: readonly string[], context: RoleContext): Promise<void> {
  const own = unexpired((await context.authority.ofCaller()).held, context.now)
  // A role gives it plainly, so that she must hold it without caveats, limits and end.
  const beyond = capabilities.find((name) => !isWithin({ name, caveats: [] }, own))
  if (beyond === undefined) return
  throw refuse(
    'policy_denied',
    `You cannot give ${beyond} by a role, because you do not hold it yourself without bounds; ask somebody who does.`,
    { reason: 'capability amplification', requested_capability: beyond },
  )
}

function unclear(): Refusal {
  return refuse('invalid_payload', 'Say either what to add and remove, or reset, and not both.', {
    reason: 'one_of',
    faults: [{ pointer: '/reset', message: 'either this, or add and remove' }],
  })
}
