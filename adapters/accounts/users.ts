// People who sign in. Each has one tenant and one DID, and acts as that DID.
import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import type { Clock } from '@svc/engine/ports'
import { type HashedPassword, hashPassword, type PasswordCost } from './password.ts'

export interface NewUser {
  readonly tenant_id: string
  readonly login: string
  readonly name?: string
  /** Without one, this person signs in only through the upstream issuer. */
  readonly password?: string
  readonly did: string
  readonly upstream?: UpstreamSubject
}

/** A person's identity at another OpenID issuer. */
export interface UpstreamSubject {
  readonly issuer: string
  readonly subject: string
}

export interface User {
  readonly user_id: string
  readonly tenant_id: string
  readonly did: string
  readonly login: string
  readonly name: string | null
  readonly tier: Tier
  readonly disabled: boolean
}

export interface UserListing extends Omit<User, 'tier'> {
  readonly has_password: boolean
  readonly oidc_issuer: string | null
  readonly roles: string[]
  readonly created_at: Date
}

const login_form = /^[a-z0-9][a-z0-9._+@-]{0,127}$/
const name_chars_max = 200
const users_listed_max = 200
const unique_violation = '23505'
const foreign_key_violation = '23503'

/** Who can sign in, by organization. */
export async function countPeople(
  db: Database,
  tenant_ids: readonly string[],
): Promise<{ readonly tenant_id: string; readonly people: number }[]> {
  return sql<{ tenant_id: string; people: number }>`
    SELECT tenant_id, count(*)::integer AS people FROM users
    WHERE tenant_id = ANY(${tenant_ids}) AND disabled_at IS NULL GROUP BY tenant_id`.all(db)
}

/** `cost` is that of the new password's hash: tests that sign many people in choose a cheap one. */
export async function createUser(
  db: Database,
  clock: Pick<Clock, 'uuid'>,
  new_user: NewUser,
  cost?: PasswordCost,
): Promise<{ user_id: string }> {
  const login = requireLogin(new_user.login)
  requireSound(new_user)
  const password = new_user.password === undefined ? undefined : await hashPassword(new_user.password, cost)
  const user_id = clock.uuid()
  await sql`
    INSERT INTO users (user_id, tenant_id, did, login, name, password_hash, password_salt, password_cost,
      password_changed_at, oidc_issuer, oidc_subject)
    VALUES (${user_id}, ${new_user.tenant_id}, ${new_user.did}, ${login}, ${new_user.name ?? null},
      ${password?.hash ?? null}, ${password?.salt ?? null}, ${password ? JSON.stringify(password.cost) : null},
      CASE WHEN ${password !== undefined} THEN now() END,
      ${new_user.upstream?.issuer ?? null}, ${new_user.upstream?.subject ?? null})`
    .execute(db)
    .catch((error) => {
      throw whyNotCreated(error, login, new_user.tenant_id)
    })
  return { user_id }
}

/** True if there is such a person. Ends every session and token: whoever knew the old password is signed out. */
export async function setPassword(db: Database, user_id: string, password: string): Promise<boolean> {
  const { hash, salt, cost } = await hashPassword(password)
  const { numAffectedRows } = await sql`
    WITH ${ending(user_id)}
    UPDATE users SET password_hash = ${hash}, password_salt = ${salt}, password_cost = ${JSON.stringify(cost)},
      password_changed_at = now() WHERE user_id = ${user_id}`.execute(db)
  return numAffectedRows === 1n
}

/** True if this call disabled them. Their sessions, the keys they made and their invitations end on every replica at once. */
export async function disableUser(db: Database, user_id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    WITH ${ending(user_id)},
    keys AS (UPDATE api_keys k SET revoked_at = now() FROM users u
      WHERE u.user_id = ${user_id} AND k.tenant_id = u.tenant_id AND k.revoked_at IS NULL
        AND (k.issued_by = u.user_id OR k.made_by = u.did OR (k.did = u.did AND k.proof_key IS NOT NULL))),
    invited AS (UPDATE invitations i SET ended_at = now(), ended_by = 'withdrawn' FROM users u
      WHERE u.user_id = ${user_id} AND i.tenant_id = u.tenant_id AND i.made_by = u.did AND i.ended_at IS NULL)
    UPDATE users SET disabled_at = now() WHERE user_id = ${user_id} AND disabled_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

/** Every session and every app's access. API keys stay valid: their holder revokes them. */
export async function endEverything(db: Database, user_id: string): Promise<void> {
  await sql`WITH ${ending(user_id)} SELECT`.execute(db)
}

/** A CTE, so that all of it happens in one statement or nothing does. */
function ending(user_id: string) {
  return sql`
    ended AS (UPDATE sessions SET revoked_at = now() WHERE user_id = ${user_id} AND revoked_at IS NULL),
    gone AS (DELETE FROM oauth_payloads WHERE user_id = ${user_id})`
}

export async function findUser(db: Database, user_id: string): Promise<User | undefined> {
  return sql<User>`
    SELECT u.user_id, u.tenant_id, u.did, u.login, u.name, t.tier, u.disabled_at IS NOT NULL AS disabled
    FROM users u JOIN tenants t USING (tenant_id) WHERE u.user_id = ${user_id}`.first(db)
}

export async function findUserBySubject(db: Database, at: UpstreamSubject): Promise<User | undefined> {
  const row = await sql<{ user_id: string }>`
    SELECT user_id FROM users WHERE oidc_issuer = ${at.issuer} AND oidc_subject = ${at.subject}`.first(db)
  return row && findUser(db, row.user_id)
}

/** The user with this login, and their password hash. */
export async function findLogin(
  db: Database,
  login: string,
): Promise<{ user_id: string; password: HashedPassword | undefined } | undefined> {
  const rows = await sql<
    { user_id: string } & { [Part in keyof HashedPassword]: HashedPassword[Part] | null }
  >`
    SELECT user_id, password_hash AS hash, password_salt AS salt, password_cost AS cost
    FROM users WHERE login = ${normalLogin(login)}`.all(db)
  const [row] = rows
  if (!row) return undefined
  const { user_id, hash, salt, cost } = row
  return { user_id, password: hash && salt && cost ? { hash, salt, cost } : undefined }
}

/** By login, so that the last of a page says where the next begins. */
export async function listUsers(
  db: Database,
  tenant_id: string,
  after_login = '',
  limit = users_listed_max,
): Promise<UserListing[]> {
  return sql<UserListing>`
    SELECT user_id, tenant_id, did, login, name, disabled_at IS NOT NULL AS disabled,
      password_changed_at IS NOT NULL AS has_password, oidc_issuer, created_at,
      ARRAY(SELECT DISTINCT role::text FROM person_roles r WHERE r.tenant_id = users.tenant_id AND r.user_id = users.user_id
        ORDER BY 1) AS roles
    FROM users WHERE tenant_id = ${tenant_id} AND login > ${after_login}
    ORDER BY login LIMIT ${Math.min(limit, users_listed_max)}`.all(db)
}

/** Logins are compared without regard to letter case or Unicode form. */
export function normalLogin(login: string): string {
  return login.trim().normalize('NFKC').toLowerCase()
}

/** As it is stored. */
export function requireLogin(text: string): string {
  const login = normalLogin(text)
  if (login_form.test(login)) return login
  throw invalid('login form', 'A login has 1 to 128 letters, digits and . _ + @ -, such as an email address.')
}

function requireSound({ tenant_id, did, name }: NewUser): void {
  if (parseDid(did)?.namespace !== tenant_id) {
    throw invalid(
      'did of another tenant',
      `A person of ${tenant_id} acts as a DID of it: did:oas:${tenant_id}:...`,
    )
  }
  if (name !== undefined && (name.length === 0 || name.length > name_chars_max)) {
    throw invalid('name length', `A name has 1 to ${name_chars_max} characters.`)
  }
}

function invalid(reason: string, sentence: string): Refusal {
  return refuse('invalid_payload', sentence, { reason })
}

function whyNotCreated(error: { code?: string }, login: string, tenant_id: string): unknown {
  if (error.code === unique_violation)
    return invalid('login taken', `Somebody already signs in as ${login}; choose another login.`)
  if (error.code === foreign_key_violation)
    return invalid('no such tenant', `There is no tenant ${tenant_id}; create it first.`)
  return error
}
