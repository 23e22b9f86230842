// Roles of people: named sets of capabilities of one organization. The built-in ones follow from the table of operations.
import type { OperationFacts } from '../operation-facts.ts'
import { capabilityFor, covers, global_wildcard, isCapabilityName, protocolWildcard } from './capability.ts'

export const built_in_roles = ['viewer', 'auditor', 'operator', 'finance', 'administrator'] as const
export type BuiltInRole = (typeof built_in_roles)[number]

export const administrator = 'administrator' satisfies BuiltInRole

export const role_form = /^[a-z][a-z0-9_]{0,31}$/
/** Of one organization, beside the built-in ones. */
export const own_roles_max = 50
export const roles_of_person_max = 16
/** Added to or taken out of one role. */
export const role_changes_max = 256
/** In one organization; every engine holds them in memory. */
export const role_holders_max = 5_000

/** What an organization changed in a role; one of its own has only added names. */
export interface RoleChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** The roles of an organization's people. */
export interface TenantRoles {
  /** Names of roles by the DID of a person who can sign in. */
  readonly holders: ReadonlyMap<string, readonly string[]>
  readonly changes: ReadonlyMap<string, RoleChange>
}

export const no_roles: TenantRoles = { holders: new Map(), changes: new Map() }

/** The name that approvals by role look for; no wildcard covers it. */
export function roleCapability(role: string): string {
  return `svc.role.${role}`
}

/** A protocol as far as roles look at it. */
export interface RoleProtocol {
  readonly id: string
  readonly plane: string
  readonly operations: Readonly<
    Record<
      string,
      Pick<OperationFacts, 'effect' | 'secret_output' | 'acts_outside' | 'for_administrators' | 'reveals'>
    >
  >
}

export interface RoleTable {
  /** Undefined where there is no such role. */
  capabilitiesOf(role: string, changes: TenantRoles['changes']): readonly string[] | undefined
  /** Built-in ones first. */
  names(changes: TenantRoles['changes']): readonly string[]
  /** Those that allow this operation. */
  rolesFor(capability: string, changes: TenantRoles['changes']): readonly string[]
  /** Whether it can be in a role: an operation's name, or a protocol's wildcard. */
  isGrantable(name: string): boolean
}

/** Whoever can look can ask for more, and has keys of its own, which never do more than it may. */
const for_oneself = ['svc.macs.request_access', 'svc.macs.create_key', 'svc.macs.revoke_key']
const deciding = ['svc.maxim.approvals', 'svc.maxim.approval_get', 'svc.maxim.approval_decide']

/** Made once from the catalogue: what a built-in role allows follows from the facts of each operation. */
export function roleTable(protocols: readonly RoleProtocol[]): RoleTable {
  const operations = protocols.flatMap(({ id, plane, operations: named }) =>
    Object.entries(named).map(([operation, facts]) => ({
      ...facts,
      plane,
      protocol: id,
      name: capabilityFor(id, operation),
    })),
  )
  type Row = (typeof operations)[number]
  const pick = (isIn: (row: Row) => boolean) => operations.filter(isIn).map(({ name }) => name)
  // What a person sees who only looks: neither money, nor content of others, nor anything secret.
  const isSeen = ({ effect, plane, reveals, secret_output, acts_outside }: Row) =>
    effect === 'read' && plane !== 'economic' && !reveals && !secret_output && !acts_outside
  const isRun = ({ plane, for_administrators }: Row) =>
    ['execution', 'identity', 'awareness'].includes(plane) && !for_administrators
  const own = pick(({ name }) => for_oneself.includes(name))
  const contents: Readonly<Record<BuiltInRole, readonly string[]>> = {
    viewer: [...pick(isSeen), ...own],
    // A compliance report is written and signed, and changes nothing else.
    auditor: pick(
      ({ effect, name }) =>
        effect === 'read' || name === 'svc.max.compliance_report' || for_oneself.includes(name),
    ),
    operator: [...new Set([...pick((row) => isSeen(row) || isRun(row)), ...deciding])],
    finance: [...new Set([...pick((row) => isSeen(row) || row.plane === 'economic'), ...deciding, ...own])],
    administrator: [global_wildcard],
  }
  const expand = (name: string) => expanded(name, protocols)
  const cache = new WeakMap<RoleChange, readonly string[]>()
  const capabilitiesOf: RoleTable['capabilitiesOf'] = (role, changes) => {
    const base = isBuiltIn(role) ? contents[role] : undefined
    const change = changes.get(role)
    if (!change) return base
    let names = cache.get(change)
    if (!names) {
      names = changed(base ?? [], change, expand)
      cache.set(change, names)
    }
    return names
  }
  const names: RoleTable['names'] = (changes) => [...new Set([...built_in_roles, ...changes.keys()])]
  return {
    capabilitiesOf,
    names,
    rolesFor: (capability, changes) =>
      names(changes).filter((role) =>
        capabilitiesOf(role, changes)!.some((name) => covers(name, capability)),
      ),
    isGrantable: (name) =>
      isCapabilityName(name) &&
      name !== global_wildcard &&
      !name.startsWith('svc.role.') &&
      !name.startsWith('svc.admin.'),
  }
}

export function isBuiltIn(role: string): role is BuiltInRole {
  return (built_in_roles as readonly string[]).includes(role)
}

/** A wildcard that covers something removed is replaced by what is left of it. */
function changed(
  base: readonly string[],
  { added, removed }: RoleChange,
  expand: (name: string) => readonly string[],
): readonly string[] {
  const names = new Set([...base, ...added])
  const touches = (name: string) => removed.some((other) => covers(name, other) || covers(other, name))
  const split = (name: string): readonly string[] => {
    if (!touches(name)) return [name]
    if (removed.some((other) => covers(other, name))) return []
    return expand(name).flatMap((part) => (part === name ? [] : split(part)))
  }
  return [...new Set([...names].flatMap(split))]
}

function expanded(name: string, protocols: readonly RoleProtocol[]): readonly string[] {
  if (name === global_wildcard) return protocols.map(({ id }) => protocolWildcard(id))
  const of_wildcard = protocols.find(({ id }) => protocolWildcard(id) === name)
  return Object.keys(of_wildcard?.operations ?? {}).map((operation) =>
    capabilityFor(of_wildcard!.id, operation),
  )
}
