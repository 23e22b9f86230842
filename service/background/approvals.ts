// Consent to single calls: the gate of the engine, with the people that rules name.
import { findPeople } from '@svc/adapters/accounts/people'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import { unavailable } from '@svc/contract/refusal'
import type { Approvals, Clock, IdentityResolver, Keystore } from '@svc/engine/ports'
import { approvalGate, type KnownPeople } from '@svc/protocols/governance/approvals/api'

interface Parts {
  readonly store: Pick<PostgresStore, 'transaction' | 'engine'>
  readonly custody: Pick<Keystore, 'vault'>
  readonly identity: IdentityResolver
  readonly clock: Pick<Clock, 'uuid'>
}

export function openApprovals({ store, custody, identity, clock }: Parts): Approvals {
  const { engine: db } = store
  return approvalGate({
    transaction: (tenant_id) => store.transaction(tenant_id),
    vaultOf: (tenant_id) => custody.vault(tenant_id),
    peopleOf: (tenant_id, users, dids) => peopleOf(db, tenant_id, users, dids),
    isWithdrawn: (tenant_id, dids) => isWithdrawn(db, identity, tenant_id, dids),
    newId: () => clock.uuid(),
  })
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
  db: Database,
  identity: IdentityResolver,
  tenant_id: string,
  dids: readonly string[],
): Promise<boolean> {
  for (const did of dids) {
    const resolution = await identity.resolve(did)
    if (resolution.outcome === 'Unavailable') throw unavailable('identity')
    if (resolution.outcome !== 'Failed' && resolution.identity.revoked) return true
  }
  const people = await findPeople(db, tenant_id, [], dids)
  return people.some(({ disabled }) => disabled)
}
