// Who holds a grant or a session, and is it still valid? Needs no master key, so a gateway can ask too.
import type { Database } from '@svc/contract/database'
import type { Credential } from '@svc/engine/call'
import type { Clock } from '@svc/engine/ports'
import { findGrantor } from './oauth-payloads.ts'
import { findSession, revokeSession, type SessionRecord } from './sessions.ts'
import { standing } from './standing.ts'
import type { User } from './users.ts'

export function openHolders(db: Database, clock: Clock) {
  const grantors = standing((grant_hash) => findGrantor(db, grant_hash), clock)
  const sessions = standing((token_hash) => findSession(db, token_hash), clock)
  const forgetAll = (): void => {
    grantors.forgetAll()
    sessions.forgetAll()
  }
  return {
    credentialOf,
    grantor: (grant_hash: string) => grantors.find(grant_hash),
    session: (token_hash: string) => sessions.find(token_hash),
    endSession: async ({ session_id }: SessionRecord, token_hash: string) => {
      await revokeSession(db, session_id)
      sessions.forget(token_hash)
    },
    /** A change by another replica; the kinds are those of the change feed. */
    changed(kind: string, id: string): void {
      if (kind === 'grant') grantors.forget(id)
      else if (kind === 'session') sessions.forget(id)
      else if (kind === 'user') forgetAll()
    },
    forgetAll,
  }
}

/** A person acts as their DID, with the capabilities of its identity document, its roles, and those granted to it. */
function credentialOf(user: User, key_id: string): Credential {
  const { did, tenant_id, tier, login, name } = user
  return { key_id, did, tenant_id, tier, capabilities: [], person: { name: name ?? login } }
}
