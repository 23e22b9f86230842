// Who may read a memory: its author alone, named agents and groups, or the whole tenant.
import { lineageGroup } from '@svc/contract/identity/principals'
import { refuse } from '@svc/contract/refusal'
import { Did, described, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import type { Readers } from '../content/api.ts'
import type { MemoryKind } from './cell.ts'

const shared_max = 64

const MemoryScope = described(
  OneOf('private', 'shared', 'tenant'),
  'Who may read it. private: only the agent that stores it, as working memory without a scope; shared: also those named; tenant: everybody, the default otherwise.',
)
export type MemoryScope = Static<typeof MemoryScope>

export const scope_fields = {
  scope: Type.Optional(MemoryScope),
  shared_with: Type.Optional(described(ListOf(Did, 1, shared_max), 'Agents; only with scope shared.')),
  shared_with_groups: Type.Optional(
    described(
      ListOf(Did, 1, shared_max),
      'Identities; each stands for itself and all with a verified lineage whose creator or root it is. Only with scope shared.',
    ),
  ),
}

export interface ScopeChoice {
  readonly scope?: MemoryScope | undefined
  readonly shared_with?: readonly string[] | undefined
  readonly shared_with_groups?: readonly string[] | undefined
}

/** The author always reads it. Sorted, so that the same circle has the same name. */
export function readersOf(
  { scope, shared_with, shared_with_groups }: ScopeChoice,
  kind: MemoryKind,
  author_did: string,
): Readers {
  const chosen = scope ?? (kind === 'working' ? 'private' : 'tenant')
  const others = [...(shared_with ?? []), ...(shared_with_groups ?? []).map(lineageGroup)]
  if ((chosen === 'shared') !== others.length > 0) throw misfit(chosen)
  if (chosen === 'tenant') return null
  return [...new Set([author_did, ...others])].sort()
}

/** Only the author changes what is not of the whole tenant, and its own working memory. */
export function requireAuthor(
  { ref, kind, author_did, readers }: CellOwner,
  caller: { readonly did: string },
): void {
  if (author_did === caller.did || (readers === null && kind !== 'working')) return
  throw refuse(
    'policy_denied',
    `Only the agent that stored ${ref} changes it: it is not a memory of the whole tenant; store one of your own.`,
    { reason: 'memory of another agent' },
  )
}

export interface CellOwner {
  readonly ref: string
  readonly kind: string
  readonly author_did: string
  readonly readers: Readers
}

function misfit(scope: MemoryScope) {
  return scope === 'shared'
    ? refuse('invalid_payload', 'A shared memory names its readers; add shared_with or shared_with_groups.', {
        reason: 'scope',
        path: '/shared_with',
      })
    : refuse(
        'invalid_payload',
        `shared_with and shared_with_groups belong to the scope shared, not to ${scope}; set it, or omit them.`,
        { reason: 'scope', path: '/scope' },
      )
}
