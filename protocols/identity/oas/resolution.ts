// Answers of the identity node. Nothing is used before its proof is checked.
import type { Database } from '@svc/contract/database'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { IdentityDocument } from '@svc/contract/identity/identity-document'
import { type LineageStatement, type LineageVerdict, verifyLineage } from '@svc/contract/identity/lineage'
import { readDocument } from '@svc/contract/identity/received-document'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { isCurrentKey } from '../keys/api.ts'
import { remoteSide } from './remote-side.ts'

export async function askResolve(
  did: string,
  accept_stale_seconds: number,
  context: OperationContext<'remote'>,
): Promise<{ document: IdentityDocument | undefined; stale_seconds: number }> {
  const answer = await remoteSide('OAS', context).invoke('resolve', { did, accept_stale_seconds })
  const { document, stale_seconds } = asObject(answer)
  if (document === null) return { document: undefined, stale_seconds: 0 }
  const read = readDocument(document, did)
  if (typeof read === 'string') {
    context.alarm('bad identity document', { did, why: read })
    throw badAnswer(`an invalid document of ${did} (${read})`)
  }
  return { document: read, stale_seconds: typeof stale_seconds === 'number' ? stale_seconds : 0 }
}

/** Whether the node considers this lineage valid. */
export async function askLineage(
  did: string,
  lineage: readonly LineageStatement[],
  context: OperationContext<'remote'>,
): Promise<boolean> {
  const { verified } = asObject(await remoteSide('OAS', context).invoke('verify_lineage', { did, lineage }))
  if (typeof verified !== 'boolean') throw badAnswer('an invalid lineage verdict')
  return verified
}

/** Offline except for revocations, which are checked only if everything else is valid. */
export async function judgeLineage(
  did: string,
  statements: readonly LineageStatement[],
  context: OperationContext<'authority'>,
): Promise<LineageVerdict> {
  const { now } = context
  const verdict = verifyLineage(did, statements, { now })
  if (!verdict.verified) return verdict
  const late = await signedTooLate(statements, context)
  if (late >= 0)
    return { ...verdict, verified: false, broken_at: late, reason: 'signed with a former key of the parent' }
  const authorities = await Promise.all(verdict.chain.map((member) => context.authority.of(member)))
  const revoked = new Set(
    authorities.filter(({ identity }) => identity.revoked).map(({ identity }) => identity.did),
  )
  return revoked.size === 0
    ? verdict
    : verifyLineage(did, statements, { now, isRevoked: (member) => revoked.has(member) })
}

/** The first statement by a key that its parent has given up, unless it was seen before: its date proves nothing. -1 where there is none. */
async function signedTooLate(
  statements: readonly LineageStatement[],
  { db }: OperationContext,
): Promise<number> {
  const are_good = await Promise.all(
    statements.map(
      async (statement) =>
        (await isCurrentKey(db, statement.parent_did, statement.parent_public_key)) ||
        (await wasStored(db, statement)),
    ),
  )
  return are_good.indexOf(false)
}

function wasStored(db: Database, { signature }: LineageStatement): Promise<boolean> {
  return sql`
    SELECT did FROM lineage_statements WHERE statements @> ${JSON.stringify([{ signature }])}::jsonb
    UNION ALL SELECT did FROM derived_identities WHERE statement @> ${JSON.stringify({ signature })}::jsonb LIMIT 1`.exists(
    db,
  )
}

export function outcomeOf(
  document: IdentityDocument | undefined,
  identity: ResolvedAgentIdentity,
  now: string,
): { outcome: 'Resolved' | 'Partial' | 'Failed'; warnings: string[] } {
  if (identity.revoked) return { outcome: document ? 'Resolved' : 'Failed', warnings: ['identity revoked'] }
  if (!document) return { outcome: 'Failed', warnings: ['the identity node has no document of it'] }
  if (identity.auth_method === 'unresolved')
    return { outcome: 'Failed', warnings: ['the identity could not be looked up'] }
  if (identity.lineage_verified) return { outcome: 'Resolved', warnings: [] }
  const { broken_at, reason = 'an ancestor is revoked' } = verifyLineage(document.id, document.lineage, {
    now,
  })
  return { outcome: 'Partial', warnings: [`lineage broken at depth ${broken_at ?? 0}: ${reason}`] }
}

function asObject(answer: unknown): Record<string, unknown> {
  if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
  throw badAnswer('a value that is not an object')
}

function badAnswer(what: string): Refusal {
  return refuse('adapter_error', `The identity node answered ${what}; ask its operator to investigate.`, {
    reason: 'bad answer',
  })
}
