// Action rows. An action has one supervisor at a time; one that lost it writes nothing more.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import type { StandIn } from '@svc/contract/needs/stand-in'
import type { Vault } from '@svc/contract/needs/vault'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import { openJson, sealJson } from '../../cognition/content/api.ts'
import type { StopScope } from '../stop-latch/api.ts'
import type { ActionAsk, ActionState } from './action.ts'

export interface ActionRow {
  readonly tenant_id: string
  readonly action_id: string
  readonly action_kind: string
  readonly owner_did: string
  readonly device_id: string | null
  readonly state: ActionState
  readonly grace_ms: number
  readonly correlation_id: string
  readonly created_at: Date
  readonly deadline_at: Date
  readonly started_at: Date | null
  readonly ended_at: Date | null
  readonly supervisor: string | null
  readonly host: string | null
  readonly process_group: number | null
  readonly stop_ref: string | null
  readonly stop_mode: 'graceful' | 'immediate' | null
  readonly how: string | null
  readonly error_code: string | null
}

export interface OpenAction extends ActionRow {
  readonly ask: ActionAsk
  readonly acting: StandIn
  readonly output: unknown
}

interface SealedAction extends ActionRow {
  readonly ask: Buffer
  readonly acting: Buffer
  readonly output: Buffer | null
}

interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly vault: Vault
}

const columns = sql`tenant_id, action_id, action_kind, owner_did, device_id, state, grace_ms, correlation_id,
  created_at, deadline_at, started_at, ended_at, supervisor, host, process_group, stop_ref, stop_mode, how, error_code`

export interface NewAction {
  readonly action_id: string
  readonly ask: ActionAsk
  readonly acting: StandIn
  readonly device_id: string | null
  readonly stop_token: string
  readonly authority: string | null
  readonly grace_ms: number
  readonly now: string
  readonly deadline_at: Date
}

export async function createAction({ db, tenant_id, vault }: Place, action: NewAction): Promise<void> {
  const { action_id, ask, acting, device_id, stop_token, authority, grace_ms, now, deadline_at } = action
  await sql`
    INSERT INTO maker_action (tenant_id, action_id, action_kind, owner_did, device_id, state, ask, acting, stop_token,
      irreversible, risk_ref, authority, grace_ms, correlation_id, created_at, deadline_at)
    VALUES (${tenant_id}, ${action_id}, ${ask.action_kind}, ${acting.did}, ${device_id}, 'authorised',
      ${sealJson(vault, `ask ${action_id}`, ask)}, ${sealJson(vault, `acting ${action_id}`, acting)}, ${stop_token},
      ${ask.irreversible}, ${ask.risk_ref ?? null}, ${authority}, ${grace_ms}, ${acting.correlation_id}, ${now},
      ${deadline_at})`.execute(db)
}

export async function findAction(place: Place, action_id: string): Promise<OpenAction | undefined> {
  const row = await sql<SealedAction>`SELECT ${columns}, ask, acting, output FROM maker_action
    WHERE tenant_id = ${place.tenant_id} AND action_id = ${action_id}`.first(place.db)
  return row && openAction(place.vault, row)
}

/** Actions are read often and the request may be a megabyte, so it is decrypted only on access. */
function openAction(vault: Vault, row: SealedAction): OpenAction {
  const { action_id, ask: sealed, acting, output } = row
  let ask: ActionAsk | undefined
  return {
    ...row,
    get ask() {
      ask ??= openJson<ActionAsk>(vault, `ask ${action_id}`, sealed)
      return ask
    },
    acting: openJson(vault, `acting ${action_id}`, acting),
    output: output === null ? undefined : openJson(vault, `output ${action_id}`, output),
  }
}

export interface ActionQuestion extends Bounds {
  readonly state?: ActionState | undefined
  readonly owner_did?: string | undefined
  readonly action_kind?: string | undefined
}

/** Newest first. */
export async function listActions(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  question: ActionQuestion,
): Promise<readonly ActionRow[]> {
  const { state, owner_did, action_kind } = question
  const page = pageOf(question, sql`created_at`, sql`action_id`, [
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(owner_did === undefined ? [] : [sql`owner_did = ${owner_did}`]),
    ...(action_kind === undefined ? [] : [sql`action_kind = ${action_kind}`]),
  ])
  return sql<ActionRow>`SELECT ${columns} FROM maker_action
    WHERE tenant_id = ${tenant_id} AND ${page}`.all(db)
}

function coveredBy(scope: StopScope, scope_id: string) {
  return {
    action: sql`action_id = ${scope_id}`,
    agent: sql`ended_at IS NULL AND owner_did = ${scope_id}`,
    device: sql`ended_at IS NULL AND device_id = ${scope_id}`,
    tenant: sql`ended_at IS NULL`,
  }[scope]
}

/** Open actions covered by a stop, running ones first; an ended action only if it is named. */
export async function actionsIn(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  scope: StopScope,
  scope_id: string,
  limit: number,
): Promise<readonly ActionRow[]> {
  return sql<ActionRow>`SELECT ${columns} FROM maker_action
    WHERE tenant_id = ${tenant_id} AND ${coveredBy(scope, scope_id)}
    ORDER BY array_position(ARRAY['running', 'stopping', 'authorised'], state), created_at
    LIMIT ${limit}`.all(db)
}

export async function actionsOf(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  action_ids: readonly string[],
): Promise<readonly ActionRow[]> {
  return sql<ActionRow>`SELECT ${columns} FROM maker_action
    WHERE tenant_id = ${tenant_id} AND action_id = ANY(${[...action_ids]}) ORDER BY created_at`.all(db)
}

export async function actionOfToken(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  stop_token: string,
): Promise<string | undefined> {
  const row = await sql<{ action_id: string }>`SELECT action_id FROM maker_action
    WHERE tenant_id = ${tenant_id} AND stop_token = ${stop_token}`.first(db)
  return row?.action_id
}

/** Covers any number of actions. Supervisors are told to check now; actions not started are stopped here. */
export async function askToStop(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  { scope, scope_id }: { readonly scope: StopScope; readonly scope_id: string },
  stop: { readonly stop_ref: string; readonly mode: 'graceful' | 'immediate'; readonly at: string },
): Promise<number> {
  const { stop_ref, mode, at } = stop
  const { numAffectedRows = 0n } = await sql`
    UPDATE maker_action SET stop_ref = ${stop_ref}, stop_mode = ${mode},
      state = CASE WHEN state = 'authorised' THEN 'stopped' ELSE 'stopping' END,
      how = CASE WHEN state = 'authorised' THEN 'never_started' ELSE how END,
      ended_at = CASE WHEN state = 'authorised' THEN ${at}::timestamptz ELSE ended_at END
    WHERE tenant_id = ${tenant_id} AND ${coveredBy(scope, scope_id)} AND ended_at IS NULL`.execute(db)
  return Number(numAffectedRows)
}
