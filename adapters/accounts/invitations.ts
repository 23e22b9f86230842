// Invitations: a link that lets one person make an account, once. Only the hash of its secret is stored.

import { administrator, roleCapability } from '@svc/contract/authority/role'
import type { Database } from '@svc/contract/database'
import { hashSecret } from '@svc/contract/identity/api-key'
import type { NewInvitation, OpenInvitation } from '@svc/contract/needs/people'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { requireRoles } from './role-store.ts'

const open_invitations_max = 100
const token_form = /^[A-Za-z0-9_-]{43}$/
export const token_bytes = 32

/** As an operator sees it. */
export interface ListedInvitation extends OpenInvitation {
  /** Where set, the account gets this login, whatever the person would choose. */
  readonly login: string | null
}

export interface Invitation extends ListedInvitation {
  readonly tenant_id: string
}

interface Maker {
  readonly tenant_id: string
  readonly made_by: string
  readonly at: Date
}

export async function addInvitation(
  db: Database,
  { tenant_id, made_by, at }: Maker,
  { name, roles, expires_at, login }: NewInvitation & { readonly login?: string | undefined },
  secrets: { readonly invitation_id: string; readonly token: string },
): Promise<void> {
  await requireRoles(db, tenant_id, roles)
  if ((await openInvitations(db, tenant_id, at)).length >= open_invitations_max)
    throw refuse('policy_denied', `${open_invitations_max} invitations are open; withdraw one first.`, {
      reason: 'too many invitations',
    })
  await sql`
    INSERT INTO invitations (invitation_id, tenant_id, token_hash, name, roles, made_by, made_at, expires_at, login)
    VALUES (${secrets.invitation_id}, ${tenant_id}, ${hashSecret(secrets.token)}, ${name}, ${[...roles]}, ${made_by}, ${at},
      ${expires_at}, ${login ?? null})`.execute(db)
}

export async function openInvitations(
  db: Database,
  tenant_id: string,
  at: Date,
): Promise<ListedInvitation[]> {
  return sql<ListedInvitation>`
    SELECT invitation_id, name, roles, made_at, expires_at, login FROM invitations
    WHERE tenant_id = ${tenant_id} AND ended_at IS NULL AND expires_at > ${at}
    ORDER BY made_at DESC, invitation_id LIMIT ${open_invitations_max}`.all(db)
}

const with_name = sql`k.tenant_id = i.tenant_id AND k.did = i.made_by AND k.capabilities @> ${JSON.stringify([{ name: roleCapability(administrator) }])}::jsonb`

/** Whoever invited has not left meanwhile, and is an administrator still: by the role, or by a key of the operator's. */
const maker_may_invite = sql`
  NOT EXISTS (SELECT FROM users u WHERE u.tenant_id = i.tenant_id AND u.did = i.made_by AND u.disabled_at IS NOT NULL)
  AND (
    EXISTS (SELECT FROM users u JOIN person_roles r USING (tenant_id, user_id)
      WHERE u.tenant_id = i.tenant_id AND u.did = i.made_by AND r.role = ${administrator})
    OR EXISTS (SELECT FROM api_keys k WHERE ${with_name} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now()))
    -- The operator at the shell, and an agent whose document has the name.
    OR NOT EXISTS (SELECT FROM users u WHERE u.tenant_id = i.tenant_id AND u.did = i.made_by)
      AND NOT EXISTS (SELECT FROM api_keys k WHERE ${with_name}))`

/** Only while it can be used; locked, so that of two at once only one uses it. */
export async function findInvitation(
  db: Database,
  token: string,
  at: Date,
  locked = false,
): Promise<Invitation | undefined> {
  if (!token_form.test(token)) return undefined
  return sql<Invitation>`
    SELECT invitation_id, tenant_id, name, roles, made_at, expires_at, login FROM invitations i
    WHERE token_hash = ${hashSecret(token)} AND ended_at IS NULL AND expires_at > ${at}
      AND ${maker_may_invite}
    ${locked ? sql`FOR UPDATE` : sql``}`.first(db)
}

/** False where it had ended. */
export async function endInvitation(
  db: Database,
  tenant_id: string,
  invitation_id: string,
  by: 'used' | 'withdrawn',
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE invitations SET ended_at = ${at}, ended_by = ${by}
    WHERE tenant_id = ${tenant_id} AND invitation_id = ${invitation_id} AND ended_at IS NULL
      AND expires_at > ${at}`.execute(db)
  return numAffectedRows === 1n
}

const swept_at_once_max = 1_000

/** Those whose time is over, each once over all engines. */
export async function expireInvitations(
  db: Database,
  at: Date,
): Promise<readonly { readonly tenant_id: string; readonly invitation_id: string }[]> {
  return sql<{ tenant_id: string; invitation_id: string }>`
    UPDATE invitations SET ended_at = ${at}, ended_by = 'expired' WHERE invitation_id IN (
      SELECT invitation_id FROM invitations WHERE ended_at IS NULL AND expires_at <= ${at}
      LIMIT ${swept_at_once_max} FOR UPDATE SKIP LOCKED) RETURNING tenant_id, invitation_id`.all(db)
}
