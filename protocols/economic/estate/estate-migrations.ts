// Database functions for winding up: find everything a tenant owns, and keep a sealed tenant closed.
import { app_role, engine_role, type Migration } from '@svc/database/migration'
import { ledger_faults } from '../ledger/api.ts'

const open_contracts = "('OFFERED', 'ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED', 'DISPUTED')"

/** Shared by postings, exclusive for sealing. */
export const estate_lock = "hashtextextended('estate/' || tenant, 0)"

export const estate_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-70-estate',
    sql: `
      CREATE INDEX contracts_open_of_tenant ON contracts (tenant_id, contract_id) WHERE state IN ${open_contracts};
      CREATE INDEX contracts_open_of_other ON contracts (counterparty_tenant, contract_id)
        WHERE state IN ${open_contracts};
      CREATE INDEX market_orders_open_of_tenant ON market_orders (owner_tenant, tenant_id, instrument)
        WHERE state IN ('OPEN', 'PARTIALLY_FILLED');
      -- The last period of an organization is closed by the engine: there is nobody left who would ask for it.
      GRANT INSERT ON invoices TO ${engine_role};

      -- A trader comes from elsewhere, and its own organization's row is not to be seen from there.
      CREATE FUNCTION svc_standing(wanted text) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog, public, pg_temp AS $standing$
        SELECT standing FROM tenants WHERE tenant_id = wanted
      $standing$;
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ALTER FUNCTION svc_standing(text) OWNER TO ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
      REVOKE ALL ON FUNCTION svc_standing(text) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION svc_standing(text) TO ${app_role}, ${engine_role};

      -- What nobody owns any more is not paid to: after the seal an account may be passed through, and stays at nothing.
      CREATE FUNCTION svc_ledger_lives() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, public, pg_temp AS $lives$
      DECLARE
        tenant text;
      BEGIN
        FOR tenant IN SELECT DISTINCT m.tenant_id FROM moved m ORDER BY 1 LOOP
          PERFORM pg_advisory_xact_lock_shared(${estate_lock});
        END LOOP;
        SELECT t.tenant_id INTO tenant FROM tenants t
          WHERE t.standing = 'sealed' AND t.tenant_id IN (SELECT m.tenant_id FROM moved m)
            AND EXISTS (SELECT FROM moved m WHERE m.tenant_id = t.tenant_id GROUP BY m.account_id
              HAVING sum(m.amount) <> 0) LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION USING ERRCODE = '${ledger_faults.sealed}', MESSAGE = 'organization sealed',
            DETAIL = jsonb_build_object('tenant_id', tenant)::text;
        END IF;
        RETURN NULL;
      END $lives$;
      CREATE TRIGGER ledger_entries_live AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS moved
        FOR EACH STATEMENT EXECUTE FUNCTION svc_ledger_lives();
    `,
  },
]
