// The ledger enforces its own rules: whoever writes to it, it stays balanced, covered and unchanged.

import { account_types } from '@svc/contract/money/money'
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'
import { ledger_faults, ledger_rules } from './rules.ts'

const journals_max = 512
const entries_max = 1024

const tables = `
  CREATE TABLE assets (
    asset_id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    asset_hash text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    rail text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    decimals integer NOT NULL CHECK (decimals BETWEEN 0 AND 12),
    finality_s integer NOT NULL CHECK (finality_s >= 0),
    lot_size numeric(38,0) NOT NULL CHECK (lot_size > 0),
    tick_size numeric(38,0) NOT NULL CHECK (tick_size > 0),
    max_supply numeric(38,0) CHECK (max_supply > 0),
    published_by text COLLATE "C" NOT NULL,
    published_at timestamptz NOT NULL
  );
  CREATE INDEX assets_of_tenant ON assets (tenant_id, asset_id);
  ${isolateByTenant('assets', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
  -- Who issues a currency may change only while there is none of it: see ensureUsd.
  GRANT UPDATE (tenant_id) ON assets TO ${engine_role};

  CREATE TABLE ledger_accounts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    did text COLLATE "C" NOT NULL DEFAULT '',
    asset_id text COLLATE "C" NOT NULL REFERENCES assets,
    type text COLLATE "C" NOT NULL CHECK (type IN (${account_types.map((type) => `'${type}'`).join(', ')})),
    UNIQUE (tenant_id, asset_id, type, did)
  );
  ${isolateByTenant('ledger_accounts', ['SELECT'], ['SELECT', 'INSERT'])}

  CREATE TABLE ledger_journals (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    ref text COLLATE "C" NOT NULL,
    correlation_id uuid NOT NULL,
    posted_at timestamptz NOT NULL,
    prev_hash text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    UNIQUE (tenant_id, seq)
  );
  CREATE INDEX ledger_journals_of_ref ON ledger_journals (tenant_id, kind, ref);
  CREATE INDEX ledger_journals_of_time ON ledger_journals (tenant_id, posted_at);
  ${isolateByTenant('ledger_journals', ['SELECT'], ['SELECT', 'INSERT'])}

  CREATE TABLE ledger_entries (
    journal_id uuid NOT NULL REFERENCES ledger_journals,
    place integer NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    account_id bigint NOT NULL REFERENCES ledger_accounts,
    asset_id text COLLATE "C" NOT NULL,
    amount numeric(38,0) NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (journal_id, place)
  );
  CREATE INDEX ledger_entries_of_account ON ledger_entries (account_id);
  CREATE INDEX ledger_entries_of_tenant ON ledger_entries (tenant_id, account_id);
  ${isolateByTenant('ledger_entries', ['SELECT'], ['SELECT', 'INSERT'])}

  CREATE TABLE ledger_balances (
    account_id bigint PRIMARY KEY REFERENCES ledger_accounts,
    tenant_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    balance numeric(38,0) NOT NULL DEFAULT 0,
    CONSTRAINT ledger_balances_covered CHECK (balance >= 0 OR type = 'issuance')
  );
  CREATE INDEX ledger_balances_of_tenant ON ledger_balances (tenant_id);
  ${isolateByTenant('ledger_balances', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}
`

const reading = `
  CREATE FUNCTION svc_ledger_lines(posted jsonb) RETURNS TABLE (journal bigint, place bigint, tenant_id text,
    did text, asset_id text, type text, amount numeric) LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, public, pg_temp AS $lines$
    SELECT j.n, e.n, e.line->>'tenant_id', coalesce(e.line->>'did', ''), e.line->>'asset_id', e.line->>'type',
      (e.line->>'amount')::numeric
    FROM jsonb_array_elements(posted) WITH ORDINALITY j(body, n),
      jsonb_array_elements(j.body->'entries') WITH ORDINALITY e(line, n)
  $lines$;
  -- What a journal says, as one text: its hash is sha256 of the hash before it and this.
  CREATE FUNCTION svc_journal_text(journal ledger_journals, lines jsonb) RETURNS text LANGUAGE sql STABLE
    SET search_path = pg_catalog, public, pg_temp AS $text$
    SELECT jsonb_build_array(journal.id, journal.tenant_id, journal.seq, journal.kind, journal.ref,
      journal.correlation_id, to_char(journal.posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      lines)::text
  $text$;
  CREATE FUNCTION svc_journal_hash(journal ledger_journals, lines jsonb) RETURNS text LANGUAGE sql STABLE
    SET search_path = pg_catalog, public, pg_temp AS $hash$
    SELECT encode(sha256(convert_to(journal.prev_hash || svc_journal_text(journal, lines), 'UTF8')), 'hex')
  $hash$;
  -- True where a journal still says what its hash was made of; for roles that see all of it.
  CREATE FUNCTION svc_journal_holds(wanted ledger_journals) RETURNS boolean LANGUAGE sql STABLE
    SET search_path = pg_catalog, public, pg_temp AS $holds$
    SELECT wanted.hash = svc_journal_hash(wanted, jsonb_agg(
      jsonb_build_array(a.tenant_id, a.did, a.asset_id, a.type, e.amount::text) ORDER BY e.place))
    FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id WHERE e.journal_id = wanted.id
  $holds$;
  -- What is owned is defined in the open; the table itself stays its issuer's.
  CREATE FUNCTION svc_assets(wanted text[]) RETURNS SETOF assets LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $assets$
    SELECT * FROM assets WHERE asset_id = ANY(wanted)
  $assets$;
`

// A handler's mistake must not cost another tenant money: it may only take what is reserved there, or
// reserve it for its holder.
const wall = `
  CREATE FUNCTION svc_ledger_trespass(posted jsonb, poster text) RETURNS jsonb LANGUAGE sql IMMUTABLE
    SET search_path = pg_catalog, public, pg_temp AS $trespass$
    SELECT jsonb_build_object('tenant_id', held.tenant_id, 'did', held.did, 'asset_id', held.asset_id)
    FROM (SELECT journal, tenant_id, did, asset_id,
        coalesce(sum(amount) FILTER (WHERE type = 'available'), 0) AS available,
        coalesce(sum(amount) FILTER (WHERE type IN ('reserved', 'escrow')), 0) AS aside,
        bool_or(amount < 0 AND type NOT IN ('available', 'reserved', 'escrow')) AS elsewhere
      FROM svc_ledger_lines(posted) WHERE tenant_id <> poster
      GROUP BY journal, tenant_id, did, asset_id) held
    WHERE held.elsewhere OR held.available < 0 AND held.available + held.aside < 0
    LIMIT 1
  $trespass$;
`

const posting = `
  CREATE FUNCTION svc_post_journals(posted jsonb) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $post$
  DECLARE
    by_engine boolean := coalesce(current_setting('role', true), '') = '${engine_role}';
    poster text := current_setting('${tenant_setting}', true);
    trespass jsonb;
    unknown text;
    ids uuid[];
    links record;
    head record;
    next ledger_journals;
  BEGIN
    IF jsonb_array_length(posted) NOT BETWEEN 1 AND ${journals_max} OR EXISTS (SELECT
        FROM jsonb_array_elements(posted) j WHERE jsonb_array_length(j->'entries') NOT BETWEEN 2 AND ${entries_max}) THEN
      RAISE EXCEPTION 'A posting has 1 to ${journals_max} journals of 2 to ${entries_max} entries.';
    END IF;
    IF NOT by_engine THEN
      IF coalesce(poster, '') = '' OR EXISTS (SELECT FROM jsonb_array_elements(posted) j
          WHERE j->>'tenant_id' IS DISTINCT FROM poster) THEN
        RAISE EXCEPTION 'A journal is posted by the tenant of its transaction.';
      END IF;
      trespass := svc_ledger_trespass(posted, poster);
      IF trespass IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '${ledger_faults.foreign_debit}', DETAIL = trespass::text,
          MESSAGE = 'A journal of ' || poster || ' may not take this from another tenant.';
      END IF;
    END IF;
    SELECT l.asset_id INTO unknown FROM svc_ledger_lines(posted) l
      WHERE NOT EXISTS (SELECT FROM assets a WHERE a.asset_id = l.asset_id) LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION USING ERRCODE = '${ledger_faults.unknown_asset}', MESSAGE = 'unknown asset',
        DETAIL = jsonb_build_object('asset_id', unknown)::text;
    END IF;

    FOR links IN SELECT DISTINCT j->>'tenant_id' AS tenant_id FROM jsonb_array_elements(posted) j ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock(hashtextextended('ledger/' || links.tenant_id, 0));
    END LOOP;
    INSERT INTO ledger_accounts (tenant_id, did, asset_id, type)
      SELECT DISTINCT l.tenant_id, l.did, l.asset_id, l.type FROM svc_ledger_lines(posted) l
      WHERE NOT EXISTS (SELECT FROM ledger_accounts a WHERE a.tenant_id = l.tenant_id AND a.asset_id = l.asset_id
        AND a.type = l.type AND a.did = l.did)
      ORDER BY 1, 3, 4, 2
      ON CONFLICT (tenant_id, asset_id, type, did) DO NOTHING;
    FOR links IN SELECT j.body, j.n FROM jsonb_array_elements(posted) WITH ORDINALITY j(body, n) ORDER BY j.n LOOP
      SELECT j.seq, j.hash INTO head FROM ledger_journals j
        WHERE j.tenant_id = links.body->>'tenant_id' ORDER BY j.seq DESC LIMIT 1;
      next := jsonb_populate_record(NULL::ledger_journals, links.body - 'entries');
      next.id := gen_random_uuid();
      next.seq := coalesce(head.seq, 0) + 1;
      next.posted_at := (links.body->>'at')::timestamptz;
      next.prev_hash := coalesce(head.hash, repeat('0', 64));
      SELECT svc_journal_hash(next, jsonb_agg(jsonb_build_array(l.tenant_id, l.did, l.asset_id, l.type,
        l.amount::text) ORDER BY l.place)) INTO next.hash FROM svc_ledger_lines(jsonb_build_array(links.body)) l;
      INSERT INTO ledger_journals SELECT next.*;
      ids[links.n] := next.id;
    END LOOP;
    INSERT INTO ledger_entries (journal_id, place, tenant_id, account_id, asset_id, amount)
      SELECT ids[l.journal], l.place, l.tenant_id, a.id, l.asset_id, l.amount
      FROM svc_ledger_lines(posted) l JOIN ledger_accounts a ON a.tenant_id = l.tenant_id
        AND a.asset_id = l.asset_id AND a.type = l.type AND a.did = l.did;
    -- What was spent is counted elsewhere, so booking it changes nothing that binds spending.
    PERFORM svc_tell_books(told.tenant_id) FROM (SELECT DISTINCT l.tenant_id
      FROM svc_ledger_lines(posted) l WHERE l.type = 'runway'
        AND posted->(l.journal::integer - 1)->>'kind' <> 'roll-up') told;
    RETURN ids::text[];
  END $post$;
`

// The engine's role owns functions that must see all tenants' rows; a table owner without superuser cannot.
const definers = ['svc_post_journals(jsonb)', 'svc_assets(text[])', 'svc_ledger_balanced()']

export const ledger_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-90-ledger',
    sql: `
      ${tables}
      ${ledger_rules}
      ${reading}
      ${wall}
      ${posting}
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ${definers
        .map(
          (name) => `
      ALTER FUNCTION ${name} OWNER TO ${engine_role};
      REVOKE ALL ON FUNCTION ${name} FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION ${name} TO ${app_role}, ${engine_role};`,
        )
        .join('')}
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]

// Unique by its position in the tenant's chain, tied to the call by the correlation id; RFC 9562 version 8.
const id_text = `concat_ws('/', links.body->>'tenant_id', coalesce(head.seq, 0) + 1, head.hash, links.body->>'correlation_id')`
const derived_id = `overlay(overlay(left(encode(sha256(convert_to(${id_text}, 'UTF8')), 'hex'), 32)
        PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid`

export const journal_id_migrations: readonly Migration[] = [
  {
    name: '2026-11-22-20-journal-ids',
    sql: `
      ${posting.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').replace('gen_random_uuid()', derived_id)}
      ALTER TABLE ledger_journals ALTER COLUMN id DROP DEFAULT;
    `,
  },
]

const dated = [
  ['CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'],
  ['gen_random_uuid()', derived_id],
  ['asset_id, amount)', 'asset_id, amount, posted_at)'],
  [
    'l.asset_id, l.amount\n',
    `l.asset_id, l.amount,\n        (posted->(l.journal::integer - 1)->>'at')::timestamptz\n`,
  ],
  ['a.did = l.did;', 'a.did = l.did\n      ORDER BY l.journal, l.place;'],
] as const
const dated_posting = dated.reduce((text, [from, to]) => text.replace(from, to), posting)

/** An entry has its time and its number, so that the history of one account is read in order, page by page. */
export const account_history_migrations: readonly Migration[] = [
  {
    name: '2026-12-04-30-account-history',
    sql: `
      ALTER TABLE ledger_entries ADD COLUMN n bigint GENERATED ALWAYS AS IDENTITY, ADD COLUMN posted_at timestamptz DEFAULT now();
      ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_stay, NO FORCE ROW LEVEL SECURITY;
      ALTER TABLE ledger_journals NO FORCE ROW LEVEL SECURITY;
      UPDATE ledger_entries e SET posted_at = j.posted_at FROM ledger_journals j WHERE j.id = e.journal_id;
      ALTER TABLE ledger_journals FORCE ROW LEVEL SECURITY;
      ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_stay, FORCE ROW LEVEL SECURITY,
        ALTER COLUMN posted_at SET NOT NULL;
      CREATE INDEX ledger_entries_in_order ON ledger_entries (account_id, posted_at, n) INCLUDE (amount);
      DROP INDEX ledger_entries_of_account;
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ${dated_posting}
      -- What a journal is about, also if another tenant posted it: for those who have an entry in it.
      CREATE FUNCTION svc_own_journals(wanted uuid[]) RETURNS TABLE (id uuid, kind text, ref text, correlation_id uuid)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $journals$
        SELECT j.id, j.kind, j.ref, j.correlation_id FROM ledger_journals j
        WHERE j.id = ANY(wanted) AND EXISTS (SELECT FROM ledger_entries e
          WHERE e.journal_id = j.id AND e.tenant_id = current_setting('${tenant_setting}', true))
      $journals$;
      ALTER FUNCTION svc_own_journals(uuid[]) OWNER TO ${engine_role};
      REVOKE ALL ON FUNCTION svc_own_journals(uuid[]) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION svc_own_journals(uuid[]) TO ${app_role}, ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]
