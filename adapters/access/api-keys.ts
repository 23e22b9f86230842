// The table of API keys. A key is bound to one DID and one tenant; only the hash of its secret is stored.
import { randomBytes } from 'node:crypto'
import type { AgentCapability } from '@svc/contract/authority/capability'
import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { formatApiKey, hashSecret } from '@svc/contract/identity/api-key'
import { usdText } from '@svc/contract/money/money'
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { type NotNull, sql } from '@svc/database/sql'
import type { KeyRecord } from '@svc/engine/ports'
import { workloadOf } from './workloads.ts'

export const changes_channel = 'svc_changed'

export const access_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-10-access',
    sql: `
      CREATE TABLE tenants (
        tenant_id text PRIMARY KEY,
        name text NOT NULL,
        tier text NOT NULL CHECK (tier IN ('sandbox', 'charter', 'institution', 'sovereign')),
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE TABLE api_keys (
        key_id text PRIMARY KEY,
        tenant_id text NOT NULL REFERENCES tenants,
        did text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
        capabilities jsonb NOT NULL DEFAULT '[]',
        label text,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz
      );
      CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id, created_at);
      CREATE FUNCTION svc_tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('${changes_channel}', TG_ARGV[0] || ':' || NEW.key_id);
        RETURN NEW;
      END $$;
      CREATE TRIGGER api_keys_tell AFTER UPDATE OF revoked_at, expires_at, capabilities ON api_keys
        FOR EACH ROW EXECUTE FUNCTION svc_tell_change('api_key');
      ${isolateByTenant('tenants', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}
      ${isolateByTenant('api_keys', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}
    `,
  },
  {
    // Lists are ordered by DID, whatever the collation of the database.
    name: '2026-11-20-24-keys-listed',
    sql: 'CREATE INDEX api_keys_listed ON api_keys (tenant_id, did COLLATE "C");',
  },
  {
    // Agents make and end keys of their own organization. A session is a key that is worth nothing without the agent's own.
    name: '2026-11-23-10-keys-of-agents',
    sql: `
      ALTER TABLE api_keys
        ADD COLUMN made_by text,
        -- What it may be used for, of all that its identity may do; null for a key that carries capabilities itself.
        ADD COLUMN usable_for text[],
        ADD COLUMN networks text[] NOT NULL DEFAULT '{}',
        ADD COLUMN proof_key text CHECK (proof_key IS NULL OR expires_at IS NOT NULL),
        ADD COLUMN delegation_id text;
      CREATE INDEX api_keys_sessions ON api_keys (expires_at) WHERE proof_key IS NOT NULL;
      GRANT INSERT, UPDATE (revoked_at) ON api_keys TO ${app_role};
      -- A handler makes keys that carry nothing: they are bounded by what their identity holds.
      CREATE POLICY api_keys_bounded ON api_keys AS RESTRICTIVE FOR INSERT TO ${app_role}
        WITH CHECK (capabilities = '[]' AND made_by IS NOT NULL AND (usable_for IS NOT NULL OR proof_key IS NOT NULL));
      GRANT DELETE ON api_keys TO ${engine_role};
      CREATE FUNCTION svc_keep_keys() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL THEN
            RAISE EXCEPTION 'a revoked key stays revoked';
          END IF;
          RETURN NEW;
        END IF;
        IF OLD.proof_key IS NULL OR OLD.expires_at > now() THEN
          RAISE EXCEPTION 'only expired sessions leave api_keys';
        END IF;
        RETURN OLD;
      END $$;
      CREATE TRIGGER api_keys_kept BEFORE DELETE OR UPDATE OF revoked_at ON api_keys
        FOR EACH ROW EXECUTE FUNCTION svc_keep_keys();
    `,
  },
  {
    name: '2026-11-24-60-key-budgets',
    sql: 'ALTER TABLE api_keys ADD COLUMN weekly_budget_micro_usd numeric(18) CHECK (weekly_budget_micro_usd >= 0);',
  },
]

const id_alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

export interface NewKey {
  readonly tenant_id: string
  readonly did: string
  readonly mode: 'live' | 'test'
  readonly capabilities?: readonly AgentCapability[]
  readonly label?: string
  readonly expires_at?: string | undefined
  /** The agent that made it. */
  readonly made_by?: string
  /** Names it may be used for, of all that its identity may do. */
  readonly usable_for?: readonly string[]
  /** Where it may be used from; anywhere where empty. */
  readonly networks?: readonly string[]
  /** What all calls with it may spend in a week; no limit of its own where absent. */
  readonly weekly_budget_micro_usd?: bigint | undefined
  /** For a session: the public key that must sign each request. */
  readonly proof_key?: string
  /** For a session by DelegatedAuth: the delegation it acts under. */
  readonly delegation_id?: string | undefined
}

/** The only time the whole key exists: it is returned once and never stored. */
export async function issueKey(db: Database, new_key: NewKey): Promise<{ key_id: string; api_key: string }> {
  const key_id = Array.from(randomBytes(8), (byte) => id_alphabet[byte % id_alphabet.length]).join('')
  const secret = randomBytes(32).toString('base64url')
  const capabilities = JSON.stringify(new_key.capabilities ?? [])
  await sql`
    INSERT INTO api_keys (key_id, tenant_id, did, mode, secret_hash, capabilities, label, expires_at, made_by, usable_for, networks,
      proof_key, delegation_id, weekly_budget_micro_usd)
    VALUES (${key_id}, ${new_key.tenant_id}, ${new_key.did}, ${new_key.mode}, ${hashSecret(secret)}, ${capabilities},
      ${new_key.label ?? null}, ${new_key.expires_at ?? null}, ${new_key.made_by ?? null},
      ${new_key.usable_for ? [...new_key.usable_for] : null}, ${[...(new_key.networks ?? [])]},
      ${new_key.proof_key ?? null}, ${new_key.delegation_id ?? null},
      ${new_key.weekly_budget_micro_usd ?? null})`.execute(db)
  return { key_id, api_key: formatApiKey(new_key.mode, key_id, secret) }
}

/** True if this call revoked a live key. */
export async function revokeKey(db: Database, tenant_id: string, key_id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE api_keys SET revoked_at = now()
    WHERE key_id = ${key_id} AND tenant_id = ${tenant_id} AND revoked_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

export interface KeyListing {
  readonly key_id: string
  readonly did: string
  readonly label: string | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
}

const keys_listed_max = 200

/** Newest first; `after` is the last key of the previous page. */
export async function listKeys(db: Database, tenant_id: string, after?: string): Promise<KeyListing[]> {
  const older = after
    ? sql`AND (created_at, key_id) < (SELECT created_at, key_id FROM api_keys WHERE key_id = ${after})`
    : sql``
  return sql<KeyListing>`
    SELECT key_id, did, label, created_at, expires_at, revoked_at, last_used_at FROM api_keys
    WHERE tenant_id = ${tenant_id} ${older}
    ORDER BY created_at DESC, key_id DESC LIMIT ${keys_listed_max}`.all(db)
}

export interface LabelledKey {
  readonly label: NotNull<string>
  readonly key_id: string
  readonly did: string
  readonly capabilities: readonly AgentCapability[]
}

/** The newest live key of each label among those that an operator issued: keys that others make may have any label. */
export async function issuedKeys(
  db: Database,
  tenant_id: string,
  labels: readonly string[],
  at: Date,
): Promise<LabelledKey[]> {
  return sql<LabelledKey>`
    SELECT DISTINCT ON (label) label, key_id, did, capabilities FROM api_keys
    WHERE tenant_id = ${tenant_id} AND label = ANY(${[...labels]}::text[]) AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${at}) AND mode = 'live'
      AND made_by IS NULL AND issued_by IS NULL AND usable_for IS NULL AND proof_key IS NULL
    ORDER BY label, created_at DESC, key_id`.all(db)
}

interface KeyRow {
  key_id: string
  tenant_id: string
  did: string
  tier: Tier
  secret_hash: Buffer
  capabilities: AgentCapability[]
  expires_at: Date | null
  revoked_at: Date | null
  usable_for: string[] | null
  networks: string[]
  proof_key: string | null
  delegation_id: string | null
  label: string | null
  weekly_budget_micro_usd: string | null
  made_by: string | null
  person: string | null
}

export async function findKey(db: Database, key_id: string): Promise<KeyRecord | undefined> {
  const rows = await sql<KeyRow>`
    SELECT k.key_id, k.tenant_id, k.did, t.tier, k.secret_hash, k.capabilities, k.expires_at, k.revoked_at, k.usable_for,
      k.networks, k.proof_key, k.delegation_id, k.label, k.weekly_budget_micro_usd, k.made_by,
      coalesce(u.name, u.login) AS person
    FROM api_keys k JOIN tenants t USING (tenant_id) LEFT JOIN users u ON u.user_id = k.issued_by AND u.did = k.did
    WHERE k.key_id = ${key_id}`.all(db)
  const [row] = rows
  if (!row) return undefined
  const { expires_at, revoked_at, usable_for, networks, proof_key, delegation_id, ...others } = row
  const { label, weekly_budget_micro_usd, made_by, person, ...rest } = others
  const workload_id = workloadOf(made_by)
  // A bounded key stands beside those that carry capabilities: it may use what they do.
  const capabilities = usable_for
    ? await capabilitiesOfKeys(db, row.did, row.tenant_id)
    : row.capabilities.map((capability) => endingBy(capability, expires_at))
  return {
    ...rest,
    capabilities,
    expires_at_ms: expires_at?.getTime() ?? null,
    revoked: revoked_at !== null,
    ...(usable_for === null ? {} : { usable_for }),
    ...(networks.length === 0 ? {} : { networks }),
    ...(proof_key === null ? {} : { proof_key }),
    ...(delegation_id === null ? {} : { delegation_id }),
    ...(workload_id === undefined ? {} : { workload_id }),
    ...(weekly_budget_micro_usd === null
      ? {}
      : { budget: { key_name: label ?? rest.key_id, weekly_usd: usdText(BigInt(weekly_budget_micro_usd)) } }),
    ...(person === null ? {} : { person: { name: person } }),
  }
}

/** The capabilities of all live keys of an identity. */
export async function capabilitiesOfKeys(
  db: Database,
  did: string,
  tenant_id: string,
): Promise<readonly AgentCapability[]> {
  const rows = await sql<{ capabilities: AgentCapability[]; expires_at: Date | null }>`
    SELECT capabilities, expires_at FROM api_keys
    WHERE tenant_id = ${tenant_id} AND did = ${did} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    ORDER BY created_at DESC LIMIT ${keys_listed_max}`.all(db)
  const carried = rows.flatMap(({ capabilities, expires_at }) =>
    capabilities.map((capability) => endingBy(capability, expires_at)),
  )
  return [...new Map(carried.map((each) => [JSON.stringify(each), each])).values()]
}

/** Identities with a live key that carries one of these names. */
export async function didsWithCapability(
  db: Database,
  tenant_id: string,
  names: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  if (names.length === 0) return []
  const rows = await sql<{ did: string }>`
    SELECT DISTINCT did FROM api_keys
    WHERE tenant_id = ${tenant_id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      AND jsonb_path_query_array(capabilities, '$[*].name') ?| ${[...names]}::text[]
    ORDER BY did LIMIT ${limit}`.all(db)
  return rows.map(({ did }) => did)
}

/** A capability ends with the key that carries it. */
function endingBy(capability: AgentCapability, end: Date | null): AgentCapability {
  if (
    end === null ||
    (capability.expires_at !== undefined && Date.parse(capability.expires_at) <= end.getTime())
  )
    return capability
  return { ...capability, expires_at: end.toISOString() }
}

export async function noteKeysUsed(db: Database, used: ReadonlyMap<string, number>): Promise<void> {
  const [ids, times] = [[...used.keys()], [...used.values()].map((ms) => new Date(ms))]
  await sql`
    UPDATE api_keys k SET last_used_at = u.at
    FROM unnest(${ids}::text[], ${times}::timestamptz[]) AS u(key_id, at) WHERE k.key_id = u.key_id`.execute(
    db,
  )
}
