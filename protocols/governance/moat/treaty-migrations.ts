// Treaties belong to two organizations: the proposer has the usual row rule, the other party a second one.

import { treaty_states } from '@svc/contract/authority/treaty'
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'
import { openEntriesBy } from '../../awareness/registry/api.ts'
import { standing_states, transitions } from './treaty-states.ts'

const me = `current_setting('${tenant_setting}', true)`
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

function openToCounterparty(table: string, may_update: boolean): string {
  const own = `counterparty_tenant = ${me}`
  const update = `CREATE POLICY ${table}_counterparty_update ON ${table} FOR UPDATE TO ${app_role}
    USING (${own}) WITH CHECK (${own});`
  return `
    CREATE POLICY ${table}_of_counterparty ON ${table} FOR SELECT TO ${app_role} USING (${own});
    ${may_update ? update : ''}
  `
}

const tables = `
  CREATE TABLE treaties (
    id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    counterparty_tenant text COLLATE "C" NOT NULL CHECK (counterparty_tenant <> tenant_id),
    body jsonb NOT NULL,
    parent text COLLATE "C" REFERENCES treaties,
    -- What was used counts against the first of a line, whatever was amended since.
    root_id text COLLATE "C" NOT NULL REFERENCES treaties,
    state text NOT NULL CHECK (state IN (${quoted(treaty_states)})),
    proposed_by text COLLATE "C" NOT NULL,
    proposed_at timestamptz NOT NULL,
    sign_by timestamptz NOT NULL,
    reason text,
    activated_at timestamptz,
    in_force_at timestamptz,
    suspended_from timestamptz,
    suspended_until timestamptz,
    suspended_by text COLLATE "C",
    -- While a court has it, a suspension does not end by itself.
    open_cases text[] NOT NULL DEFAULT '{}',
    ended_at timestamptz,
    ended_by text COLLATE "C",
    end_reason text,
    -- When time may next change it; null where it cannot.
    next_at timestamptz,
    CHECK ((parent IS NULL) = (root_id = id)),
    CHECK (state NOT IN (${quoted(standing_states)}) OR activated_at IS NOT NULL),
    CHECK (state NOT IN ('ACTIVE', 'SUSPENDED', 'SUPERSEDED', 'EXPIRED') OR in_force_at IS NOT NULL)
  );
  CREATE UNIQUE INDEX treaties_head ON treaties (root_id) WHERE state IN (${quoted(standing_states)});
  CREATE INDEX treaties_of_line ON treaties (root_id, proposed_at);
  CREATE INDEX treaties_of_pair ON treaties (least(tenant_id, counterparty_tenant),
    greatest(tenant_id, counterparty_tenant)) WHERE activated_at IS NOT NULL;
  CREATE INDEX treaties_of_proposer ON treaties (tenant_id, proposed_at);
  CREATE INDEX treaties_of_other ON treaties (counterparty_tenant, proposed_at);
  CREATE INDEX treaties_active ON treaties (tenant_id, counterparty_tenant) WHERE state = 'ACTIVE';
  CREATE INDEX treaties_due ON treaties (next_at) WHERE next_at IS NOT NULL;
  ${isolateByTenant('treaties', ['SELECT', 'INSERT'], ['SELECT'])}
  ${openToCounterparty('treaties', true)}
  -- What was agreed stays agreed: only how it goes on changes.
  GRANT UPDATE (state, activated_at, in_force_at, suspended_from, suspended_until, suspended_by, open_cases, ended_at,
    ended_by, end_reason, next_at) ON treaties TO ${app_role}, ${engine_role};

  CREATE TABLE treaty_signatures (
    treaty_id text COLLATE "C" NOT NULL REFERENCES treaties,
    -- Whose organization it binds, and the other.
    tenant_id text COLLATE "C" NOT NULL,
    counterparty_tenant text COLLATE "C" NOT NULL,
    signed_by text COLLATE "C" NOT NULL,
    "timestamp" text NOT NULL,
    public_key text NOT NULL,
    signature text NOT NULL,
    method text NOT NULL CHECK (method IN ('own', 'custodial')),
    authority text,
    PRIMARY KEY (treaty_id, tenant_id)
  );
  ${isolateByTenant('treaty_signatures', ['SELECT', 'INSERT'], ['SELECT'])}
  ${openToCounterparty('treaty_signatures', false)}

  CREATE TABLE treaty_findings (
    tenant_id text COLLATE "C" NOT NULL,
    finding_id uuid NOT NULL,
    counterparty_tenant text COLLATE "C" NOT NULL,
    treaty_id text COLLATE "C" NOT NULL REFERENCES treaties,
    kind text NOT NULL,
    about text NOT NULL,
    observed text NOT NULL,
    allowed text NOT NULL,
    records jsonb NOT NULL,
    measure text NOT NULL,
    found_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, finding_id, measure)
  );
  CREATE INDEX treaty_findings_of ON treaty_findings (treaty_id, found_at);
  ${isolateByTenant('treaty_findings', ['SELECT', 'INSERT'], ['SELECT'])}
  ${openToCounterparty('treaty_findings', false)}
`

const allowed_pairs = Object.entries(transitions)
  .flatMap(([from, next]) => next.map((to) => `${from}>${to}`))
  .map((pair) => `'${pair}'`)
  .join(', ')

const rules = `
  CREATE FUNCTION treaties_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.state <> NEW.state AND OLD.state || '>' || NEW.state NOT IN (${allowed_pairs}) THEN
      RAISE EXCEPTION 'treaty % is % and does not become %', OLD.id, OLD.state, NEW.state;
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER treaties_forward BEFORE UPDATE ON treaties
    FOR EACH ROW EXECUTE FUNCTION treaties_go_forward();
  CREATE FUNCTION treaties_tell() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM svc_tell_treaty(NEW.tenant_id, NEW.counterparty_tenant);
    RETURN NEW;
  END $$;
  CREATE TRIGGER treaties_told AFTER UPDATE ON treaties
    FOR EACH ROW WHEN (NEW.activated_at IS NOT NULL) EXECUTE FUNCTION treaties_tell();
`

// Owned by the engine's role, which sees every row; each answers one yes or no about the caller.
const partners = `
  CREATE OR REPLACE FUNCTION svc_are_partners(reader text, owner text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM treaties t WHERE t.state = 'ACTIVE' AND t.tenant_id = reader AND t.counterparty_tenant = owner)
      OR EXISTS (SELECT FROM treaties t WHERE t.state = 'ACTIVE' AND t.tenant_id = owner AND t.counterparty_tenant = reader)
  $$;
  CREATE OR REPLACE FUNCTION svc_ever_partners(one text, other text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM treaties t WHERE t.activated_at IS NOT NULL AND t.in_force_at IS NOT NULL
      AND least(t.tenant_id, t.counterparty_tenant) = least(one COLLATE "C", other COLLATE "C")
      AND greatest(t.tenant_id, t.counterparty_tenant) = greatest(one COLLATE "C", other COLLATE "C"))
  $$;
  CREATE FUNCTION svc_is_party(treaty text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(${me}, '') <> '' AND EXISTS (SELECT FROM treaties t
      WHERE t.id = treaty AND ${me} IN (t.tenant_id, t.counterparty_tenant))
  $$;
  CREATE FUNCTION svc_is_sealed(organization text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM tenants t WHERE t.tenant_id = organization AND t.standing = 'sealed')
  $$;
`
const definers = [
  'svc_are_partners(text, text)',
  'svc_ever_partners(text, text)',
  'svc_is_party(text)',
  'svc_is_sealed(text)',
]

// A treaty in the registry is visible only to its parties, also before it is in force, so both can read it.
const open_to = `CASE WHEN e.kind = 'treaty' THEN svc_is_party(e.subject) ELSE svc_is_open(e.visibility, e.tenant_id) END`

export const treaty_migrations: readonly Migration[] = [
  {
    name: '2026-11-16-41-treaties',
    sql: `
      ${tables}
      ${rules}
      ${partners}
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ${definers.map((name) => `ALTER FUNCTION ${name} OWNER TO ${engine_role};`).join('\n')}
      ${openEntriesBy(open_to)}
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
      -- What was used of a treaty is no secret between the two.
      CREATE POLICY spend_of_treaty ON spend FOR SELECT TO ${app_role}
        USING (tenant_id <> ${me} AND budget_counter LIKE 'treaty/%' AND svc_is_party(split_part(budget_counter, '/', 2)));
    `,
  },
]
