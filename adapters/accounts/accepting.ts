// An invitation becomes an account, with an identity and the roles it names: all at once, or nothing.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import { isBuiltIn } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'
import { endInvitation, expireInvitations, findInvitation } from './invitations.ts'
import type { NewPerson } from './new-person.ts'
import { giveRoles, roleChanges } from './role-store.ts'
import { createUser, findUser, type UpstreamSubject, type User } from './users.ts'

export interface NewAccount {
  readonly login: string
  readonly name?: string | undefined
  readonly password?: string
  readonly upstream?: UpstreamSubject
}

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly newPerson: NewPerson
}

export function acceptInvitation(
  { db, clock, newPerson }: Parts,
  token: string,
  account: NewAccount,
): Promise<User | undefined> {
  const at = new Date(clock.now_ms())
  return db.transaction(async (trx) => {
    const invitation = await findInvitation(trx, token, at, true)
    if (!invitation) return undefined
    const { tenant_id, invitation_id } = invitation
    // A role that was removed meanwhile is not given.
    const changes = await roleChanges(trx, tenant_id)
    const roles = invitation.roles.filter((role) => isBuiltIn(role) || changes.has(role))
    const name = account.name ?? invitation.name
    let user_id = ''
    await newPerson(trx, tenant_id, name, async (did) => {
      const login = invitation.login ?? account.login
      ;({ user_id } = await createUser(trx, clock, { ...account, login, tenant_id, name, did }))
      await giveRoles(trx, { tenant_id, user_id }, roles, 'hand', at)
      await endInvitation(trx, tenant_id, invitation_id, 'used', at)
      const meta = { user_id, did, invitation_id, roles }
      await leaveInOutbox(trx, entryOf(clock, 'PersonJoined', tenant_id, did, meta))
    })
    return findUser(trx, user_id)
  })
}

/** Records each expired invitation once, whichever engine comes first. */
export async function sweepInvitations(db: Database, clock: Clock): Promise<void> {
  await db.transaction(async (trx) => {
    const expired = await expireInvitations(trx, new Date(clock.now_ms()))
    for (const { tenant_id, invitation_id } of expired) {
      const meta = { invitation_id, by: 'expired' }
      await leaveInOutbox(trx, entryOf(clock, 'InvitationEnded', tenant_id, 'system', meta))
    }
  })
}

export function entryOf(
  clock: Clock,
  event_type: EventType,
  tenant_id: string,
  caller_did: string,
  meta: Record<string, unknown>,
): AuditEntry {
  return {
    id: clock.uuid(),
    event_type,
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id,
    caller_did,
    outcome: 'success',
    latency_ms: 0,
    meta: { ...meta, origin: 'http' },
  }
}
