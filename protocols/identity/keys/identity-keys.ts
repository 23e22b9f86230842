// The key events of identities whose keys were committed to, changed or recovered. An identity without any has the key
// that its DID certifies.
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { isKeyOf } from '@svc/contract/signing/signature'
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const identity_key_migrations: readonly Migration[] = [
  {
    name: '2026-11-25-01-identity-keys',
    // Keys are public: others must be able to check a signature. So a function reads them for every tenant.
    sql: `
      CREATE TABLE identity_keys (
        tenant_id text NOT NULL,
        did text NOT NULL CHECK (starts_with(did, 'did:oas:' || tenant_id || ':')),
        sequence int NOT NULL CHECK (sequence BETWEEN 0 AND 63),
        public_key text NOT NULL,
        at timestamptz NOT NULL,
        event jsonb NOT NULL,
        PRIMARY KEY (did, sequence),
        UNIQUE (did, public_key)
      );
      ${isolateByTenant('identity_keys', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
      CREATE FUNCTION svc_tell_identity_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('svc_changed', 'identity:' || NEW.did);
        RETURN NEW;
      END $$;
      CREATE TRIGGER identity_keys_tell AFTER INSERT ON identity_keys
        FOR EACH ROW EXECUTE FUNCTION svc_tell_identity_key();
      CREATE FUNCTION svc_keys_of(of_did text) RETURNS SETOF identity_keys LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT * FROM identity_keys WHERE did = of_did ORDER BY sequence
      $$;
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ALTER FUNCTION svc_keys_of(text) OWNER TO ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]

export async function keyEventsOf(db: Database, did: string): Promise<KeyEvent[]> {
  const rows = await sql<{ event: KeyEvent }>`SELECT event FROM svc_keys_of(${did})`.all(db)
  return rows.map(({ event }) => event)
}

/** Only of those that have any. */
export async function keyEventsOfAll(
  db: Database,
  dids: readonly string[],
): Promise<ReadonlyMap<string, readonly KeyEvent[]>> {
  const all = new Map<string, KeyEvent[]>()
  const rows = await sql<{ did: string; event: KeyEvent }>`
    SELECT keys.did, keys.event FROM unnest(${[...new Set(dids)]}::text[]) AS of_did, svc_keys_of(of_did) AS keys
    ORDER BY keys.did, keys.sequence`.all(db)
  for (const { did, event } of rows) all.set(did, [...(all.get(did) ?? []), event])
  return all
}

/** One change of an identity's keys and document at a time, until the end of the transaction. */
export async function lockKeys(db: Database, did: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`svc keys of ${did}`}, 0))`.execute(db)
}

/** Whether an identity has this key now: for whatever is signed now. */
export async function isCurrentKey(db: Database, did: string, public_key: string): Promise<boolean> {
  const last = (await keyEventsOf(db, did)).at(-1)
  return last ? last.public_key === public_key : isKeyOf(did, public_key)
}

/** Whether an identity had this key then, or ever: for what was signed with its current key and is stored. */
export async function wasKeyOf(
  db: Database,
  did: string,
  public_key: string,
  at?: string | Date,
): Promise<boolean> {
  const events = await keyEventsOf(db, did)
  const index = events.findIndex((event) => event.public_key === public_key)
  if (events.length === 0) return isKeyOf(did, public_key)
  if (index < 0 || at === undefined) return index >= 0
  const at_ms = new Date(at).getTime()
  const [since, until] = [events[index]!.at, events[index + 1]?.at]
  // The first key was in use before its commitment.
  return (index === 0 || Date.parse(since) <= at_ms) && (until === undefined || at_ms < Date.parse(until))
}

/** Adds the events that are not stored yet. False where others were seen first, which stay, or were signed with former keys. */
export async function keepKeyEvents(
  db: Database,
  did: string,
  events: readonly KeyEvent[],
): Promise<boolean> {
  const stored = await keyEventsOf(db, did)
  const common = Math.min(stored.length, events.length)
  if (canonicalJson(stored.slice(0, common)) !== canonicalJson(events.slice(0, common))) return false
  for (const event of events.slice(stored.length))
    for (const by of event.signatures)
      if (by.did !== did && !(await wasKeyOf(db, by.did, by.public_key, event.at))) return false
  const tenant_id = parseDid(did)!.namespace
  for (const [sequence, event] of events.entries()) {
    if (sequence < stored.length) continue
    await sql`
      INSERT INTO identity_keys (tenant_id, did, sequence, public_key, at, event)
      VALUES (${tenant_id}, ${did}, ${sequence}, ${event.public_key}, ${event.at}, ${JSON.stringify(event)}::jsonb)
      ON CONFLICT DO NOTHING`.execute(db)
  }
  return true
}
