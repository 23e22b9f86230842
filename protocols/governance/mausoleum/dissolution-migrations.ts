// Tables of dissolutions. The database itself ensures that a sealed chain means a sealed organization.
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'
import { estate_lock } from '../../economic/estate/api.ts'
import { dissolution_states } from './dissolution.ts'

const states = dissolution_states.map((state) => `'${state}'`).join(', ')

const tables = `
  CREATE TABLE dissolutions (
    dissolution_id uuid PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN (${states})),
    blocked jsonb,
    reason text NOT NULL,
    schedule jsonb NOT NULL,
    authority text NOT NULL,
    initiated_by text COLLATE "C" NOT NULL,
    initiated_at timestamptz NOT NULL,
    notice_until timestamptz NOT NULL,
    successor_tenant text COLLATE "C" NOT NULL,
    cancelled_by text,
    cancelled_at timestamptz
  );
  CREATE UNIQUE INDEX dissolutions_one ON dissolutions (tenant_id) WHERE state <> 'CANCELLED';
  CREATE INDEX dissolutions_due ON dissolutions (notice_until) WHERE state NOT IN ('CANCELLED', 'ARCHIVED');
  ${isolateByTenant('dissolutions', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (state, cancelled_by, cancelled_at) ON dissolutions TO ${app_role};
  GRANT UPDATE (state, blocked) ON dissolutions TO ${engine_role};
  -- Who comes after may look, and ask for the end.
  CREATE POLICY dissolutions_of_successor ON dissolutions FOR SELECT TO ${app_role}
    USING (successor_tenant = current_setting('${tenant_setting}', true));

  CREATE TABLE dissolution_steps (
    dissolution_id uuid NOT NULL REFERENCES dissolutions,
    step text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    done_at timestamptz NOT NULL,
    detail jsonb NOT NULL,
    PRIMARY KEY (dissolution_id, step)
  );
  ${isolateByTenant('dissolution_steps', ['SELECT'], ['SELECT', 'INSERT'])}

  CREATE TABLE chain_seals (
    tenant_id text COLLATE "C" PRIMARY KEY,
    dissolution_id uuid NOT NULL UNIQUE REFERENCES dissolutions,
    final_seq bigint NOT NULL,
    final_hash text COLLATE "C" NOT NULL,
    sealed_at timestamptz NOT NULL
  );
  ${isolateByTenant('chain_seals', ['SELECT'], ['SELECT', 'INSERT'])}
  CREATE POLICY chain_seals_of_reader ON chain_seals FOR SELECT TO ${app_role}
    USING (tenant_id <> current_setting('${tenant_setting}', true) AND svc_may_check(tenant_id));

  CREATE TABLE archives (
    tenant_id text COLLATE "C" PRIMARY KEY,
    archive_hash text COLLATE "C" NOT NULL UNIQUE,
    manifest jsonb NOT NULL,
    archived_at timestamptz NOT NULL
  );
  ${isolateByTenant('archives', ['SELECT'], ['SELECT', 'INSERT'])}
  CREATE POLICY archives_of_reader ON archives FOR SELECT TO ${app_role}
    USING (tenant_id <> current_setting('${tenant_setting}', true) AND svc_may_check(tenant_id));
  CREATE TABLE archive_chunks (
    tenant_id text COLLATE "C" NOT NULL,
    place integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (tenant_id, place)
  );
  ${isolateByTenant('archive_chunks', ['SELECT'], ['SELECT', 'INSERT'])}

  -- How long everybody has to speak up before anything is given away; the operator's word, one for all.
  CREATE TABLE dissolution_notice (is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    seconds bigint NOT NULL);
  INSERT INTO dissolution_notice (seconds) VALUES (${7 * 86_400});
  GRANT SELECT, UPDATE ON dissolution_notice TO ${engine_role};
  CREATE FUNCTION svc_dissolution_notice() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS 'SELECT seconds FROM dissolution_notice';
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_dissolution_notice() OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
  REVOKE ALL ON FUNCTION svc_dissolution_notice() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_dissolution_notice() TO ${app_role}, ${engine_role};
  -- The last word about a chain is the operator's: its own key is gone by then.
  GRANT INSERT ON registry_entries TO ${engine_role};
`

// Second line of defence: only a wound-up organization without assets can be sealed.
const sealing = `
  CREATE FUNCTION svc_chain_ends() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $ends$
  DECLARE
    tenant text := NEW.tenant_id;
    ended dissolutions;
    moment timestamptz;
  BEGIN
    IF NOT EXISTS (SELECT FROM tenants t WHERE t.tenant_id = tenant) THEN
      RETURN NEW;
    END IF;
    PERFORM pg_advisory_xact_lock(${estate_lock});
    UPDATE dissolutions d SET state = 'SEALED' WHERE d.tenant_id = tenant AND d.state = 'READY_TO_SEAL'
      AND d.blocked IS NULL RETURNING d.* INTO ended;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'SV010', MESSAGE = 'not ready to seal', DETAIL = 'it is not wound up';
    END IF;
    IF EXISTS (SELECT FROM ledger_balances b WHERE b.tenant_id = tenant AND b.balance <> 0
        AND b.type <> 'issuance') THEN
      RAISE EXCEPTION USING ERRCODE = 'SV010', MESSAGE = 'not ready to seal', DETAIL = 'it still has something';
    END IF;
    -- The record that seals a chain is its last: alone in the tail, or the end of a page.
    SELECT coalesce((SELECT t.to_at FROM audit_tail t WHERE t.tenant_id = tenant AND t.last_seq = NEW.seq),
      (SELECT p.to_at FROM audit_pages p WHERE p.tenant_id = tenant AND p.last_seq = NEW.seq)) INTO moment;
    INSERT INTO chain_seals VALUES (tenant, ended.dissolution_id, NEW.seq, encode(NEW.head_hash, 'hex'), moment);
    INSERT INTO dissolution_steps VALUES (ended.dissolution_id, 'seal', tenant, moment,
      jsonb_build_object('final_seq', NEW.seq, 'final_hash', encode(NEW.head_hash, 'hex')));
    INSERT INTO book_access (owner_tenant, tenant_id, basis, ref, granted_by)
      VALUES (tenant, ended.successor_tenant, 'succession', 'mausoleum://' || ended.dissolution_id, tenant)
      ON CONFLICT DO NOTHING;
    UPDATE tenants t SET standing = 'sealed' WHERE t.tenant_id = tenant;
    RETURN NEW;
  END $ends$;
  CREATE TRIGGER chain_heads_end BEFORE UPDATE OF sealed ON chain_heads
    FOR EACH ROW WHEN (NEW.sealed AND NOT OLD.sealed) EXECUTE FUNCTION svc_chain_ends();
`

const listing = `
  CREATE INDEX dissolutions_of_organization ON dissolutions (tenant_id, initiated_at);
  CREATE INDEX dissolutions_to_follow ON dissolutions (successor_tenant, initiated_at);
`

export const dissolution_migrations: readonly Migration[] = [
  { name: '2026-11-16-71-dissolutions', sql: `${tables}${sealing}` },
  { name: '2026-11-20-23-dissolutions-listed', sql: listing },
]
