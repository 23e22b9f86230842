// Whether an identity exists in an organization: a name given to nobody would be lost.
import type { OperationContext } from '../operation-context.ts'
import { parseDid } from './did.ts'

/** The caller's own organization knows it by a key, custody, its charter or as a person, or its document can be resolved. */
export async function isMember(
  did: string,
  { db, tenant_id, caller, authority, membership }: OperationContext<'authority' | 'membership'>,
): Promise<boolean> {
  if (did === caller.did) return true
  if (parseDid(did)?.namespace !== tenant_id) return false
  if (await membership.knows(db, tenant_id, did)) return true
  return (await authority.of(did)).identity.auth_method !== 'unresolved'
}
