// The caller's identity, resolved from an identity document, and questions that stages and protocols ask of it.
import { type Static, Type } from 'typebox'
import { AgentCapability, covers, global_wildcard } from '../authority/capability.ts'
import { AnyObject, Closed, ConformanceLevel, Did, described, ListOf } from '../schema.ts'
import { parseDid } from './did.ts'

export const root_kinds = ['HumanRoot', 'MultiHumanRoot', 'EntityNameRecord'] as const
export const derived_kinds = [
  'Agent',
  'AgentInstance',
  'Tool',
  'Skill',
  'Workflow',
  'Model',
  'Dataset',
  'Service',
] as const

/** Known kinds, or `Unknown(<text>)` so that a newer document does not break an older engine. */
export const AgentEntityKind = Type.String({
  pattern: `^(${[...root_kinds, ...derived_kinds].join('|')}|Unknown\\([^()]{0,64}\\))$`,
  description: 'A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others.',
})

export const AgentServiceEndpoint = Closed({
  kind: Type.String({ description: 'What is offered there, such as svc or mcp.' }),
  url: Type.String({ description: 'Where it is.' }),
  protocols: described(ListOf(Type.String()), 'Protocols it serves.'),
})
export type AgentServiceEndpoint = Static<typeof AgentServiceEndpoint>

export const ResolvedAgentIdentity = Closed({
  did: described(Did, 'The identity.'),
  entity_kind: AgentEntityKind,
  name: Type.Optional(Type.String({ description: 'As its document says.' })),
  human_root_did: Type.Optional(
    described(Did, 'Human or organization at the root of its lineage; absent: not verified.'),
  ),
  lineage_depth: Type.Integer({ minimum: 0, description: 'Steps from its root; 0 for a root.' }),
  lineage_verified: Type.Boolean({ description: 'Whether its descent from a root is proven.' }),
  creator_did: Type.Optional(described(Did, 'Parent that derived it; absent for a root.')),
  conformance_level: ConformanceLevel,
  capabilities: described(ListOf(AgentCapability, 0, 1024), 'What its own document lets it do.'),
  service_endpoints: described(ListOf(AgentServiceEndpoint, 0, 16), 'Where it can be reached.'),
  revoked: Type.Boolean({ description: 'It may do nothing: for good, or while suspended.' }),
  suspended: Type.Optional(
    Type.Boolean({ description: 'True while it, or one it descends from, is suspended.' }),
  ),
  auth_method: Type.String({ description: 'How the caller proved who it is, or unresolved.' }),
  extended: described(AnyObject, 'Further sections of its document, such as attestations.'),
})
export type ResolvedAgentIdentity = Static<typeof ResolvedAgentIdentity>

const local_admin = 'local-admin'
const levels: readonly ConformanceLevel[] = ['L0', 'L1', 'L2']

export function meetsLevel(identity: ResolvedAgentIdentity, needed: ConformanceLevel): boolean {
  return levels.indexOf(identity.conformance_level) >= levels.indexOf(needed)
}

export function isHumanRoot(identity: ResolvedAgentIdentity): boolean {
  return identity.entity_kind === 'HumanRoot'
}

export function isAutonomousOrg(identity: ResolvedAgentIdentity): boolean {
  return identity.entity_kind === 'EntityNameRecord' || identity.entity_kind === 'MultiHumanRoot'
}

export function isRootKind(entity_kind: string): boolean {
  return (root_kinds as readonly string[]).includes(entity_kind)
}

export function hasVerifiedLineage(identity: ResolvedAgentIdentity): boolean {
  return identity.lineage_verified && !identity.revoked
}

/** The root this caller answers to: its human root where known, itself where it is a root or the local admin. */
export function effectiveRootDid(identity: ResolvedAgentIdentity): string | undefined {
  const is_own = isRootKind(identity.entity_kind) || identity.auth_method === local_admin
  return identity.human_root_did ?? (is_own ? identity.did : undefined)
}

/** Whether declared capabilities cover a name. Stage 4 checks expiry and caveats, since it knows the time. */
export function hasCapability(identity: ResolvedAgentIdentity, name: string): boolean {
  return identity.capabilities.some((own) => covers(own.name, name))
}

/** The fallback when resolution fails: a DID and nothing else. */
export function unresolved(did: string): ResolvedAgentIdentity {
  return {
    did,
    entity_kind: kindOfDid(did),
    lineage_depth: 0,
    lineage_verified: false,
    conformance_level: 'L0',
    capabilities: [],
    service_endpoints: [],
    revoked: false,
    auth_method: 'unresolved',
    extended: {},
  }
}

/** Development only: everything allowed. A production engine has no code path to this. */
export function localAdmin(did: string): ResolvedAgentIdentity {
  return {
    ...unresolved(did),
    name: 'local admin',
    lineage_verified: true,
    conformance_level: 'L2',
    capabilities: [{ name: global_wildcard, caveats: [] }],
    auth_method: local_admin,
  }
}

function kindOfDid(did: string): string {
  const segment = parseDid(did)?.entity_kind ?? 'none'
  const kind = segment
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
  return [...root_kinds, ...derived_kinds].includes(kind as never) ? kind : `Unknown(${segment})`
}
