// Reads what a trader of any organization has, for a batch that is judged order by order.
import { app_role, engine_role, type Migration, tenant_setting } from '@svc/database/migration'

/** What somebody may reserve now, of whatever organization: for a batch that judges each part by itself. */
export const available_migrations: readonly Migration[] = [
  {
    name: '2026-12-06-81-available',
    sql: `
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      -- Nobody else posts for this tenant until its transaction ends, as if the posting had begun.
      CREATE FUNCTION svc_available(wanted jsonb) RETURNS TABLE (asset_id text, balance numeric)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $available$
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('ledger/' || current_setting('${tenant_setting}', true), 0));
        RETURN QUERY SELECT a.asset_id, b.balance FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
          WHERE a.tenant_id = wanted->>'tenant_id' AND a.did = wanted->>'did' AND a.type = 'available'
            AND a.asset_id IN (SELECT jsonb_array_elements_text(wanted->'asset_ids'));
      END $available$;
      ALTER FUNCTION svc_available(jsonb) OWNER TO ${engine_role};
      REVOKE ALL ON FUNCTION svc_available(jsonb) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION svc_available(jsonb) TO ${app_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]
