// Rows of tool servers, approvals and calls.

import type { Database } from '@svc/contract/database'
import type { ToolDefinition, ToolServer } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { openJson, sealJson } from '../../cognition/content/api.ts'
import { type ServerScheme, schemeOf } from './tool-id.ts'

/** How many calls of a tool are stored. */
const calls_kept_max = 200
const calls_forgotten_max = 20

export type ToolState = 'approved' | 'quarantined' | 'disabled'
export type CallOutcome = 'ok' | 'tool_error' | 'refused' | 'failed' | 'timeout'

export interface ServerRow extends ToolServer {
  readonly allowed_tools: readonly string[] | null
  readonly state: 'active' | 'disabled'
}

export interface ToolRow {
  readonly server_id: string
  readonly name: string
  readonly state: ToolState
  readonly schema_hash: string | null
  readonly definition: Buffer | null
  /** Who must consent to each call. */
  readonly approval: string | null
  readonly decided_by: string
}

type Rows = Pick<OperationContext<'vault'>, 'tenant_id'> & { readonly db: Database }

interface ServerColumns {
  readonly server_id: string
  readonly transport: ToolServer['transport']
  readonly url: string | null
  readonly command_ref: string | null
  readonly headers_secret_ref: string | null
  readonly allowed_tools: readonly string[] | null
  readonly state: ServerRow['state']
}

/** By id; `only` selects one. */
export async function findServers(rows: Rows, only?: string): Promise<ServerRow[]> {
  const { db, tenant_id } = rows
  const fragment = only === undefined ? sql`` : sql`AND server_id = ${only}`
  const servers = await sql<ServerColumns>`
    SELECT server_id, transport, url, command_ref, headers_secret_ref, allowed_tools, state
    FROM mat_servers WHERE tenant_id = ${tenant_id} ${fragment} ORDER BY server_id`.execute(db)
  return servers.rows.map((row) => ({
    tenant_id,
    id: row.server_id,
    transport: row.transport,
    ...(row.url !== null && { url: row.url }),
    ...(row.command_ref !== null && { command_ref: row.command_ref }),
    ...(row.headers_secret_ref !== null && { headers_secret_ref: row.headers_secret_ref }),
    allowed_tools: row.allowed_tools,
    state: row.state,
  }))
}

/** Only the server, as the pool knows it. */
export function bareServer(row: ServerRow): ToolServer {
  const { allowed_tools: _allowed, state: _state, ...server } = row
  return server
}

/** One registration per tenant at a time, so that the limit on servers holds. */
export async function lockServers({ db, tenant_id }: Rows): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`mat servers ${tenant_id}`}, 0))`.execute(db)
}

export async function writeServer(rows: Rows, row: ServerRow, by: string, at: string): Promise<void> {
  const { db, tenant_id } = rows
  await sql`
    INSERT INTO mat_servers (tenant_id, server_id, transport, url, command_ref, headers_secret_ref, allowed_tools,
      state, registered_by, registered_at)
    VALUES (${tenant_id}, ${row.id}, ${row.transport}, ${row.url ?? null}, ${row.command_ref ?? null},
      ${row.headers_secret_ref ?? null}, ${row.allowed_tools}, ${row.state}, ${by}, ${at})
    ON CONFLICT (tenant_id, server_id) DO UPDATE SET transport = excluded.transport, url = excluded.url,
      command_ref = excluded.command_ref, headers_secret_ref = excluded.headers_secret_ref,
      allowed_tools = excluded.allowed_tools, state = excluded.state, registered_by = excluded.registered_by,
      registered_at = excluded.registered_at`.execute(db)
}

export async function findTools(
  { db, tenant_id }: Rows,
  server_ids: readonly string[],
  name?: string,
): Promise<ToolRow[]> {
  const named = name === undefined ? sql`` : sql`AND name = ${name}`
  return sql<ToolRow>`
    SELECT server_id, name, state, schema_hash, definition, approval, decided_by FROM mat_tools
    WHERE tenant_id = ${tenant_id} AND server_id = ANY(${[...server_ids]}::text[]) ${named}
    ORDER BY server_id, name`.all(db)
}

export interface ApprovedTool {
  readonly server_id: string
  readonly scheme: ServerScheme
  readonly definition: ToolDefinition
  /** Who approved it. */
  readonly decided_by: string
}

/** Of active servers, as they were approved. */
export async function approvedTools(
  context: Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>,
): Promise<ApprovedTool[]> {
  const servers = (await findServers(context)).filter(({ state }) => state === 'active')
  const rows = await findTools(
    context,
    servers.map(({ id }) => id),
  )
  return rows.flatMap((row) => {
    const { server_id, decided_by } = row
    const definition = row.state === 'approved' ? pinnedDefinition(context, row) : undefined
    const scheme = schemeOf(servers.find(({ id }) => id === server_id)!)
    return definition ? [{ server_id, scheme, definition, decided_by }] : []
  })
}

export interface Decision {
  readonly server_id: string
  readonly name: string
  readonly state: ToolState
  readonly by: string
  readonly at: string
}

/** Only another approval replaces a pin. */
export async function decideTool(
  rows: Rows & Pick<OperationContext<'vault'>, 'vault'>,
  { server_id, name, state, by, at }: Decision,
  pin?: {
    readonly schema_hash: string
    readonly definition: ToolDefinition
    readonly approval: string | null
  },
): Promise<void> {
  const { db, tenant_id, vault } = rows
  const sealed = pin && sealJson(vault, sealName(server_id, name), pin.definition)
  await sql`
    INSERT INTO mat_tools AS kept (tenant_id, server_id, name, state, schema_hash, definition, decided_by, decided_at,
      approval)
    VALUES (${tenant_id}, ${server_id}, ${name}, ${state}, ${pin?.schema_hash ?? null}, ${sealed ?? null}, ${by}, ${at},
      ${pin?.approval ?? null})
    ON CONFLICT (tenant_id, server_id, name) DO UPDATE SET state = excluded.state,
      schema_hash = coalesce(excluded.schema_hash, kept.schema_hash),
      definition = coalesce(excluded.definition, kept.definition),
      approval = CASE WHEN excluded.state = 'approved' THEN excluded.approval ELSE kept.approval END,
      decided_by = excluded.decided_by, decided_at = excluded.decided_at`.execute(db)
}

/** All approved tools of a server that has been replaced. Returns how many. */
export async function quarantineTools(
  { db, tenant_id }: Rows,
  server_id: string,
  by: string,
  at: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE mat_tools SET state = 'quarantined', decided_by = ${by}, decided_at = ${at}
    WHERE tenant_id = ${tenant_id} AND server_id = ${server_id} AND state = 'approved'`.execute(db)
  return Number(numAffectedRows)
}

export function pinnedDefinition(
  { vault }: Pick<OperationContext<'vault'>, 'vault'>,
  { server_id, name, definition }: ToolRow,
): ToolDefinition | undefined {
  return definition ? openJson<ToolDefinition>(vault, sealName(server_id, name), definition) : undefined
}

function sealName(server_id: string, name: string): string {
  return `mat://tool/${server_id}/${name}`
}

export async function beginCall(
  { db, tenant_id }: Rows,
  call: {
    readonly call_id: string
    readonly tool_id: string
    readonly caller_did: string
    readonly at: string
    readonly args_salt: Buffer
    readonly key_hash: string | undefined
  },
): Promise<void> {
  const { call_id, tool_id, caller_did, at, args_salt, key_hash = null } = call
  await sql`
    INSERT INTO mat_calls (tenant_id, call_id, tool_id, caller_did, begun_at, args_salt, key_hash)
    VALUES (${tenant_id}, ${call_id}, ${tool_id}, ${caller_did}, ${at}, ${args_salt}, ${key_hash})`.execute(
    db,
  )
}

/** Whether a call under this key may have been performed. */
export async function mayBeDone({ db, tenant_id }: Rows, key_hash: string, since: Date): Promise<boolean> {
  return sql`SELECT 1 FROM mat_calls WHERE tenant_id = ${tenant_id} AND key_hash = ${key_hash}
    AND may_be_done AND begun_at > ${since} LIMIT 1`.exists(db)
}

export async function endCall(
  { db, tenant_id }: Rows,
  call: {
    readonly call_id: string
    readonly tool_id: string
    readonly outcome: CallOutcome
    readonly may_be_done: boolean
    readonly latency_ms: number
  },
): Promise<void> {
  const { call_id, tool_id, outcome, may_be_done, latency_ms } = call
  await sql`
    UPDATE mat_calls SET outcome = ${outcome}, latency_ms = ${latency_ms}, may_be_done = ${may_be_done}
    WHERE tenant_id = ${tenant_id} AND call_id = ${call_id}`.execute(db)
  await sql`
    DELETE FROM mat_calls WHERE tenant_id = ${tenant_id} AND tool_id = ${tool_id} AND outcome IS NOT NULL
      AND (begun_at, call_id) < (
        SELECT begun_at, call_id FROM mat_calls WHERE tenant_id = ${tenant_id} AND tool_id = ${tool_id}
        ORDER BY begun_at DESC, call_id DESC OFFSET ${calls_kept_max - 1} LIMIT 1)`.execute(db)
}

export interface OwnCall {
  readonly tool_id: string
  readonly begun_at: Date
  readonly outcome: CallOutcome | null
}

/** A call that this caller began in its own process; locked, so that it ends once. */
export async function findOwnCall(
  { db, tenant_id }: Rows,
  call_id: string,
  caller_did: string,
): Promise<OwnCall | undefined> {
  return sql<OwnCall>`
    SELECT tool_id, begun_at, outcome FROM mat_calls
    WHERE tenant_id = ${tenant_id} AND call_id = ${call_id} AND caller_did = ${caller_did} AND tool_id LIKE 'own:%'
    FOR UPDATE`.first(db)
}

/** Those begun before a time: nobody can end them any more. A few at a time, but more than are begun. */
export async function forgetOwnCalls({ db, tenant_id }: Rows, before: Date): Promise<void> {
  await sql`
    DELETE FROM mat_calls WHERE tenant_id = ${tenant_id} AND call_id IN (
      SELECT call_id FROM mat_calls
      WHERE tenant_id = ${tenant_id} AND tool_id LIKE 'own:%' AND begun_at < ${before}
      ORDER BY begun_at LIMIT ${calls_forgotten_max} FOR UPDATE SKIP LOCKED)`.execute(db)
}

export interface CallStatistics {
  readonly p50_ms: number
  readonly error_rate: number
}

/** From this tenant's own calls. */
export async function callStatistics(
  { db, tenant_id }: Rows,
  tool_ids: readonly string[],
): Promise<Map<string, CallStatistics>> {
  const rows = await sql<CallStatistics & { tool_id: string }>`
    SELECT tool_id, percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50_ms,
      avg((outcome <> 'ok')::integer)::double precision AS error_rate
    FROM mat_calls
    WHERE tenant_id = ${tenant_id} AND tool_id = ANY(${[...tool_ids]}::text[]) AND outcome IS NOT NULL
    GROUP BY tool_id`.all(db)
  return new Map(rows.map(({ tool_id, p50_ms, error_rate }) => [tool_id, { p50_ms, error_rate }]))
}
