// "Operation payload shapes that are stated", and the specification's other shapes and limits that a
// published schema has.

interface Shape {
  readonly input: readonly string[]
  /** What the specification says about the answer. */
  readonly output?: readonly string[]
}

/** Nested fields follow a dot, those of list elements too. */
export const payloads: Readonly<Record<string, Shape>> = {
  'MACS.auth_negotiation': { input: ['profile', 'challenge_kind'] },
  'MACS.authorization_request': { input: ['agent_did'], output: ['capabilities'] },
  'MARC.reasoning_task': {
    input: [
      ...['intent', 'premises', 'world_model_snapshot', 'budget.tokens', 'budget.deadline_ms'],
      'return_fields',
    ],
    output: ['citations', 'derivation', 'confidence'],
  },
  'MIND.store_memory': { input: ['kind', 'payload'] },
  'MIND.query_knowledge': { input: ['subject', 'limit'] },
  'MAVEN.cite': { input: ['source_ref'] },
  'MAX.audit_query': { input: ['correlation_id', 'correlation_ids', 'include_inputs'] },
  'MOAT.compliance_query': { input: ['party_a', 'party_b', 'capability'], output: ['active'] },
  'MANA.budget': { input: ['tenant_id', 'dimension'], output: ['remaining'] },
  'MANA.allocate': {
    input: [
      ...['envelope.department', 'envelope.max_per_month_usd', 'envelope.max_per_day_usd'],
      ...['capabilities_granted', 'authority'],
    ],
  },
  'MANA.throttle': { input: ['envelope_id', 'rules.match', 'rules.factor'] },
  'MANA.hold': { input: ['reason', 'scope', 'until'] },
  'MEAL.statement': {
    input: ['tenant_id', 'period.from', 'period.to', 'include_breakdown', 'group_by'],
    output: [
      ...['totals.tokens', 'totals.seconds', 'totals.watts_kWh', 'totals.amount_usd', 'by_protocol'],
      ...['settlement_status', 'next_invoice_at'],
    ],
  },
  'MEAL.reconcile': { input: ['period.from', 'period.to'] },
  'MEAL.admin_set_rate': {
    input: [
      ...['tenant_id', 'overrides.tokens_per_million_usd', 'overrides.seconds_per_million_usd'],
      ...['overrides.watts_per_kwh_usd', 'effective_from', 'authority'],
    ],
  },
  'MADE.asset_definition_publish': {
    input: ['asset_id', 'kind', 'rail', 'denomination', 'settlement_finality_seconds'],
  },
  'MOAT.propose': {
    input: [
      ...['counterparty_did', 'capability_schedule.capability', 'capability_schedule.caveats'],
      ...['rate_limits', 'settlement_terms', 'dispute_clause', 'expires_at'],
    ],
  },
  'MOAT.sign': { input: ['treaty_id'] },
  'MOAT.terminate': { input: ['treaty_id', 'reason'] },
  'MACE.convene': {
    input: [
      ...['motion', 'quorum', 'deadline_ms', 'composition_rules.min_delegates'],
      'composition_rules.must_include_did',
    ],
  },
  'MACE.deliberate': { input: ['motion_id', 'position', 'reasoning'] },
  'MAXIM.author': { input: ['policy_id', 'policy_body', 'version', 'active_from'] },
  'MOOT.file': {
    input: ['respondent_did', 'claim', 'evidence', 'requested_remedy.kind', 'requested_remedy.amount_usd'],
  },
  'MIMESIS.surface': { input: ['window_days', 'min_recurrences', 'scope'] },
  'MIMESIS.formalize': { input: ['pattern_id', 'proposed_maxim', 'proposal_target'] },
  'MAUSOLEUM.initiate': {
    input: [
      ...['charter_authority', 'reason', 'schedule.asset_distribution', 'schedule.obligation_transfer'],
      'schedule.successor_did',
    ],
  },
}

/** "Treaty (shape)", "Plugin manifest", "Dispatch output", "Recipe", by the resource's published schema. */
export const shapes: Readonly<Record<string, readonly string[]>> = {
  answer: ['output', 'metadata.audit_head'],
  treaty: [
    ...['id', 'parties.tenant', 'parties.did', 'settlement.rail', 'settlement.currency'],
    ...['settlement.clearing_fee_bps', 'dispute_resolution.via', 'dispute_resolution.venue'],
    ...['effective_from', 'expires_at', 'signatures.signed_by', 'signatures.signature'],
  ],
  'plugin-manifest': [
    ...['plugin.name', 'plugin.version', 'plugin.description', 'plugin.plugin_type', 'plugin.protocol'],
    ...['plugin.binary.source_type', 'plugin.binary.path', 'plugin.metadata.author'],
    ...['plugin.metadata.license', 'plugin.metadata.min_svc_version', 'plugin.operations'],
    ...['plugin.integrations', 'plugin.signature.signed_by', 'plugin.signature.signature'],
    'plugin.signature.signed_at',
  ],
  'external-protocol-registration': ['auth.kind', 'auth.did'],
  'error-body': ['error.code', 'error.message', 'error.retry_after_ms'],
}

/** "Reasoning budget" and the other bounds of MARC reasoning_task. */
export const bounds = [
  { operation: 'MARC.reasoning_task', field: 'budget.tokens', minimum: 1, maximum: 1_000_000 },
  { operation: 'MARC.reasoning_task', field: 'budget.deadline_ms', minimum: 100, maximum: 600_000 },
] as const
export const required = { 'MARC.reasoning_task': ['intent', 'budget'] } as const
