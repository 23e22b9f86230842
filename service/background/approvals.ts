// Consent to single calls: the gate of the engine, with the people that rules name.
import { didsWithCapability } from '@svc/adapters/access/api-keys'
import { findPeople } from '@svc/adapters/accounts/people'
import { didsWithRole } from '@svc/adapters/accounts/role-store'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { type ApprovalRequest, type AskedConsent, holdsRole } from '@svc/contract/authority/approval'
import { roleCapability } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { unavailable } from '@svc/contract/refusal'
import type { Approvals, Capabilities, Clock, IdentityResolver, Keystore, Log } from '@svc/engine/ports'
import { leaveNotice } from '@svc/protocols/awareness/mim/api'
import { approvalGate, type Decider, type KnownPeople } from '@svc/protocols/governance/approvals/api'

interface Parts {
  readonly store: Pick<PostgresStore, 'transaction' | 'engine'>
  readonly custody: Pick<Keystore, 'vault'>
  readonly identity: IdentityResolver
  readonly capabilities: Capabilities
  readonly clock: Pick<Clock, 'uuid'>
  readonly log: Log
}

export function openApprovals(parts: Parts): Approvals {
  const { store, custody, clock } = parts
  const { engine: db } = store
  return approvalGate({
    transaction: (tenant_id) => store.transaction(tenant_id),
    vaultOf: (tenant_id) => custody.vault(tenant_id),
    peopleOf: (tenant_id, users, dids) => peopleOf(db, tenant_id, users, dids),
    isWithdrawn: (tenant_id, deciders, at) => isWithdrawn(parts, tenant_id, deciders, at),
    onAsked: (request, approval_id, demands) => tell(parts, request, approval_id, demands),
    newId: () => clock.uuid(),
  })
}

const told_max = 16

/** By mail to those whom the rules name, and to people and keys with the role; others see it in their list. */
async function tell(
  { store, custody, clock, log }: Parts,
  request: ApprovalRequest,
  approval_id: string,
  demands: readonly AskedConsent[],
): Promise<void> {
  const { tenant_id, caller, protocol, operation, at, correlation_id } = request
  const transaction = store.transaction(tenant_id)
  try {
    const roles = demands.flatMap((demand) => demand.roles)
    const holders = [
      ...(await didsWithRole(store.engine, tenant_id, roles, told_max)),
      ...(await didsWithCapability(store.engine, tenant_id, roles.map(roleCapability), told_max)),
    ]
    const dids = new Set([...demands.flatMap((demand) => demand.dids), ...holders])
    dids.delete(caller.did)
    const body = { approval_id, state: 'PENDING', protocol, operation, caller: caller.did }
    const own = [...dids].filter((did) => parseDid(did)?.namespace === tenant_id)
    // Always in the same order, so that two requests cannot wait for each other.
    for (const to of own.toSorted().slice(0, told_max)) {
      const notice = { tenant_id, to, from: caller.did, dedupe_id: `approval ${approval_id}`, body, at }
      await leaveNotice(transaction.db, custody.vault(tenant_id), { ...notice, message_id: clock.uuid() })
    }
    await transaction.commit([])
  } catch (error) {
    await transaction.rollback()
    log.warn(
      { err: error, correlation_id, approval_id },
      'those who can approve a call could not be told by mail',
    )
  }
}

async function peopleOf(
  db: Database,
  tenant_id: string,
  users: readonly string[],
  dids: readonly string[],
): Promise<KnownPeople> {
  const people = await findPeople(db, tenant_id, users, dids)
  return {
    dids: new Map(people.filter(({ disabled }) => !disabled).map(({ login, did }) => [login, did])),
    names: new Map(people.map(({ login, did }) => [did, login])),
  }
}

async function isWithdrawn(
  { store, identity, capabilities }: Parts,
  tenant_id: string,
  deciders: readonly Decider[],
  at: Date,
): Promise<boolean> {
  for (const { did, roles } of deciders) {
    const resolution = await identity.resolve(did)
    if (resolution.outcome === 'Unavailable') throw unavailable('identity')
    if (resolution.outcome !== 'Failed' && resolution.identity.revoked) return true
    if (roles.length === 0) continue
    const authority = await capabilities.authorityOf(did, tenant_id)
    if (!roles.every((any) => any.some((role) => holdsRole(authority.held, role, at)))) return true
  }
  const dids = deciders.map(({ did }) => did)
  const people = await findPeople(store.engine, tenant_id, [], dids)
  return people.some(({ disabled }) => disabled)
}
