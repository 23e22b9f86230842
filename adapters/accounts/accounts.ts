// Everything the login needs of the database: people, sessions, grants, keys and login attempts.
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Credential } from '@svc/engine/call'
import type { Clock, Log } from '@svc/engine/ports'
import { findKey, type NewKey, revokeKey } from '../access/api-keys.ts'
import { issueOwnKey, listOwnKeys } from '../access/own-keys.ts'
import { acceptInvitation, type NewAccount, sweepInvitations } from './accepting.ts'
import { type AttemptRule, forgiveAddress, forgiveAttempts, sweepAttempts, takeAttempt } from './attempts.ts'
import { openHolders } from './holders.ts'
import { findInvitation, type Invitation } from './invitations.ts'
import type { NewPerson } from './new-person.ts'
import { type OauthPayloads, oauthPayloads, sweepPayloads } from './oauth-payloads.ts'
import { passwordFits } from './password.ts'
import { findPeople } from './people.ts'
import { applyClaims } from './role-claims.ts'
import { startSession, sweepSessions } from './sessions.ts'
import { loadSigningKeys } from './signing-keys.ts'
import {
  createUser,
  endEverything,
  findLogin,
  findUser,
  findUserBySubject,
  normalLogin,
  type UpstreamSubject,
  type User,
} from './users.ts'

const account_rule: AttemptRule = { free: 8, wait_ms: 15_000, wait_ms_max: 900_000 }
const address_rule: AttemptRule = { free: 40, wait_ms: 15_000, wait_ms_max: 900_000 }
const registration_rule: AttemptRule = { free: 20, wait_ms: 60_000, wait_ms_max: 900_000 }
const invitation_rule: AttemptRule = { free: 40, wait_ms: 15_000, wait_ms_max: 900_000 }
const sweep_every_ms = 300_000

/** The result of a password check. `user` is for the record, never for the answer. */
export type SignIn =
  | { readonly outcome: 'in'; readonly user: User }
  | { readonly outcome: 'wrong'; readonly user: User | undefined }
  | { readonly outcome: 'wait'; readonly user: undefined; readonly wait_ms: number }

export function openAccounts(
  db: Database,
  root_keys: RootKeys,
  clock: Clock,
  log: Log,
  newPerson: NewPerson,
) {
  const holders = openHolders(db, clock)
  const sweeping = startSweeping(db, clock, log)
  return {
    ...holders,
    payloads: forgettingGrants(oauthPayloads(db, root_keys), (hash) => holders.changed('grant', hash)),
    secretFor: (purpose: string) => root_keys.indexKey(`login/${purpose}`),
    signingKeys: () => loadSigningKeys(db, root_keys),
    findUser: (user_id: string) => findUser(db, user_id),
    hasLeft: async (tenant_id: string, did: string) => {
      const people = await findPeople(db, tenant_id, [], [did])
      return people.length > 0 && people.every(({ disabled }) => disabled)
    },
    startSession: (user: User) => startSession(db, user, clock),
    endEverything: async (user_id: string) => {
      await endEverything(db, user_id)
      holders.forgetAll()
    },
    signIn: (login: string, password: string, address: string) => signIn(db, clock, login, password, address),
    /** 0 if one more client may be registered from there; otherwise how long to wait. */
    mayRegister: (address: string) =>
      takeAttempt(db, `register:${address}`, registration_rule, clock.now_ms()),
    findBySubject: (at: UpstreamSubject) => findUserBySubject(db, at),
    createFromUpstream: (tenant_id: string, at: UpstreamSubject, login: string, name?: string) =>
      createFromUpstream(db, clock, newPerson, tenant_id, at, login, name),
    openInvitation: (token: string, address: string) => openInvitation(db, clock, token, address),
    acceptInvitation: (token: string, account: NewAccount) =>
      acceptInvitation({ db, clock, newPerson }, token, account),
    /** Roles that came by claims become what the claims say now; those given by hand stay. */
    applyClaims: (user: User, claims: Readonly<Record<string, unknown>>) =>
      applyClaims(db, clock, user, claims),
    issueKey: (new_key: NewKey, user_id: string) => issueOwnKey(db, new_key, user_id),
    listKeys: (...which: OwnKeys) => listOwnKeys(db, ...which),
    revokeKey: (credential: Credential, key_id: string) => revokeOwnKey(db, credential, key_id),
    close: () => sweeping.stop(),
  }
}

/** A grant ended here stops working at once: the change feed would notify this engine too, but later. */
function forgettingGrants(payloads: OauthPayloads, forget: (grant_hash: string) => void): OauthPayloads {
  return {
    ...payloads,
    async revokeGrant(grant_hash) {
      await payloads.revokeGrant(grant_hash)
      forget(grant_hash)
    },
    async destroy(model, id) {
      await payloads.destroy(model, id)
      if (model === 'Grant') forget(payloads.grantHash(id))
    },
  }
}

type OwnKeys = Parameters<typeof listOwnKeys> extends [Database, ...infer Rest] ? Rest : never

async function signIn(
  db: Database,
  clock: Clock,
  login: string,
  password: string,
  address: string,
): Promise<SignIn> {
  const subjects = { account: `login:${normalLogin(login).slice(0, 128)}`, address: `address:${address}` }
  const wait_ms = Math.max(
    await takeAttempt(db, subjects.address, address_rule, clock.now_ms()),
    await takeAttempt(db, subjects.account, account_rule, clock.now_ms()),
  )
  if (wait_ms > 0) return { outcome: 'wait', user: undefined, wait_ms }
  const credentials = await findLogin(db, login)
  // Looked up whether or not the password fits, so that both take as long.
  const [fits, user] = await Promise.all([
    passwordFits(password, credentials?.password),
    findUser(db, credentials?.user_id ?? ''),
  ])
  if (!fits || !user || user.disabled) return { outcome: 'wrong', user }
  await forgiveAttempts(db, subjects.account, subjects.address)
  return { outcome: 'in', user }
}

/** Each opening counts as a guess until the link proves good. */
async function openInvitation(
  db: Database,
  clock: Clock,
  token: string,
  address: string,
): Promise<{ readonly wait_ms: number; readonly invitation?: Invitation | undefined }> {
  const subject = `invitation:${address}`
  const wait_ms = await takeAttempt(db, subject, invitation_rule, clock.now_ms())
  if (wait_ms > 0) return { wait_ms }
  const invitation = await findInvitation(db, token, new Date(clock.now_ms()))
  if (invitation) await forgiveAddress(db, subject)
  return { wait_ms: 0, invitation }
}

/** In one transaction: if the login is taken, no identity is created. */
function createFromUpstream(
  db: Database,
  clock: Clock,
  newPerson: NewPerson,
  tenant_id: string,
  at: UpstreamSubject,
  login: string,
  name: string | undefined,
): Promise<User | undefined> {
  return db.transaction(async (trx) => {
    let user_id = ''
    await newPerson(trx, tenant_id, name ?? login, async (did) => {
      ;({ user_id } = await createUser(trx, clock, { tenant_id, login, name, did, upstream: at }))
    })
    return findUser(trx, user_id)
  })
}

async function revokeOwnKey(db: Database, { tenant_id, did }: Credential, key_id: string): Promise<boolean> {
  const key = await findKey(db, key_id)
  if (key?.tenant_id !== tenant_id || key.did !== did) return false
  return await revokeKey(db, tenant_id, key_id)
}

function startSweeping(db: Database, clock: Clock, log: Log): { stop(): void } {
  const sweep = async () => {
    await sweepPayloads(db)
    await sweepSessions(db)
    await sweepAttempts(db, clock.now_ms())
    await sweepInvitations(db, clock)
  }
  const timer = setInterval(() => {
    sweep().catch((error) => log.warn({ err: error }, 'old logins were not swept; it is tried again'))
  }, sweep_every_ms)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
