// Cases belong to three organizations: the claimant has the usual row rule, respondent and venue a second
// one.
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'
import { case_sides, case_states, remedy_kinds } from './case.ts'

const me = `current_setting('${tenant_setting}', true)`
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

/** Every row names its three organizations, so that no row rule needs another table. */
const whose = `
  tenant_id text COLLATE "C" NOT NULL,
  respondent_tenant text COLLATE "C" NOT NULL,
  venue_tenant text COLLATE "C" NOT NULL`

function isolateCase(table: string, commands: readonly ('INSERT' | 'UPDATE')[], columns = ''): string {
  const own = `${me} IN (respondent_tenant, venue_tenant)`
  const rule = { INSERT: `WITH CHECK (${own})`, UPDATE: `USING (${own}) WITH CHECK (${own})` }
  return `
    ${isolateByTenant(table, ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
    CREATE POLICY ${table}_of_others ON ${table} FOR SELECT TO ${app_role} USING (${own});
    ${commands
      .map(
        (command) =>
          `CREATE POLICY ${table}_others_${command.toLowerCase()} ON ${table} FOR ${command} TO ${app_role} ${rule[command]};`,
      )
      .join('\n')}
    ${columns && `GRANT UPDATE (${columns}) ON ${table} TO ${app_role}, ${engine_role};`}
  `
}

const cases = `
  CREATE TABLE cases (
    case_id uuid PRIMARY KEY,
    ${whose},
    claimant_did text COLLATE "C" NOT NULL,
    respondent_did text COLLATE "C" NOT NULL CHECK (respondent_did <> claimant_did),
    filed_by text NOT NULL CHECK (filed_by IN (${quoted(case_sides)})),
    claim text NOT NULL,
    evidence jsonb NOT NULL,
    correlations uuid[] NOT NULL,
    contracts text[] NOT NULL,
    requested jsonb NOT NULL,
    treaty_id text COLLATE "C",
    -- There is one appeal, and none of an appeal.
    appeal_of uuid REFERENCES cases,
    panel text[] NOT NULL,
    state text NOT NULL CHECK (state IN (${quoted(case_states)})),
    filed_at timestamptz NOT NULL,
    plead_by timestamptz NOT NULL,
    answered_at timestamptz,
    rule_by timestamptz,
    appeal_until timestamptz,
    closed_at timestamptz,
    -- When time may next change it; null where it cannot.
    next_at timestamptz
  );
  CREATE INDEX cases_due ON cases (next_at) WHERE next_at IS NOT NULL AND closed_at IS NULL;
  CREATE INDEX cases_open_of_claimant ON cases (tenant_id, filed_at) WHERE closed_at IS NULL;
  CREATE INDEX cases_open_of_respondent ON cases (respondent_tenant, filed_at) WHERE closed_at IS NULL;
  CREATE INDEX cases_open_contracts ON cases USING gin (contracts) WHERE closed_at IS NULL;
  CREATE INDEX cases_appeals ON cases (appeal_of) WHERE appeal_of IS NOT NULL;
  ${isolateCase(
    'cases',
    ['INSERT', 'UPDATE'],
    'state, correlations, contracts, answered_at, rule_by, appeal_until, closed_at, next_at',
  )}
`

const proceedings = `
  CREATE TABLE case_pleadings (
    case_id uuid NOT NULL REFERENCES cases,
    place integer NOT NULL,
    ${whose},
    side text NOT NULL CHECK (side IN (${quoted(case_sides)})),
    pleaded_by text COLLATE "C" NOT NULL,
    plea text NOT NULL,
    argument text NOT NULL,
    evidence jsonb NOT NULL,
    counterclaim jsonb,
    settlement jsonb,
    pleaded_at timestamptz NOT NULL,
    PRIMARY KEY (case_id, place)
  );
  ${isolateCase('case_pleadings', ['INSERT'])}

  CREATE TABLE case_hearings (
    case_id uuid NOT NULL REFERENCES cases,
    hearing_id text COLLATE "C" NOT NULL,
    ${whose},
    held_by text COLLATE "C" NOT NULL,
    report jsonb NOT NULL,
    held_at timestamptz NOT NULL,
    PRIMARY KEY (case_id, hearing_id)
  );
  ${isolateCase('case_hearings', ['INSERT'])}

  CREATE TABLE case_votes (
    case_id uuid NOT NULL REFERENCES cases,
    arbiter_did text COLLATE "C" NOT NULL,
    ${whose},
    finding text NOT NULL,
    reasoning text NOT NULL,
    remedy jsonb,
    word jsonb NOT NULL,
    voted_at timestamptz NOT NULL,
    PRIMARY KEY (case_id, arbiter_did)
  );
  ${isolateCase('case_votes', ['INSERT'])}
`

const rulings = `
  CREATE TABLE case_rulings (
    ruling_id text COLLATE "C" PRIMARY KEY,
    case_id uuid NOT NULL UNIQUE REFERENCES cases,
    ${whose},
    body text NOT NULL,
    mars_ref text,
    correlation_id uuid NOT NULL,
    ruled_at timestamptz NOT NULL
  );
  ${isolateCase('case_rulings', ['INSERT'])}

  -- One row to a ruling, taken under lock with its effect: whatever is done, is done once.
  CREATE TABLE case_remedies (
    ruling_id text COLLATE "C" PRIMARY KEY REFERENCES case_rulings,
    case_id uuid NOT NULL UNIQUE REFERENCES cases,
    ${whose},
    kind text NOT NULL CHECK (kind IN (${quoted(remedy_kinds)})),
    micro_usd numeric(38,0) CHECK (micro_usd > 0),
    target text,
    in_favour_of text NOT NULL CHECK (in_favour_of IN (${quoted(case_sides)})),
    state text NOT NULL CHECK (state IN ('PENDING', 'EXECUTED', 'IMPOSSIBLE', 'SUPERSEDED')),
    result jsonb,
    -- Who still owes something for it, and under which contract.
    debtor_tenant text COLLATE "C",
    contract_id text COLLATE "C",
    ended_at timestamptz,
    CHECK ((state = 'PENDING') = (ended_at IS NULL))
  );
  CREATE INDEX case_remedies_owed ON case_remedies (debtor_tenant) WHERE debtor_tenant IS NOT NULL;
  ${isolateCase('case_remedies', ['INSERT'])}
  GRANT UPDATE (state, result, debtor_tenant, contract_id, ended_at) ON case_remedies TO ${engine_role};
`

/** Evidence of an open case must stay readable. Called by other planes, which do not know these tables. */
const holds = `
  CREATE FUNCTION svc_on_legal_hold(refs text[]) RETURNS TABLE (ref text, case_id uuid)
  LANGUAGE sql STABLE SET search_path = pg_catalog, public AS $$
    WITH mine AS (
      SELECT open_case.case_id, open_case.evidence FROM cases AS open_case
      WHERE ${me} IN (open_case.tenant_id, open_case.respondent_tenant, open_case.venue_tenant)
        AND open_case.closed_at IS NULL),
    shown AS (
      SELECT mine.case_id, mine.evidence FROM mine
      UNION ALL
      SELECT mine.case_id, pleaded.evidence FROM mine JOIN case_pleadings AS pleaded USING (case_id))
    SELECT DISTINCT piece->>'ref', shown.case_id
    FROM shown, jsonb_array_elements(shown.evidence) AS piece
    WHERE piece->>'ref' = ANY(refs)
    ORDER BY 1, 2
  $$;
`

const listing = `
  CREATE INDEX cases_of_claimant ON cases (tenant_id, filed_at, case_id);
  CREATE INDEX cases_of_respondent ON cases (respondent_tenant, filed_at, case_id);
  CREATE INDEX cases_of_venue ON cases (venue_tenant, filed_at, case_id);
`

const courts = `
  ALTER TABLE cases
    ADD COLUMN served_at timestamptz,
    ADD COLUMN served_to text[],
    ADD COLUMN service_tried_at timestamptz,
    ADD COLUMN fee_micro_usd numeric(38,0) NOT NULL DEFAULT 0 CHECK (fee_micro_usd >= 0),
    ADD COLUMN fee_debtor text COLLATE "C",
    ADD COLUMN fee_contract_id text COLLATE "C";
  -- Cases of before were filed under the rule that the record in the audit log is the notice.
  UPDATE cases SET served_at = filed_at;
  ALTER TABLE case_votes ADD COLUMN frivolous boolean NOT NULL DEFAULT false;
  CREATE INDEX cases_unserved ON cases (service_tried_at) WHERE served_at IS NULL AND closed_at IS NULL;
  CREATE INDEX cases_fees_owed ON cases (fee_debtor) WHERE fee_debtor IS NOT NULL;
  GRANT UPDATE (served_at, served_to, plead_by) ON cases TO ${app_role}, ${engine_role};
  GRANT UPDATE (panel, service_tried_at, fee_debtor, fee_contract_id) ON cases TO ${engine_role};

  -- How a panel is drawn. What it is drawn from is fixed on filing, the rest by a later checkpoint of the venue.
  CREATE TABLE case_draws (
    case_id uuid PRIMARY KEY REFERENCES cases,
    ${whose},
    seats integer NOT NULL CHECK (seats > 0),
    eligible jsonb NOT NULL,
    eligible_hash text COLLATE "C" NOT NULL,
    follows uuid REFERENCES case_draws,
    -- The request whose record in the venue's audit log names the hash.
    correlation_id uuid NOT NULL,
    checkpoint text,
    drawn_order text[],
    drawn_at timestamptz,
    CHECK ((checkpoint IS NULL) = (drawn_at IS NULL) AND (drawn_order IS NULL) = (drawn_at IS NULL))
  );
  CREATE INDEX case_draws_open ON case_draws (case_id) WHERE drawn_at IS NULL;
  ${isolateCase('case_draws', ['INSERT'])}
  GRANT UPDATE (checkpoint, drawn_order, drawn_at) ON case_draws TO ${engine_role};
`

const draw_parties = `
  -- Sorted: the roots of the two sides when it was filed, or the identities where no root was proven.
  ALTER TABLE case_draws ADD COLUMN party_names text[];
  CREATE INDEX case_draws_of_parties ON case_draws (tenant_id, party_names);
`

export const draw_party_migrations: readonly Migration[] = [
  { name: '2026-12-03-11-parties-of-draws', sql: draw_parties },
]

export const court_migrations: readonly Migration[] = [{ name: '2026-12-02-10-courts', sql: courts }]

export const case_migrations: readonly Migration[] = [
  { name: '2026-11-16-51-cases', sql: `${cases}${proceedings}${rulings}` },
  { name: '2026-11-17-39-legal-holds', sql: holds },
  { name: '2026-11-20-22-cases-listed', sql: listing },
]
