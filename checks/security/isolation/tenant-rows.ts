// A row of the rival's for each tenant table, so that there is something to hide.
import { artifact_rows } from './artifact-rows.ts'
import { device_rows } from './device-rows.ts'
import { effect_rows } from './effect-rows.ts'
import { mail_rows } from './mail-rows.ts'
import { metric_rows } from './metric-rows.ts'
import { thought_rows } from './thought-rows.ts'
import { tool_rows } from './tool-rows.ts'

const registry_row = `INSERT INTO registry_entries
  (tenant_id, hash, kind, subject, version, visibility, body, signature, registered_at, name_key, terms, search)
  VALUES ('rival', 'sha256:1', 'agent', 'x', 1, 'public', '{}', '{}', now(), '', '{}', '')`

const session_row = `INSERT INTO macs_sessions
  (tenant_id, session_id, agent_did, opened_by, profile, challenge_kind, state, opened_at, expires_at)
  VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'x', 'DidAuth', 'Nonce', 'NEGOTIATED', now(), now())`

const user_row = "INSERT INTO users (user_id, tenant_id, did, login) VALUES ('u', 'rival', 'x', 'x')"

const envelope_row = `INSERT INTO envelopes (tenant_id, envelope_id, version, department, state, day_limit_micro_usd,
  month_limit_micro_usd, granted, authority, allocated_by, created_at, effective_at)
  VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1, 'x', 'ACTIVE', 1, 1, '{}', 'x', 'x', now(), now())`

const lot_row = `INSERT INTO lots (tenant_id, lot_id, solicitor_did, task, capability, asset_id, reserve_price, visibility,
  opened_at, closes_at, state)
  VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'x', 'x', 'x', 1, 'tenant', now(), 'infinity', 'OPEN')`

const instrument_row = `INSERT INTO market_instruments VALUES ('rival', 'x/y', 'x', 'y', 1, 1, now())`

const order_row = `${instrument_row}; INSERT INTO market_orders (tenant_id, order_id, instrument, seq, owner_tenant,
  owner_did, side, type, time_in_force, post_only, price, quantity, filled, filled_notional, reserved, state, placed_at,
  updated_at, correlation_id)
  SELECT 'rival', id, 'x/y', 1, 'rival', 'x', 'buy', 'limit', 'GTC', false, 1, 1, 0, 0, 1, 'OPEN', now(), now(), id
  FROM (VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'::uuid)) made(id)`

const asset_row = `INSERT INTO assets VALUES ('rival-coin', 'rival', 'x', 'token', 'internal', 'X', 0, 0, 1, 1, NULL, 'x', now())`

const posted_rows = `${asset_row}; SELECT set_config('svc.tenant_id', 'rival', true), svc_post_journals('[{"tenant_id": "rival",
  "kind": "x", "ref": "x", "correlation_id": "5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10", "at": "2026-11-15T00:00:00Z", "entries": [
  {"tenant_id": "rival", "asset_id": "rival-coin", "type": "issuance", "amount": "-1"},
  {"tenant_id": "rival", "asset_id": "rival-coin", "type": "available", "amount": "1"}]}]')`

const contract_row = `${asset_row}; INSERT INTO contracts (contract_id, tenant_id, counterparty_tenant, proposer_did,
  counterparty_did, terms, escrow, state, signatures, expires_at, offered_at)
  VALUES ('x', 'rival', 'rival', 'x', 'y', '{}', false, 'OFFERED', '[]', now(), now())`

const motion_row = `INSERT INTO motions VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', '{"convened_at": "2026-11-16T00:00:00Z"}', 'OPEN', 'infinity')`

const verdict_row = `INSERT INTO verdicts (tenant_id, verdict_id, outcome, body, max_uses, tallied_at)
  VALUES ('rival', 'x', 'PASSED', '{}', 1, now())`

const treaty_row = `INSERT INTO treaties (id, tenant_id, counterparty_tenant, body, root_id, state, proposed_by, proposed_at,
  sign_by) VALUES ('x', 'rival', 'third', '{}', 'x', 'PROPOSED', 'x', now(), now())`

const pattern_row = "INSERT INTO patterns VALUES ('rival', 'x', '{}', now(), now())"

const case_id = "'5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"
const case_row = `INSERT INTO cases (case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by,
  claim, evidence, correlations, contracts, requested, panel, state, filed_at, plead_by)
  VALUES (${case_id}, 'rival', 'rival', 'rival', 'x', 'y', 'claimant', 'x', '[]', '{}', '{}', '{}', '{}', 'FILED', now(), now())`
const ruling_row = `${case_row}; INSERT INTO case_rulings (ruling_id, case_id, tenant_id, respondent_tenant, venue_tenant, body,
  correlation_id, ruled_at) VALUES ('x', ${case_id}, 'rival', 'rival', 'rival', '{}', ${case_id}, now())`

const dissolution_row = `INSERT INTO dissolutions (dissolution_id, tenant_id, state, reason, schedule, authority, initiated_by,
  initiated_at, notice_until, successor_tenant)
  VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'rival', 'INITIATED', 'x', '{}', 'x', 'x', now(), 'infinity', 'rival')`

/** Rows of tables that traffic leaves empty; a new table without rows needs a line here. */
/** A page has 256 records, more than anybody makes here. */
const page_rows = {
  audit_pages: `INSERT INTO audit_pages VALUES ('rival', 0, 256, sha256(''), decode(repeat('00', 8192), 'hex'),
    array_fill(0, ARRAY[512]), now(), now(), now(), false, 1, '{1,2,3,4}', sha256('page'), 'page')`,
  audit_terms: `INSERT INTO audit_terms VALUES ('rival', 'event:Error', 0)`,
  audit_hot_pages: `INSERT INTO audit_hot_pages VALUES ('rival', 1, now())`,
}

export const fillers: Readonly<Record<string, string>> = {
  ...page_rows,
  tenant_homes:
    "INSERT INTO tenant_homes VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'copying', 'x')",
  ...device_rows,
  ...effect_rows,
  ...mail_rows,
  ...metric_rows,
  ...thought_rows,
  ...artifact_rows,
  ...tool_rows,
  assets: asset_row,
  ledger_accounts: posted_rows,
  ledger_journals: posted_rows,
  ledger_entries: posted_rows,
  ledger_balances: posted_rows,
  ledger_fee_sums: `${asset_row}; INSERT INTO ledger_fee_sums VALUES ('rival', 'rival-coin', 1, 0)`,
  contracts: contract_row,
  obligations: `${contract_row}; INSERT INTO obligations (contract_id, obligation_id, place, tenant_id, counterparty_tenant,
    payer, payer_did, payee_did, asset_id, amount, due_at, condition, credit_to)
    VALUES ('x', 'x', 0, 'rival', 'rival', 'proposer', 'x', 'y', 'rival-coin', 1, 'x', '{}', 'available')`,
  settlements: `${contract_row}; INSERT INTO settlements VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'rival',
    'rival', 'x', '[]', '{}', NULL, 'POSTED', '[]', now(), now())`,
  settlement_references: `INSERT INTO settlement_references
    VALUES ('rival', 'x', false, 'x', 'rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10')`,
  treaties: treaty_row,
  treaty_signatures: `${treaty_row}; INSERT INTO treaty_signatures
    VALUES ('x', 'rival', 'third', 'x', 'x', 'x', 'x', 'own', NULL)`,
  treaty_findings: `${treaty_row}; INSERT INTO treaty_findings VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
    'third', 'x', 'x', 'x', 'x', 'x', '[]', 'suspend', now())`,
  cases: case_row,
  case_pleadings: `${case_row}; INSERT INTO case_pleadings (case_id, place, tenant_id, respondent_tenant, venue_tenant, side,
    pleaded_by, plea, argument, evidence, pleaded_at)
    VALUES (${case_id}, 1, 'rival', 'rival', 'rival', 'claimant', 'x', 'x', 'x', '[]', now())`,
  case_hearings: `${case_row}; INSERT INTO case_hearings VALUES (${case_id}, 'x', 'rival', 'rival', 'rival', 'x', '{}', now())`,
  case_draws: `${case_row}; INSERT INTO case_draws (case_id, tenant_id, respondent_tenant, venue_tenant, seats, eligible,
    eligible_hash, correlation_id) VALUES (${case_id}, 'rival', 'rival', 'rival', 1, '[]', 'x', ${case_id})`,
  case_votes: `${case_row}; INSERT INTO case_votes
    VALUES (${case_id}, 'x', 'rival', 'rival', 'rival', 'x', 'x', NULL, '{}', now())`,
  case_rulings: ruling_row,
  case_remedies: `${ruling_row}; INSERT INTO case_remedies (ruling_id, case_id, tenant_id, respondent_tenant, venue_tenant, kind,
    in_favour_of, state) VALUES ('x', ${case_id}, 'rival', 'rival', 'rival', 'declaratory', 'claimant', 'PENDING')`,
  envelopes: envelope_row,
  envelope_members: `${envelope_row}; INSERT INTO envelope_members
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1, 'x')`,
  throttles: `INSERT INTO throttles
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', '[]', 'x', now())`,
  holds: `INSERT INTO holds (tenant_id, hold_id, scope, reason, placed_by, placed_at, until)
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'tenant', 'x', 'x', now(), 'infinity')`,
  runway_state:
    "INSERT INTO runway_state VALUES ('rival', 'ample', 'ample', 1, 1, NULL, now()) ON CONFLICT DO NOTHING",
  profiles: "INSERT INTO profiles VALUES ('rival', 'x', 1, '{}', 'x', now())",
  lots: lot_row,
  bids: `${lot_row}; INSERT INTO bids VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1,
    '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 1, 1, NULL, NULL, 'x', 'x', now(), NULL)`,
  market_instruments: instrument_row,
  market_book_seq: `${instrument_row}; INSERT INTO market_book_seq VALUES ('rival', 'x/y', 1, now())`,
  market_orders: order_row,
  market_rules: "INSERT INTO market_rules VALUES ('rival', true, 'x', now())",
  market_order_log: `INSERT INTO market_order_log
    VALUES ('rival', 'x/y', 1, '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', now(), '{}')`,
  market_trades: `${order_row}; INSERT INTO market_trades SELECT 'rival', order_id, 'x/y', 1, 0, 1, 1, 1, 0, 'buy',
    order_id, order_id, 'rival', 'x', 'rival', 'x', false, 'SETTLED', order_id, now() FROM market_orders
    WHERE tenant_id = 'rival'`,
  meter_receipts:
    "INSERT INTO meter_receipts VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 1)",
  meter_hours: "INSERT INTO meter_hours VALUES ('rival', now(), 1, NULL)",
  meter_names:
    "INSERT INTO meter_names VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'x', 'x', NULL, NULL, NULL, 0)",
  access_requests: `INSERT INTO access_requests (tenant_id, request_id, did, kind, name, state, requested_at, expires_at)
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'role', 'x', 'OPEN', now(), now())`,
  meter_sums:
    "INSERT INTO meter_sums VALUES ('rival', now(), '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 0, 1, 1, 1, 1, 1)",
  meter_moved: "INSERT INTO meter_moved VALUES ('rival', 1, now())",
  rates: "INSERT INTO rates VALUES ('rival', 1, now(), 1, 1, 1, 'x', 'x', now())",
  billing: "INSERT INTO billing (tenant_id) VALUES ('rival') ON CONFLICT DO NOTHING",
  invoices: `INSERT INTO invoices VALUES ('rival', now(), 'infinity', 'CLOSED', 1, 1, 1, 1, 'x', 'x', 1, now(), now())`,
  motions: motion_row,
  positions: `${motion_row}; INSERT INTO positions VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 1,
    '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'for', 'x', '{}', NULL, NULL, NULL, now())`,
  verdicts: verdict_row,
  verdict_binds: `${verdict_row}; INSERT INTO verdict_binds VALUES ('rival', 'x', 'x', now(), 'x')`,
  verdict_uses: `${verdict_row}; INSERT INTO verdict_uses
    VALUES ('rival', 'x', 1, 'x', 'x', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', now())`,
  dissolutions: dissolution_row,
  dissolution_steps: `${dissolution_row}; INSERT INTO dissolution_steps
    VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'orders', 'rival', now(), '{}')`,
  chain_seals: `${dissolution_row}; INSERT INTO chain_seals
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1, 'x', now())`,
  archives: "INSERT INTO archives VALUES ('rival', 'x', '{}', now())",
  archive_chunks: "INSERT INTO archive_chunks VALUES ('rival', 0, '')",
  book_access: "INSERT INTO book_access VALUES ('rival', 'rival', NULL, 'succession', 'x', 'rival')",
  users: user_row,
  roles: "INSERT INTO roles VALUES ('rival', 'buyer', '{}', '{}', now())",
  person_roles: `${user_row}; INSERT INTO person_roles VALUES ('rival', 'u', 'viewer', 'hand', now())`,
  invitations: `INSERT INTO invitations VALUES ('i', 'rival', decode(repeat('00', 32), 'hex'), 'x', '{}', 'x', now(),
    'infinity', NULL, NULL)`,
  role_claims: "INSERT INTO role_claims VALUES ('rival', 'x', 'x', 'x', 'viewer')",
  charter_members: "INSERT INTO charter_members (tenant_id, did, since) VALUES ('rival', 'x', now())",
  revocations: "INSERT INTO revocations (tenant_id, did, reason, by) VALUES ('rival', 'x', 'y', 'z')",
  sessions: `${user_row}; INSERT INTO sessions VALUES
    ('s', decode(repeat('00', 32), 'hex'), 'u', 'rival', now(), now(), NULL)`,
  aegis_challenges: `INSERT INTO aegis_challenges (challenge_id, tenant_id, subject_did, challenge, expires_at)
    VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'rival', 'x', '{}', now())`,
  delegation_policies: "INSERT INTO delegation_policies VALUES ('rival', 'x', 1, '{}', now())",
  delegations: `INSERT INTO delegations (token_id, tenant_id, root_id, links_above, from_did, to_did, token,
    public_key, challenged, issued_at, expires_at)
    VALUES ('x', 'rival', 'x', 0, 'x', 'y', '{}', 'x', false, now(), now())`,
  audit_tree: "INSERT INTO audit_tree VALUES ('rival', 8, 0, decode(repeat('00', 32), 'hex'))",
  audit_public_logs: "INSERT INTO audit_public_logs VALUES ('rival')",
  audit_fan_out_due: "INSERT INTO audit_fan_out_due VALUES ('rival', 1)",
  audit_fan_out_cursors: `INSERT INTO audit_fan_out_cursors
    VALUES ('svc.audit', 'rival', 1, decode(repeat('00', 32), 'hex'))`,
  audit_cosignatures: "INSERT INTO audit_cosignatures VALUES ('rival', 'w.example', '00000000', 1, 'x')",
  audit_outbox: "INSERT INTO audit_outbox (tenant_id, entry) VALUES ('rival', '{}')",
  registry_entries: registry_row,
  macs_sessions: session_row,
  macs_challenges: `${session_row}; INSERT INTO macs_challenges
    (tenant_id, challenge_id, session_id, agent_did, audience, nonce, issued_at, expires_at)
    SELECT tenant_id, session_id, session_id, 'x', 'x', 'x', now(), now() FROM macs_sessions WHERE tenant_id = 'rival'`,
  lineage_statements:
    "INSERT INTO lineage_statements (tenant_id, did, statements) VALUES ('rival', 'x', '[{}]')",
  derived_identities: `INSERT INTO derived_identities
    (tenant_id, did, parent_did, asked_digest, statement, document, created_at)
    VALUES ('rival', 'x', 'y', 'z', '{}', '{}', now())`,
  month_calls: "INSERT INTO month_calls (month, tenant_id, used, added) VALUES (1, 'rival', 1, 0)",
  identity_keys: `INSERT INTO identity_keys VALUES ('rival', 'did:oas:rival:agent:x', 0, 'x', now(), '{}')`,
  key_recoveries: `INSERT INTO key_recoveries VALUES ('rival', 'x', 'y', '{}', '{}', '[]', NULL, 'z', now())`,
  suspensions: `INSERT INTO suspensions VALUES ('rival', 'did:oas:rival:agent:x', 'x', 'y', 'z', now())`,
  keystore: "INSERT INTO keystore (tenant_id, did, public_key, sealed_seed) VALUES ('rival', 'x', 'y', '')",
  workloads:
    "INSERT INTO workloads SELECT 'x', tenant_id, 'x', 'x', 'x', '{}', NULL, now() FROM tenants WHERE tenant_id = 'rival'",
  webhooks: `INSERT INTO webhooks (tenant_id, name, address, event_types, sealed_secret, wrapped_key, set_by, set_at, seq)
    SELECT tenant_id, 'x', 'https://x.example', '{Error}', '', '', 'x', now(), 0 FROM tenants WHERE tenant_id = 'rival'`,
  alert_rules: `INSERT INTO alert_rules (tenant_id, name, condition, severity, resolve_after_minutes, mail_to, mailboxes, set_by,
    set_at, next_at) SELECT tenant_id, 'x', '{}', 'info', 5, '{}', '{}', 'x', now(), 'infinity' FROM tenants
    WHERE tenant_id = 'rival'`,
  alerts: `INSERT INTO alerts (tenant_id, alert_id, rule, condition, severity, value, fired_at)
    SELECT tenant_id, '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a11', 'x', '{}', 'info', 1, now() FROM tenants
    WHERE tenant_id = 'rival'`,
  outgoing_mail: `INSERT INTO outgoing_mail (tenant_id, mail_id, login, subject, body, queued_at)
    SELECT tenant_id, '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a11', 'x', 'x', 'x', now() FROM tenants WHERE tenant_id = 'rival'`,
  saved_views: `INSERT INTO saved_views (tenant_id, owner_did, name, protocol, operation, filters, set_by, set_at)
    SELECT tenant_id, 'x', 'x', 'X', 'x', '{}', 'x', now() FROM tenants WHERE tenant_id = 'rival'`,
  one_time_uses: "INSERT INTO one_time_uses VALUES ('rival', 'x', 'y', 'z', NULL, 'r', true, now())",
  patterns: pattern_row,
  policies: `INSERT INTO policies (tenant_id, policy_id, version, ordinal, body, digest, retires, active_from, authored_by,
    authority, authored_at) VALUES ('rival', 'x', '1.0.0', 1, 'x', 'x', false, 'infinity', 'x', 'x', now())`,
  approvals: `INSERT INTO approvals (tenant_id, approval_id, state, call_hash, caller_did, caller_tenant, caller_kin, protocol,
    operation, version, target_tenant, input_hash, input_bytes, input_shape, cost_micro_usd, effects, demands, decider_dids,
    decider_roles, correlation_id, requested_at, decide_until, use_ms) VALUES ('rival',
    '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a11', 'PENDING', 'x', 'x', 'rival', '{x}', 'X', 'x', 'v1.0.0', 'rival', 'x', 1, '{}', 1,
    '{}', '[]', '{}', '{}', 'x', now(), 'infinity', 1)`,
  policy_sets: "INSERT INTO policy_sets VALUES ('rival', 'x', '[]')",
  dilemmas: "INSERT INTO dilemmas VALUES ('rival', 'x', '{}', '{}', 'x', now())",
  pattern_support: `${pattern_row}; INSERT INTO pattern_support
    VALUES ('rival', 'x', 'x', now(), 1, 'x', 1, 1, 1, now(), now(), '{}', '{}')`,
  proposals: `${pattern_row}; INSERT INTO proposals
    VALUES ('rival', 'x', 'x', 'x', 'x', 'x', now(), 'x', 'x', NULL, '{}', 'x', now())`,
  endpoints_health: `${registry_row}; INSERT INTO endpoints_health (tenant_id, entry, url, next_probe_at)
    VALUES ('rival', 'sha256:1', 'https://a.example', now())`,
}
