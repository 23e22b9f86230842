// All plugins ever seen: their state and reason, and the operator's setting. For all tenants.

import type { Database } from '@svc/contract/database'
import { engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const plugin_states = ['Pending', 'Registered', 'Disabled', 'Error', 'Removed'] as const
export type PluginState = (typeof plugin_states)[number]

export const plugin_migrations: readonly Migration[] = [
  {
    name: '2026-11-19-10-plugins',
    sql: `
      CREATE TABLE plugins (
        name text NOT NULL CHECK (length(name) <= 255),
        version text NOT NULL CHECK (length(version) <= 160),
        digest text NOT NULL CHECK (digest ~ '^([0-9a-f]{64})?$'),
        state text NOT NULL CHECK (state IN ('Pending', 'Registered', 'Disabled', 'Error', 'Removed')),
        reason text NOT NULL CHECK (length(reason) <= 100),
        why text NOT NULL CHECK (length(why) <= 1000),
        protocol text,
        plugin_type text,
        signed_by text,
        signed_at text,
        min_svc_version text,
        operations text[] NOT NULL DEFAULT '{}',
        capabilities text[] NOT NULL DEFAULT '{}',
        registered_digest text,
        registered_signed_at text,
        enabled boolean,
        downgrade_allowed boolean NOT NULL DEFAULT false,
        since timestamptz NOT NULL,
        PRIMARY KEY (name, version)
      );
      GRANT SELECT, INSERT, UPDATE ON plugins TO ${engine_role};
      CREATE TRIGGER plugins_tell AFTER INSERT OR UPDATE ON plugins
        FOR EACH STATEMENT EXECUTE FUNCTION svc_tell_protocols();
    `,
  },
  {
    // A statement that changes no row must wake nobody: otherwise each engine that scans would wake all the others.
    name: '2026-11-19-11-plugins-here',
    sql: `
      ALTER TABLE plugins ADD COLUMN here_digest text;
      UPDATE plugins SET here_digest = registered_digest WHERE state <> 'Removed';
      GRANT DELETE ON plugins TO ${engine_role};
      DROP TRIGGER plugins_tell ON plugins;
      CREATE TRIGGER plugins_tell AFTER INSERT OR UPDATE ON plugins
        FOR EACH ROW EXECUTE FUNCTION svc_tell_protocols();
    `,
  },
]

const plugins_max = 10_000

/** What a scan sees of one plugin. */
export interface SeenPlugin {
  readonly name: string
  /** Empty if the manifest cannot be read; then `name` is the folder's. */
  readonly version: string
  readonly digest: string
  readonly state: PluginState
  /** A short stable phrase; empty if nothing is wrong. */
  readonly reason: string
  /** The same as a sentence. */
  readonly why: string
  readonly protocol: string | null
  readonly plugin_type: string | null
  readonly signed_by: string | null
  readonly signed_at: string | null
  readonly min_svc_version: string | null
  readonly operations: readonly string[]
  readonly capabilities: readonly string[]
  /** Nothing speaks against it, whether it serves or not. */
  readonly accepted: boolean
}

export interface StoredPlugin extends Omit<SeenPlugin, 'accepted'> {
  /** Of the last build that served under this version; null if none did. */
  readonly registered_digest: string | null
  readonly registered_signed_at: string | null
  /** Of the last accepted build that was not removed since. */
  readonly here_digest: string | null
  /** The operator's setting; null if there is none. */
  readonly enabled: boolean | null
  readonly downgrade_allowed: boolean
  /** RFC 3339: since when it is in this state. */
  readonly since: string
}

/** True if this changed the stored state: of several engines that see the same, one gets true. */
export async function keepSeen(db: Database, plugin: SeenPlugin, at: string): Promise<boolean> {
  const { name, version, digest, state, reason, plugin_type, min_svc_version } = plain(plugin)
  const { protocol, signed_by, signed_at, why, operations, capabilities } = plain(plugin)
  const registered = state === 'Registered'
  const here = plugin.accepted ? digest : null
  return sql`
    INSERT INTO plugins AS known (name, version, digest, state, reason, why, protocol, plugin_type, signed_by, signed_at,
      min_svc_version, operations, capabilities, registered_digest, registered_signed_at, here_digest, since)
    VALUES (${name}, ${version}, ${digest}, ${state}, ${reason}, ${why}, ${protocol}, ${plugin_type}, ${signed_by},
      ${signed_at}, ${min_svc_version}, ${operations}, ${capabilities},
      ${registered ? digest : null}, ${registered ? signed_at : null}, ${here}, ${at})
    ON CONFLICT (name, version) DO UPDATE SET
      digest = excluded.digest, state = excluded.state, reason = excluded.reason, why = excluded.why,
      protocol = excluded.protocol, plugin_type = excluded.plugin_type, signed_by = excluded.signed_by,
      signed_at = excluded.signed_at, min_svc_version = excluded.min_svc_version, operations = excluded.operations,
      capabilities = excluded.capabilities, since = excluded.since,
      registered_digest = coalesce(excluded.registered_digest, known.registered_digest),
      registered_signed_at = CASE WHEN excluded.registered_digest IS NULL THEN known.registered_signed_at
        ELSE excluded.registered_signed_at END,
      here_digest = coalesce(excluded.here_digest, known.here_digest),
      downgrade_allowed = known.downgrade_allowed AND excluded.state <> 'Registered'
    WHERE (known.digest, known.state, known.reason, known.why)
      IS DISTINCT FROM (excluded.digest, excluded.state, excluded.reason, excluded.why)
    RETURNING 1`.exists(db)
}

/** Its folder is gone. If it never served and the operator set nothing, it is deleted, so that junk does not pile up. */
export async function keepRemoved(
  db: Database,
  { name, version }: Pick<SeenPlugin, 'name' | 'version'>,
  at: string,
): Promise<void> {
  await sql`
    DELETE FROM plugins WHERE name = ${name} AND version = ${version}
      AND registered_digest IS NULL AND enabled IS NULL`.execute(db)
  await sql`
    UPDATE plugins SET state = 'Removed', reason = 'removed', why = 'Its folder is not there any more.',
      here_digest = NULL, downgrade_allowed = false, since = ${at}
    WHERE name = ${name} AND version = ${version} AND state <> 'Removed'`.execute(db)
}

/** In a form that the table can hold: a foreign manifest must not hide the other plugins. */
function plain(plugin: SeenPlugin) {
  const text = (value: string) => value.replaceAll('\u0000', '').toWellFormed()
  return {
    ...plugin,
    why: text(plugin.why).slice(0, 1000).toWellFormed(),
    operations: plugin.operations.map(text),
    capabilities: plugin.capabilities.map(text),
  }
}

/** Those that ever served or have a setting first, so that others cannot hide them. Then by name and age. */
export async function listPlugins(db: Database, name?: string): Promise<StoredPlugin[]> {
  const rows = await sql<Omit<StoredPlugin, 'since'> & { since: Date }>`
    SELECT name, version, digest, state, reason, why, protocol, plugin_type, signed_by, signed_at, min_svc_version,
      operations, capabilities, registered_digest, registered_signed_at, here_digest, enabled, downgrade_allowed, since
    FROM plugins WHERE ${name ?? null}::text IS NULL OR name = ${name ?? null}
    ORDER BY registered_digest IS NULL AND enabled IS NULL, name, since, version LIMIT ${plugins_max}`.all(db)
  return rows.map((row) => ({ ...row, since: row.since.toISOString() }))
}

/** Sets the operator's choice for the named versions; returns how many there are. */
export async function enablePlugin(
  db: Database,
  change: { name: string; version: string | undefined; enabled: boolean; allow_downgrade: boolean },
): Promise<number> {
  const { name, version, enabled, allow_downgrade } = change
  const rows = await sql`
    UPDATE plugins SET enabled = ${enabled}, downgrade_allowed = downgrade_allowed OR ${allow_downgrade}
    WHERE name = ${name} AND (${version ?? null}::text IS NULL OR ltrim(version, 'v') = ltrim(${version ?? null}, 'v'))
    RETURNING 1`.all(db)
  return rows.length
}
