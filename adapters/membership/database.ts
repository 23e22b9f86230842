// The membership in the database: keys, charter members, custody and revocations of identities; plugins and
// registrations of the operator.
import type { Database } from '@svc/contract/database'
import type {
  IdentityQuestion,
  KnownIdentity,
  Membership,
  RegisteredEndpoint,
} from '@svc/contract/needs/membership'
import { sql } from '@svc/database/sql'
import { readAll } from '../external/registrations.ts'
import { listPlugins } from '../plugins/plugin-store.ts'

/** `engine` sees what belongs to no tenant. */
export function databaseMembership(engine: Database): Membership {
  return {
    identities: findIdentities,
    knows: isKnown,
    plugins: () => listPlugins(engine),
    async endpoints() {
      const { registrations } = await readAll(engine)
      return registrations.map(({ name, ...rest }): RegisteredEndpoint => ({ ...rest, protocol: name }))
    },
  }
}

async function isKnown(db: Database, tenant_id: string, did: string): Promise<boolean> {
  const own = sql`WHERE tenant_id = ${tenant_id} AND did = ${did}`
  const row = await sql<{ is_known: boolean }>`
    SELECT EXISTS (SELECT FROM api_keys ${own}) OR EXISTS (SELECT FROM keystore ${own}) OR EXISTS (SELECT FROM users ${own})
      OR EXISTS (SELECT FROM charter_members ${own} AND until IS NULL) AS is_known`.first(db)
  return row?.is_known === true
}

/** Above every character of a DID, so that a prefix is a range. */
const past_prefix = '\u007f'

/** First the names, each table by its own index; then the facts about this page of them. */
async function findIdentities(
  db: Database,
  tenant_id: string,
  { before, limit, prefix, also }: IdentityQuestion,
): Promise<KnownIdentity[]> {
  const behind = before ? sql`AND did COLLATE "C" > ${before.id}` : sql``
  const part = sql`tenant_id = ${tenant_id} AND did COLLATE "C" >= ${prefix}
    AND did COLLATE "C" < ${prefix + past_prefix} ${behind}`
  const first = sql`ORDER BY 1 LIMIT ${limit}`
  return sql<KnownIdentity>`
    WITH named AS MATERIALIZED (
      SELECT did FROM (
        (SELECT DISTINCT did COLLATE "C" AS did FROM api_keys WHERE ${part} ${first})
        UNION (SELECT did COLLATE "C" FROM keystore WHERE ${part} ${first})
        UNION (SELECT DISTINCT did COLLATE "C" FROM charter_members WHERE ${part} AND until IS NULL ${first})
        UNION (SELECT did COLLATE "C" FROM revocations WHERE ${part} ${first})
        UNION (SELECT did COLLATE "C" FROM unnest(${[...also]}::text[]) AS did)
      ) AS found ORDER BY did LIMIT ${limit})
    SELECT named.did, keys.live AS keys_live, keys.ended AS keys_ended, sessions.live AS sessions_live,
      greatest(keys.last_used_at, sessions.last_used_at) AS last_used_at,
      EXISTS (SELECT FROM keystore k WHERE k.tenant_id = ${tenant_id} AND k.did COLLATE "C" = named.did) AS in_custody,
      EXISTS (SELECT FROM charter_members c
        WHERE c.tenant_id = ${tenant_id} AND c.did = named.did AND c.until IS NULL) AS in_charter,
      (SELECT jsonb_build_object('at', r.revoked_at, 'reason', r.reason, 'by', r.by) FROM revocations r
        WHERE r.tenant_id = ${tenant_id} AND r.did COLLATE "C" = named.did) AS revoked
    FROM named, LATERAL (
      SELECT count(*) FILTER (WHERE k.is_live)::int AS live, count(*) FILTER (WHERE NOT k.is_live)::int AS ended,
        max(k.last_used_at) AS last_used_at
      FROM (SELECT last_used_at, revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS is_live
        FROM api_keys WHERE tenant_id = ${tenant_id} AND did COLLATE "C" = named.did AND proof_key IS NULL) k) AS keys,
      LATERAL (
        SELECT count(*)::int AS live, max(last_used_at) AS last_used_at FROM api_keys
        WHERE tenant_id = ${tenant_id} AND did COLLATE "C" = named.did AND proof_key IS NOT NULL
          AND revoked_at IS NULL AND expires_at > now()) AS sessions
    ORDER BY named.did`.all(db)
}
