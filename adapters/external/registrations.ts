// Which remote services answer for which protocol versions, and how calls are balanced. Set by the operator, for all
// tenants.

import type { Database } from '@svc/contract/database'
import type { AnswerProof } from '@svc/contract/foreign/external-protocol'
import { engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Balance } from '@svc/engine/routing/routing'
import { changes_channel } from '../access/api-keys.ts'

export const registrations_max = 1_000
export const weight_max = 1_000
const listed_max = 200

/** The change kind of these tables. */
export const protocol_change = 'protocol'

export const external_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-75-external-protocols',
    sql: `
      CREATE TABLE external_protocols (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL CHECK (name ~ '^[A-Za-z]{1,32}$'),
        name_key text NOT NULL GENERATED ALWAYS AS (upper(name)) STORED,
        version text NOT NULL CHECK (length(version) <= 160),
        endpoint text NOT NULL CHECK (length(endpoint) <= 512),
        timeout_ms integer NOT NULL CHECK (timeout_ms BETWEEN 1 AND 600000),
        operations text[] NOT NULL CHECK (cardinality(operations) BETWEEN 1 AND 256),
        did text NOT NULL,
        weight integer NOT NULL CHECK (weight BETWEEN 1 AND ${weight_max}),
        enabled boolean NOT NULL DEFAULT true,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (name_key, version, endpoint)
      );
      GRANT SELECT, INSERT, UPDATE, DELETE ON external_protocols TO ${engine_role};
      CREATE FUNCTION svc_tell_protocols() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('${changes_channel}', '${protocol_change}:' || TG_TABLE_NAME);
        RETURN NULL;
      END $$;
      CREATE TRIGGER external_protocols_tell AFTER INSERT OR UPDATE OR DELETE ON external_protocols
        FOR EACH STATEMENT EXECUTE FUNCTION svc_tell_protocols();
    `,
  },
  {
    name: '2026-11-15-76-protocol-settings',
    sql: `
      CREATE TABLE protocol_settings (
        name_key text PRIMARY KEY CHECK (name_key ~ '^[A-Z]{1,32}$'),
        balance text NOT NULL DEFAULT 'round-robin'
          CHECK (balance IN ('round-robin', 'least-request', 'tenant-hash')),
        canary jsonb NOT NULL DEFAULT '[]'
      );
      GRANT SELECT, INSERT, UPDATE ON protocol_settings TO ${engine_role};
      CREATE TRIGGER protocol_settings_tell AFTER INSERT OR UPDATE OR DELETE ON protocol_settings
        FOR EACH STATEMENT EXECUTE FUNCTION svc_tell_protocols();
    `,
  },
]

export const external_trust_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-95-external-trust',
    sql: `
      ALTER TABLE external_protocols
        ADD COLUMN answers text NOT NULL DEFAULT 'signed' CHECK (answers IN ('signed', 'unsigned')),
        ADD COLUMN treaty_id text CHECK (length(treaty_id) <= 128);
    `,
  },
]

export interface Registration {
  /** In order of registration. */
  readonly id: string
  readonly name: string
  readonly version: string
  readonly endpoint: string
  readonly timeout_ms: number
  readonly operations: readonly string[]
  readonly did: string
  readonly answers: AnswerProof
  /** Used only while this treaty of the operator's is in force; null if only its DID is known. */
  readonly treaty_id: string | null
  readonly weight: number
  readonly enabled: boolean
  readonly created_at: Date
}

export interface CanaryWeight {
  readonly version: string
  readonly weight_bps: number
}

export interface ProtocolSettings {
  readonly name_key: string
  readonly balance: Balance
  readonly canary: readonly CanaryWeight[]
}

const columns = sql.raw(
  'id, name, version, endpoint, timeout_ms, operations, did, answers, treaty_id, weight, enabled, created_at',
)

/** Nobody else changes these tables until the end of the transaction. */
export async function lockRegistrations(db: Database): Promise<void> {
  await sql`LOCK TABLE external_protocols, protocol_settings IN SHARE ROW EXCLUSIVE MODE`.execute(db)
}

/** Everything an engine routes by, in one snapshot. */
export async function readAll(
  db: Database,
): Promise<{ registrations: Registration[]; settings: ProtocolSettings[] }> {
  return db.transaction(async (trx) => {
    const registrations = await sql<Registration>`
        SELECT ${columns} FROM external_protocols ORDER BY id LIMIT ${registrations_max}`.execute(trx)
    const settings = await sql<ProtocolSettings>`
        SELECT name_key, balance, canary FROM protocol_settings ORDER BY name_key`.execute(trx)
    return { registrations: registrations.rows, settings: settings.rows }
  }, 'isolation level repeatable read')
}

export async function listRegistrations(db: Database, after_id = '0'): Promise<Registration[]> {
  return sql<Registration>`
    SELECT ${columns} FROM external_protocols WHERE id > ${after_id} ORDER BY id LIMIT ${listed_max}`.all(db)
}

export async function registrationsOf(db: Database, name: string): Promise<Registration[]> {
  return sql<Registration>`
    SELECT ${columns} FROM external_protocols WHERE name_key = ${name.toUpperCase()}
    ORDER BY id LIMIT ${registrations_max}`.all(db)
}

export async function countRegistrations(db: Database): Promise<number> {
  const row = await sql<{ count: string }>`SELECT count(*) AS count FROM external_protocols`.first(db)
  return Number(row?.count ?? 0)
}

/** A new registration; answers are signed by default. */
export type Wanted = Omit<Registration, 'id' | 'enabled' | 'created_at' | 'answers' | 'treaty_id'> &
  Partial<Pick<Registration, 'answers' | 'treaty_id'>>

/** An existing registration is updated, and stays enabled or disabled. */
export async function keepRegistration(db: Database, registration: Wanted): Promise<Registration> {
  const { name, version, endpoint, timeout_ms, operations, did, weight } = registration
  const { answers = 'signed', treaty_id = null } = registration
  const row = await sql<Registration>`
    INSERT INTO external_protocols
      (name, version, endpoint, timeout_ms, operations, did, answers, treaty_id, weight)
    VALUES (${name}, ${version}, ${endpoint}, ${timeout_ms}, ${operations}, ${did}, ${answers}, ${treaty_id}, ${weight})
    ON CONFLICT (name_key, version, endpoint) DO UPDATE
    SET timeout_ms = excluded.timeout_ms, operations = excluded.operations, did = excluded.did,
      answers = excluded.answers, treaty_id = excluded.treaty_id, weight = excluded.weight
    RETURNING ${columns}`.first(db)
  return row!
}

/** One endpoint of a version, or all of them. */
export interface Chosen {
  readonly name: string
  readonly version: string
  readonly endpoint?: string | undefined
}

function condition({ name, version, endpoint }: Chosen) {
  const of_version = sql`name_key = ${name.toUpperCase()} AND version = ${version}`
  return endpoint === undefined ? of_version : sql`${of_version} AND endpoint = ${endpoint}`
}

export async function removeRegistrations(db: Database, chosen: Chosen): Promise<Registration[]> {
  return sql<Registration>`
    DELETE FROM external_protocols WHERE ${condition(chosen)} RETURNING ${columns}`.all(db)
}

export async function enableRegistrations(
  db: Database,
  chosen: Chosen,
  enabled: boolean,
): Promise<Registration[]> {
  return sql<Registration>`
    UPDATE external_protocols SET enabled = ${enabled} WHERE ${condition(chosen)} RETURNING ${columns}`.all(
    db,
  )
}

export async function settingsOf(db: Database, name: string): Promise<ProtocolSettings> {
  const name_key = name.toUpperCase()
  const row = await sql<ProtocolSettings>`
    SELECT name_key, balance, canary FROM protocol_settings WHERE name_key = ${name_key}`.first(db)
  return row ?? { name_key, balance: 'round-robin', canary: [] }
}

export async function keepSettings(db: Database, settings: ProtocolSettings): Promise<void> {
  const { name_key, balance, canary } = settings
  await sql`
    INSERT INTO protocol_settings (name_key, balance, canary)
    VALUES (${name_key}, ${balance}, ${JSON.stringify(canary)}::jsonb)
    ON CONFLICT (name_key) DO UPDATE SET balance = excluded.balance, canary = excluded.canary`.execute(db)
}
