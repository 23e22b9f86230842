// Tables of metering and billing. The engine writes usage, the operator prices; a tenant reads its own.
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'

const tenant = 'tenant_id text COLLATE "C" NOT NULL'
// Evaluated once per statement, not per row.
const is_operator = '(SELECT svc_is_operator())'

/** The operator sees all rows; a tenant sees its own. */
function seenByOperator(table: string): string {
  return `
    CREATE POLICY ${table}_seen_by_operator ON ${table} FOR SELECT TO ${app_role} USING (${is_operator});
  `
}

/** A tenant cannot write its own limits: under the application's role only the operator can. */
function writtenByOperator(table: string): string {
  return `
    CREATE POLICY ${table}_by_operator ON ${table} TO ${app_role} USING (${is_operator}) WITH CHECK (${is_operator});
    CREATE POLICY ${table}_added_by_operator ON ${table} AS RESTRICTIVE FOR INSERT TO ${app_role}
      WITH CHECK (${is_operator});
    CREATE POLICY ${table}_set_by_operator ON ${table} AS RESTRICTIVE FOR UPDATE TO ${app_role}
      USING (${is_operator}) WITH CHECK (${is_operator});
  `
}

function appendOnly(table: string): string {
  return `
    CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
  `
}

const usage = `
  -- What usage is summed by, beside its hour; the id is a hash of it.
  CREATE TABLE meter_names (
    ${tenant},
    name_id uuid NOT NULL,
    protocol text NOT NULL,
    operation text NOT NULL,
    caller_did text NOT NULL,
    grant_name text,
    origin text,
    envelope_id text,
    rate integer NOT NULL,
    PRIMARY KEY (tenant_id, name_id)
  );
  ${appendOnly('meter_names')}
  ${isolateByTenant('meter_names', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
  ${seenByOperator('meter_names')}

  -- Usage of an hour. Single events are in the audit log.
  CREATE TABLE meter_sums (
    ${tenant},
    -- Of the moment it counts at: later than it happened where its period was closed already.
    hour timestamptz NOT NULL,
    name_id uuid NOT NULL,
    -- 0 for what the engine counted; a repair adds rows with what the audit log has and this table lost.
    repair smallint NOT NULL DEFAULT 0,
    calls bigint NOT NULL CHECK (calls >= 0),
    tokens numeric(38, 0) NOT NULL CHECK (tokens >= 0),
    ms numeric(38, 0) NOT NULL CHECK (ms >= 0),
    uwh numeric(38, 0) NOT NULL CHECK (uwh >= 0),
    quanta numeric(38, 0) NOT NULL CHECK (quanta >= 0),
    PRIMARY KEY (tenant_id, hour, name_id, repair)
  ) WITH (fillfactor = 80);
  ${isolateByTenant('meter_sums', ['SELECT', 'INSERT'], ['SELECT', 'INSERT', 'UPDATE'])}
  ${seenByOperator('meter_sums')}
  CREATE POLICY meter_sums_repaired ON meter_sums AS RESTRICTIVE FOR INSERT TO ${app_role} WITH CHECK (repair > 0);

  -- Usage that counts at another moment than its record was made: it was reported later, or its period was closed.
  CREATE TABLE meter_moved (
    ${tenant},
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, seq)
  );
  CREATE INDEX meter_moved_by_time ON meter_moved (tenant_id, at, seq);
  ${appendOnly('meter_moved')}
  ${isolateByTenant('meter_moved', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
  ${seenByOperator('meter_moved')}

  -- Whoever adds usage of a tenant first locks its row of the runway; so does whoever closes its books.
  CREATE TABLE spend (
    ${tenant},
    budget_counter text COLLATE "C" NOT NULL,
    quanta numeric(38, 0) NOT NULL,
    calls bigint NOT NULL,
    -- The newest record counted.
    seq bigint NOT NULL,
    PRIMARY KEY (tenant_id, budget_counter)
  ) WITH (fillfactor = 50);
  -- What roll-up walks along.
  CREATE INDEX spend_of_runways ON spend (tenant_id) WHERE budget_counter = 'runway';
  ${isolateByTenant('spend', ['SELECT', 'INSERT'], ['SELECT', 'INSERT', 'UPDATE'])}
  CREATE POLICY spend_by_operator ON spend TO ${app_role} USING (${is_operator}) WITH CHECK (${is_operator});
  GRANT UPDATE (quanta, calls) ON spend TO ${app_role};

  -- What an outside service has reported, so that saying it twice counts once.
  CREATE TABLE meter_receipts (
    ${tenant},
    event_id uuid NOT NULL,
    content_hash text NOT NULL,
    quanta numeric(38, 0) NOT NULL,
    PRIMARY KEY (tenant_id, event_id)
  );
  ${isolateByTenant('meter_receipts', ['SELECT', 'INSERT'], [])}
`

// Hashes of the events of ended hours, a cache: a row without root is made again from the audit log.
const hours = `
  CREATE TABLE meter_hours (
    ${tenant},
    hour timestamptz NOT NULL,
    events bigint NOT NULL,
    root bytea CHECK (octet_length(root) = 32),
    PRIMARY KEY (tenant_id, hour)
  );
  ${isolateByTenant('meter_hours', ['SELECT', 'INSERT'], ['SELECT', 'INSERT', 'UPDATE'])}
  ${seenByOperator('meter_hours')}
  -- A repair may say that an hour is to be made again, and nothing else.
  CREATE POLICY meter_hours_doubted ON meter_hours AS RESTRICTIVE FOR INSERT TO ${app_role} WITH CHECK (root IS NULL);
  CREATE POLICY meter_hours_redone ON meter_hours AS RESTRICTIVE FOR UPDATE TO ${app_role}
    USING (true) WITH CHECK (root IS NULL);
  GRANT UPDATE (root) ON meter_hours TO ${app_role};
  CREATE INDEX meter_hours_stale ON meter_hours (tenant_id, hour) WHERE root IS NULL;
`

const prices = `
  CREATE TABLE rates (
    ${tenant},
    version integer NOT NULL CHECK (version >= 1),
    from_at timestamptz NOT NULL,
    tokens numeric(38, 0) NOT NULL CHECK (tokens >= 0),
    seconds numeric(38, 0) NOT NULL CHECK (seconds >= 0),
    watts numeric(38, 0) NOT NULL CHECK (watts >= 0),
    authority text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, version)
  );
  ${appendOnly('rates')}
  ${isolateByTenant('rates', ['SELECT', 'INSERT'], ['SELECT'])}
  ${writtenByOperator('rates')}
`

const billing = `
  CREATE TABLE billing (
    tenant_id text COLLATE "C" PRIMARY KEY,
    credit_line_micro_usd numeric(38, 0) CHECK (credit_line_micro_usd >= 0),
    -- What roll-up journals have taken from the runway in all.
    rolled_micro_usd numeric(38, 0) NOT NULL DEFAULT 0 CHECK (rolled_micro_usd >= 0),
    closed_until timestamptz,
    -- Ended hours before it are in meter_hours, as far as they have events.
    kept_until timestamptz
  );
  ${isolateByTenant('billing', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}
  ${writtenByOperator('billing')}
  GRANT INSERT (tenant_id, credit_line_micro_usd, closed_until), UPDATE (credit_line_micro_usd, closed_until)
    ON billing TO ${app_role};

  CREATE TABLE invoices (
    ${tenant},
    period_from timestamptz NOT NULL,
    period_to timestamptz NOT NULL CHECK (period_to > period_from),
    state text NOT NULL CHECK (state IN ('CLOSED', 'SETTLED', 'DISPUTED')),
    quanta numeric(38, 0) NOT NULL,
    amount_micro_usd numeric(38, 0) NOT NULL,
    -- Whole micro-USD of everything used until the end of the period: the runway has paid it when so much was rolled up.
    cumulative_micro_usd numeric(38, 0) NOT NULL,
    event_count bigint NOT NULL,
    events_root text NOT NULL,
    statement_hash text NOT NULL,
    -- Events of later records that fall into the period are late.
    counted_seq bigint NOT NULL,
    issued_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    settled_at timestamptz,
    contract_id text,
    written_off boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, period_from)
  );
  CREATE UNIQUE INDEX invoices_of_contract ON invoices (contract_id) WHERE contract_id IS NOT NULL;
  ${isolateByTenant('invoices', ['SELECT', 'INSERT'], ['SELECT', 'UPDATE'])}
  ${writtenByOperator('invoices')}
  GRANT UPDATE (state, settled_at, contract_id, written_off) ON invoices TO ${app_role};

  -- The operator moves organizations between tiers.
  CREATE POLICY tenants_of_operator ON tenants FOR SELECT TO ${app_role} USING (${is_operator});
  CREATE POLICY tenants_tier_set ON tenants FOR UPDATE TO ${app_role}
    USING (${is_operator}) WITH CHECK (${is_operator});
  GRANT UPDATE (tier) ON tenants TO ${app_role};
`

// The other side of a journal is another tenant's: this reveals only that it is unbalanced.
const proofs = `
  CREATE FUNCTION svc_unbalanced_journals(wanted text) RETURNS TABLE (journal_id uuid, asset_id text, off numeric)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $unbalanced$
    SELECT e.journal_id, e.asset_id, sum(e.amount) FROM ledger_entries e
    WHERE e.journal_id IN (SELECT own.journal_id FROM ledger_entries own WHERE own.tenant_id = wanted)
      AND (wanted = current_setting('${tenant_setting}', true))
    GROUP BY e.journal_id, e.asset_id HAVING sum(e.amount) <> 0
  $unbalanced$;
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_unbalanced_journals(text) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
  REVOKE ALL ON FUNCTION svc_unbalanced_journals(text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_unbalanced_journals(text) TO ${app_role};
`

export const meter_migrations: readonly Migration[] = [
  { name: '2026-11-15-94-metering-by-sums', sql: `${usage}${hours}${prices}${billing}${proofs}` },
]
