// Contracts belong to two tenants: the proposer has the usual policy, the counterparty an additional one.
import { app_role, isolateByTenant, type Migration, tenant_setting } from '@svc/database/migration'
import { contract_states, fee_rules, sides } from './contract-terms.ts'

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

/** The counterparty may read, and use the named commands; it never creates or deletes the proposer's rows. */
function openToCounterparty(table: string, ...commands: readonly ('INSERT' | 'UPDATE')[]): string {
  const own = `counterparty_tenant = current_setting('${tenant_setting}', true)`
  const rule = { INSERT: `WITH CHECK (${own})`, UPDATE: `USING (${own}) WITH CHECK (${own})` }
  return `
    CREATE POLICY ${table}_of_counterparty ON ${table} FOR SELECT TO ${app_role} USING (${own});
    ${commands
      .map(
        (command) =>
          `CREATE POLICY ${table}_counterparty_${command.toLowerCase()} ON ${table} FOR ${command} TO ${app_role} ${rule[command]};`,
      )
      .join('\n')}
  `
}

const contracts = `
  CREATE TABLE contracts (
    contract_id text COLLATE "C" PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    counterparty_tenant text COLLATE "C" NOT NULL,
    proposer_did text COLLATE "C" NOT NULL,
    counterparty_did text COLLATE "C" NOT NULL CHECK (counterparty_did <> proposer_did),
    terms jsonb NOT NULL,
    escrow boolean NOT NULL,
    treaty_id text COLLATE "C",
    state text NOT NULL CHECK (state IN (${quoted(contract_states)})),
    fee_bps jsonb,
    signatures jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    offered_at timestamptz NOT NULL,
    activated_at timestamptz,
    defaulted_at timestamptz,
    -- When time may next change it; null where it cannot.
    next_at timestamptz
  );
  CREATE INDEX contracts_of_proposer ON contracts (proposer_did, offered_at);
  CREATE INDEX contracts_of_counterparty ON contracts (counterparty_did, offered_at);
  CREATE INDEX contracts_due ON contracts (next_at) WHERE next_at IS NOT NULL;
  ${isolateByTenant('contracts', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
  ${openToCounterparty('contracts', 'UPDATE')}
  -- What was agreed stays agreed: only how it goes on changes.
  GRANT UPDATE (state, fee_bps, signatures, activated_at, defaulted_at, next_at) ON contracts TO svc_app, svc_engine;

  CREATE TABLE obligations (
    contract_id text COLLATE "C" NOT NULL REFERENCES contracts,
    obligation_id text COLLATE "C" NOT NULL,
    place integer NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    counterparty_tenant text COLLATE "C" NOT NULL,
    payer text NOT NULL CHECK (payer IN (${quoted(sides)})),
    payer_did text COLLATE "C" NOT NULL,
    payee_did text COLLATE "C" NOT NULL,
    asset_id text COLLATE "C" NOT NULL REFERENCES assets,
    amount numeric(38,0) NOT NULL CHECK (amount > 0),
    due_at text COLLATE "C" NOT NULL,
    condition jsonb NOT NULL,
    credit_to text NOT NULL CHECK (credit_to = 'available' OR credit_to = 'runway' AND asset_id = 'usd'),
    settled numeric(38,0) NOT NULL DEFAULT 0 CHECK (settled BETWEEN 0 AND amount),
    ended text CHECK (ended IN ('SETTLED', 'WAIVED', 'NOVATED')),
    ended_at timestamptz,
    PRIMARY KEY (contract_id, obligation_id),
    CHECK ((ended IS NULL) = (ended_at IS NULL)),
    CHECK ((settled = amount) = (coalesce(ended, '') = 'SETTLED'))
  );
  CREATE INDEX obligations_of_payee ON obligations (payee_did, asset_id) WHERE settled > 0;
  ${isolateByTenant('obligations', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
  ${openToCounterparty('obligations', 'UPDATE')}
  GRANT UPDATE (settled, ended, ended_at) ON obligations TO svc_app, svc_engine;
`

const settlements = `
  CREATE TABLE settlements (
    settlement_id uuid PRIMARY KEY,
    contract_id text COLLATE "C" NOT NULL REFERENCES contracts,
    tenant_id text COLLATE "C" NOT NULL,
    counterparty_tenant text COLLATE "C" NOT NULL,
    settled_by text COLLATE "C" NOT NULL,
    lines jsonb NOT NULL,
    journal_ids uuid[] NOT NULL,
    rail_reference text,
    state text NOT NULL CHECK (state IN ('POSTED', 'FINAL', 'REVERSED')),
    -- Who agreed to give it back, and what the payees put aside for that.
    consents jsonb NOT NULL DEFAULT '[]',
    posted_at timestamptz NOT NULL,
    final_at timestamptz NOT NULL
  );
  CREATE INDEX settlements_of_contract ON settlements (contract_id, posted_at);
  ${isolateByTenant('settlements', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
  ${openToCounterparty('settlements', 'INSERT', 'UPDATE')}
  GRANT UPDATE (state, consents) ON settlements TO svc_app, svc_engine;

  -- One payment outside is booked once. What an issuer books by its references is apart from what holders say of theirs.
  CREATE TABLE settlement_references (
    issuer_tenant text COLLATE "C" NOT NULL,
    rail text COLLATE "C" NOT NULL,
    is_issued boolean NOT NULL,
    reference text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    settlement_id uuid NOT NULL,
    PRIMARY KEY (issuer_tenant, rail, is_issued, reference)
  );
  CREATE INDEX settlement_references_of ON settlement_references (settlement_id);
  ${isolateByTenant('settlement_references', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const contract_migrations: readonly Migration[] = [
  { name: '2026-11-15-91-contracts', sql: `${contracts}${settlements}` },
  {
    name: '2026-11-16-42-contracts-of-treaties',
    sql: 'CREATE INDEX contracts_of_treaty ON contracts (treaty_id, activated_at) WHERE treaty_id IS NOT NULL;',
  },
  {
    // Lists start with the newest, whichever side a tenant is on.
    name: '2026-11-20-23-contracts-listed',
    sql: `
      CREATE INDEX contracts_of_tenant ON contracts (tenant_id, offered_at, contract_id);
      CREATE INDEX contracts_of_other_tenant ON contracts (counterparty_tenant, offered_at, contract_id);
    `,
  },
]

/** Contracts accepted before keep the rounding they were accepted with, so their reserved fees fit. */
export const exchange_migrations: readonly Migration[] = [
  {
    name: '2026-12-07-11-exchanges',
    sql: `
      ALTER TABLE obligations ADD COLUMN exchange text COLLATE "C" CHECK (exchange <> '');
      ALTER TABLE contracts ADD COLUMN fee_rule text NOT NULL DEFAULT 'each' CHECK (fee_rule IN (${quoted(fee_rules)}));
      GRANT UPDATE (fee_rule) ON contracts TO svc_app, svc_engine;
    `,
  },
]
