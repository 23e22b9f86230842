// Descent, checked offline: each link is signed by a key of the parent, each DID certifies its key, and the last parent is a root.
import { hkdfSync } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Closed, Did, described, ListOf, PublicKey, Signature, Timestamp } from '../schema.ts'
import { sha256Hex } from '../signing/canonical-json.ts'
import { isKeyOf, isSignedBy, type SigningKey, signingInput, signText } from '../signing/signature.ts'
import { didOfKey, parseDid } from './did.ts'
import { AgentEntityKind, derived_kinds, isRootKind } from './identity.ts'
import { countEvents, events_checked_max, isEverKeyOf, KeyEvent, key_events_max } from './key-events.ts'

export const lineage_depth_max = 16

export const Label = Type.String({
  pattern: '^[a-z0-9._-]{1,64}$',
  description: 'Names a child among its siblings.',
})
export const ChildIndex = Type.Integer({
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'Tells apart children with the same label; the first is 0.',
})

export const LineageStatement = Closed(
  {
    child_did: described(Did, 'The derived identity.'),
    child_public_key: described(PublicKey, 'Its first key.'),
    parent_did: described(Did, 'Who derived it.'),
    parent_public_key: described(PublicKey, 'Key of the parent that signed.'),
    entity_kind: AgentEntityKind,
    label: Label,
    index: ChildIndex,
    created_at: described(Timestamp, 'When it was derived.'),
    expires_at: Type.Optional(described(Timestamp, 'The child counts until then; absent: it does not end.')),
    /** How the parent came to its key, unless it is its first. */
    parent_key_events: Type.Optional(
      described(
        ListOf(KeyEvent, 1, key_events_max),
        'How the parent came to its key; absent: it is its first.',
      ),
    ),
    signature: described(Signature, 'By the parent, base64url.'),
  },
  { description: 'One link of descent, signed by the parent.' },
)
export type LineageStatement = Static<typeof LineageStatement>

export type UnsignedStatement = Omit<LineageStatement, 'signature'>

export function statementInput(statement: UnsignedStatement | LineageStatement): string {
  const { signature: _, ...unsigned } = statement as LineageStatement
  return signingInput('svc-lineage-v1', unsigned)
}

export function signStatement(statement: UnsignedStatement, parent: SigningKey): LineageStatement {
  return { ...statement, signature: signText(parent.private_key, statementInput(statement)) }
}

export interface Descent {
  readonly entity_kind: string
  readonly label: string
  readonly index: number
}

/** The child's seed is derived from the parent's, so the parent can always derive it again. */
export function childSeed(parent_seed: Uint8Array, parent_did: string, descent: Descent): Buffer {
  const salt = Buffer.from(sha256Hex(parent_did), 'hex')
  const info = `svc-lineage-v1|${descent.entity_kind}|${descent.label}|${descent.index}`
  return Buffer.from(hkdfSync('sha256', parent_seed, salt, info, 32))
}

/** `AgentInstance` is written `agent-instance` inside a DID. */
export function kindSegment(entity_kind: string): string {
  return entity_kind.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase()
}

export function childDid(namespace: string, entity_kind: string, public_key: string): string {
  return didOfKey(namespace, kindSegment(entity_kind), Buffer.from(public_key, 'base64url'))
}

export interface LineageVerdict {
  readonly verified: boolean
  /** Number of links between the identity and its root. */
  readonly depth: number
  readonly root_did?: string
  readonly root_kind?: string
  /** From the identity up to the last valid link. */
  readonly chain: readonly string[]
  /** The first invalid link; 0 is the identity's own. */
  readonly broken_at?: number
  readonly reason?: string
}

/** Where an identity stands in its family, as every surface shows it. */
export interface FamilyPlace {
  readonly lineage_depth: number
  readonly lineage_verified: boolean
  /** Its parent. */
  readonly creator_did?: string
  readonly human_root_did?: string
}

/** A signed link wins over what a document says of its creator. */
export function familyPlace(
  { entity_kind, creator_did }: { readonly entity_kind: string; readonly creator_did?: string | undefined },
  { verified, depth, root_did, root_kind, chain }: LineageVerdict,
): FamilyPlace {
  const parent_did = chain[1] ?? creator_did
  const has_human_root = verified && root_kind === 'HumanRoot' && !isRootKind(entity_kind)
  return {
    lineage_depth: depth,
    lineage_verified: verified,
    ...(parent_did === undefined ? {} : { creator_did: parent_did }),
    ...(has_human_root ? { human_root_did: root_did! } : {}),
  }
}

export interface LineageFacts {
  /** RFC 3339 UTC. */
  readonly now: string
  isRevoked?(did: string): boolean
}

/** Statements from the identity up to a root. A root identity needs none. */
export function verifyLineage(
  did: string,
  statements: readonly LineageStatement[],
  facts: LineageFacts,
): LineageVerdict {
  const chain = [did]
  const broken = (broken_at: number, reason: string): LineageVerdict => ({
    verified: false,
    depth: statements.length,
    chain,
    broken_at,
    reason,
  })
  if (facts.isRevoked?.(did)) return broken(0, 'identity revoked')
  if (statements.length > lineage_depth_max)
    return broken(lineage_depth_max, `deeper than ${lineage_depth_max}`)
  const events = statements.map(({ parent_key_events }) => countEvents(parent_key_events ?? []))
  if (events.reduce((sum, count) => sum + count, 0) > events_checked_max)
    return broken(0, 'too many key events to check')
  let current = did
  for (const [depth, statement] of statements.entries()) {
    const fault =
      faultOf(statement, current, facts) ?? (chain.includes(statement.parent_did) ? 'cycle' : undefined)
    if (fault) return broken(depth, fault)
    current = statement.parent_did
    chain.push(current)
  }
  const root_kind = kindOf(current)
  if (!isRootKind(root_kind)) return broken(statements.length, `${root_kind} is not a root kind`)
  return { verified: true, depth: statements.length, root_did: current, root_kind, chain }
}

function faultOf(
  statement: LineageStatement,
  child: string,
  { now, isRevoked }: LineageFacts,
): string | undefined {
  if (statement.child_did !== child) return 'it speaks of another child'
  if (!isKeyOf(statement.child_did, statement.child_public_key)) return 'child public key does not match DID'
  const { parent_did, parent_public_key, parent_key_events } = statement
  if (!isEverKeyOf(parent_did, parent_public_key, parent_key_events))
    return 'parent public key does not match DID'
  if (parseDid(child)?.entity_kind !== kindSegment(statement.entity_kind)) return 'the DID names another kind'
  if (!(derived_kinds as readonly string[]).includes(statement.entity_kind))
    return 'its kind cannot be derived'
  if (isRevoked?.(statement.parent_did)) return 'parent revoked'
  if (Date.parse(statement.created_at) > Date.parse(now)) return 'it lies in the future'
  if (statement.expires_at !== undefined && !(Date.parse(statement.expires_at) > Date.parse(now)))
    return 'expired'
  return isSignedByParent(statement) ? undefined : 'signature invalid'
}

/** False also for a statement without a canonical form, such as with half a character in its events: nobody signed that. */
function isSignedByParent(statement: LineageStatement): boolean {
  try {
    return isSignedBy(statement.parent_public_key, statementInput(statement), statement.signature)
  } catch {
    return false
  }
}

function kindOf(did: string): string {
  const segment = parseDid(did)?.entity_kind ?? ''
  return segment
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}
