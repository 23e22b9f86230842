// Sign-in of people: accounts, the OAuth server and its pages.
import { issueKey } from '@svc/adapters/access/api-keys'
import { issuerKeys } from '@svc/adapters/access/issuer-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import { madeBy, useWorkload, type Workload, workloadsOf } from '@svc/adapters/access/workloads'
import { openAccounts } from '@svc/adapters/accounts/accounts'
import type { NewPerson } from '@svc/adapters/accounts/new-person'
import type { ExternalClient } from '@svc/adapters/endpoint/external-client'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock, Log } from '@svc/engine/ports'
import { type Login, openLogin } from '@svc/gateway/oauth/login'
import type { Workloads } from '@svc/gateway/oauth/ports'
import type { SettledSite } from '@svc/gateway/oauth/site'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import type { Config } from '../settings/config.ts'
import { askThrough, makeIdentity } from './identities.ts'

export interface People extends Login {
  /** Another replica changed a person, a session or a grant. */
  changed(kind: string, id: string): void
  /** Changes may have been missed. */
  forgetAll(): void
  close(): void
}

interface Parts {
  readonly db: Database
  readonly root_keys: RootKeys
  readonly clock: Clock
  readonly log: Log
  readonly site: SettledSite
  /** The identity node, if any. */
  readonly oas: ExternalClient | undefined
}

export function openPeople(config: Config, { db, root_keys, clock, log, site, oas }: Parts): People {
  const person = newPerson(config, root_keys, clock, oas)
  const accounts = openAccounts(db, root_keys, clock, log, person)
  const login = openLogin(accounts, openWorkloads(config, db, clock), config.login, site, clock)
  return {
    ...login,
    changed: (kind, id) => accounts.changed(kind, id),
    forgetAll: () => accounts.forgetAll(),
    close: () => accounts.close(),
  }
}

function openWorkloads({ allowed_networks, tls }: Config, db: Database, clock: Clock): Workloads {
  const keys = issuerKeys({ guard: addressGuard(allowed_networks), ca: tls.authorities }, clock)
  return {
    mappingsOf: (issuer, did) => workloadsOf(db, issuer, did),
    keysOf: (issuer, { jwks }: Partial<Workload>) =>
      jwks ? (createLocalJWKSet(jwks) as JWTVerifyGetKey) : keys.of(issuer),
    async startSession({ workload_id, tenant_id, did }, proof_key, expires_at) {
      return await db.transaction(async (trx) => {
        if (!(await useWorkload(trx, workload_id, new Date(clock.now_ms())))) throw removed()
        const { key_id, api_key } = await issueKey(trx, {
          tenant_id,
          did,
          mode: 'live',
          label: `workload ${workload_id}`,
          made_by: madeBy(workload_id),
          proof_key,
          expires_at: expires_at.toISOString(),
        })
        return { key_id, token: api_key }
      })
    },
  }
}

function removed(): Refusal {
  const sentence = 'This workload was removed; ask an administrator of its organization to add it again.'
  return refuse('unauthenticated', sentence, { reason: 'workload removed' })
}

/** A person is a root whose key the engine keeps. Without an identity node only the DID is created. */
function newPerson(
  { agent_did }: Config,
  root_keys: RootKeys,
  clock: Clock,
  oas: ExternalClient | undefined,
): NewPerson {
  if (!oas) return (_db, tenant_id, _name, keep) => keep(newIdentity(tenant_id, 'human-root').did)
  const askNode = askThrough(oas, agent_did, clock)
  return (db, tenant_id, name, keep) => {
    const person = { tenant_id, entity_kind: 'HumanRoot', custody: 'engine', name } as const
    return makeIdentity({ db, root_keys, clock, askNode }, person, keep)
  }
}

/** Our listening address for a browser or an MCP client on this machine. */
export function listeningUrl({ host, tls }: Config, port: number): string {
  const is_any = host === '0.0.0.0' || host === '::'
  return `${tls.listener ? 'https' : 'http'}://${is_any ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}
