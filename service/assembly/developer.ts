// The development tenant: an agent with an API key and a console login, created once and stored in the data folder.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findKey, issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { createUser, findLogin } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import { administrator } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { payIntoRunway } from '@svc/protocols/economic/ledger/api'
import { readBooks } from '@svc/protocols/economic/meal/api'
import { operator_tenant } from '../settings/operator-key.ts'
import { askBundledNode, makeIdentity } from './identities.ts'

export const development_tenant = 'dev'
const development_credit_micro_usd = 1_000_000_000n

export interface Developer {
  readonly agent_did: string
  readonly api_key: string
  readonly console_login: string
  readonly console_password: string
}

/** Creates the development tenant and its key once and stores them, so that printed commands keep working. */
export async function provisionDeveloper(
  store: PostgresStore,
  root_keys: RootKeys,
  data_dir: string,
): Promise<Developer> {
  await ensureTenant(store.engine, development_tenant, 'Development', 'sovereign')
  await payFirstCredit(store.engine)
  const file = join(data_dir, 'developer.json')
  const stored: Partial<Developer> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const caller = (await knownCaller(store.engine, stored)) ?? (await newCaller(store.engine, root_keys))
  const login = (await knownLogin(store.engine, stored)) ?? (await newLogin(store.engine, caller.agent_did))
  const developer = { ...caller, ...login }
  if (JSON.stringify(developer) !== JSON.stringify(stored)) writeWhole(file, JSON.stringify(developer))
  return developer
}

type Caller = Pick<Developer, 'agent_did' | 'api_key'>
type Login = Pick<Developer, 'console_login' | 'console_password'>

/** If the key was revoked, for example in the console, the same agent gets a new one. */
async function knownCaller(
  db: Database,
  { agent_did, api_key }: Partial<Developer>,
): Promise<Caller | undefined> {
  const presented = api_key === undefined ? undefined : parseApiKey(api_key)
  const key_record = presented && (await findKey(db, presented.key_id))
  if (!key_record || !agent_did || !api_key) return undefined
  return key_record.revoked ? await newKey(db, agent_did) : { agent_did, api_key }
}

async function newCaller(db: Database, root_keys: RootKeys): Promise<Caller> {
  return await newKey(db, await makeDeveloper(db, root_keys))
}

async function newKey(db: Database, agent_did: string): Promise<Caller> {
  const key_request = { tenant_id: development_tenant, did: agent_did, label: 'made by svc-engine up' }
  const { api_key } = await issueKey(db, { ...key_request, mode: 'test' })
  return { agent_did, api_key }
}

async function knownLogin(
  db: Database,
  { console_login, console_password }: Partial<Developer>,
): Promise<Login | undefined> {
  if (!console_login || !console_password || !(await findLogin(db, console_login))) return undefined
  return { console_login, console_password }
}

/** If the password was lost, by a kill or with the data folder, a second login with another name is created. */
async function newLogin(db: Database, did: string): Promise<Login> {
  const is_taken = (await findLogin(db, 'developer')) !== undefined
  const console_login = is_taken ? `developer-${system_clock.randomBytes(4).toString('hex')}` : 'developer'
  const console_password = system_clock.randomBytes(12).toString('base64url')
  const person = { login: console_login, password: console_password, name: 'Developer' }
  const tenant_id = development_tenant
  const { user_id } = await createUser(db, system_clock, { tenant_id, did, ...person })
  const at = new Date(system_clock.now_ms())
  await giveRoles(db, { tenant_id, user_id }, [administrator], 'hand', at)
  return { console_login, console_password }
}

/** Only once: spent credit is not granted again at the next start. */
async function payFirstCredit(db: Database): Promise<void> {
  const { paid_in_micro_usd } = await readBooks(db, development_tenant)
  if (paid_in_micro_usd > 0n) return
  await payIntoRunway(db, {
    tenant_id: development_tenant,
    operator_tenant_id: operator_tenant,
    micro_usd: development_credit_micro_usd,
    kind: 'credit',
    ref: 'made by svc-engine up',
    correlation_id: system_clock.uuid(),
    at: new Date(system_clock.now_ms()).toISOString(),
  })
}

/**
 * An agent that descends from a person, as in production, with its key in custody, so that it can derive and delegate. The sole charter
 * member, so that it can do what binds the organization.
 */
async function makeDeveloper(db: Database, root_keys: RootKeys): Promise<string> {
  const home = { db, root_keys, clock: system_clock, askNode: askBundledNode(db, system_clock) }
  const ours = { tenant_id: development_tenant, custody: 'engine' } as const
  const root = await makeIdentity(home, { ...ours, entity_kind: 'HumanRoot', name: 'Development root' })
  const agent = { entity_kind: 'Agent', name: 'Developer', parent_did: root.did, label: 'developer' }
  const { did } = await makeIdentity(home, { ...ours, ...agent })
  await addMember(db, development_tenant, did, new Date(system_clock.now_ms()))
  return did
}

/** Written atomically: a half-written file would break every later start. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
