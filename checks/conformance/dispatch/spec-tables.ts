// The specification's tables as data, in its own words. If a decision page adds something, or a choice was
// needed, the row says so.
import type { RefusalCode } from '@svc/contract/refusal'

/** "Tool categories". */
export const categories: Readonly<Record<string, readonly string[]>> = {
  'svc-cognitive': ['MIND', 'MARC', 'MAVEN', 'MAGE', 'MEAL', 'MANTLE', 'MARE', 'MAME', 'MARI'],
  'svc-governance': ['MOAT', 'MERIT', 'MACE', 'MAXIM', 'MOOT', 'MIMESIS', 'MAUSOLEUM'],
  'svc-commerce': ['MARKET', 'MANA', 'MADE', 'MAT'],
  'svc-infrastructure': [
    ...['MIM', 'MAX', 'MACS', 'MARS', 'MOON', 'MAESTRO', 'MOTE', 'MAZE', 'MATA', 'MAKER'],
  ],
}
/** Missing in the list; chosen in docs/decisions/0033-holes.md. */
export const categories_chosen: Readonly<Record<string, readonly string[]>> = {
  'svc-cognitive': ['MANTIC', 'MAGI'],
  'svc-infrastructure': ['OAS', 'Arsenal', 'Aegis', 'MOTIF', 'MOMENT', 'MOTET'],
}

/** "Seven planes". */
export const planes: Readonly<Record<string, readonly string[]>> = {
  identity: ['MACS', 'OAS', 'Arsenal', 'Aegis'],
  cognition: ['MIND', 'MARC', 'MANTLE', 'MAME'],
  truth: ['MAVEN', 'MATA', 'MARE', 'MERIT', 'MANTIC', 'MAGI'],
  governance: ['MOAT', 'MAXIM', 'MACE', 'MOOT', 'MIMESIS', 'MAUSOLEUM'],
  execution: ['MOON', 'MAESTRO', 'MAT', 'MAKER', 'MOTE', 'MAGE'],
  economic: ['MADE', 'MARKET', 'MANA', 'MEAL'],
  awareness: ['MAX', 'MOTIF', 'MOMENT', 'MOTET', 'MARS', 'MAZE', 'MARI', 'MIM'],
}

/** "Service kinds (estates)": the examples. MEAL and MOOT are in two rows; the second (Hybrid) counts. */
export const estates: Readonly<Record<string, readonly string[]>> = {
  protocol: ['MAX', 'MARS', 'MOMENT', 'MOTET', 'MIM', 'MAT', 'MAXIM', 'MOAT', 'MADE'],
  agent: ['MARC', 'MAVEN', 'MACE', 'MARI', 'MAESTRO', 'MIMESIS', 'MAGE', 'MAGI', 'MANTIC'],
  hybrid: ['MIND', 'MERIT', 'MARE', 'MEAL', 'MANTLE', 'MOTE', 'MOOT'],
  adapter: ['OAS', 'Arsenal', 'Aegis'],
}

/** Capacities are "not shown"; decisions, 5. Limits. `standard` is "the rest". */
export const rate_classes = {
  infrastructure: {
    protocols: [
      ...['MAX', 'MARS', 'MEAL', 'MACS', 'MIM', 'MOAT', 'MOTET', 'MOMENT', 'MOTIF'],
      ...['OAS', 'Arsenal', 'Aegis', 'MANA'],
    ],
    capacity: 2000,
    refill_per_s: 1000,
  },
  heavy: { protocols: ['MARC', 'MACE', 'MAGI'], capacity: 60, refill_per_s: 10 },
  standard: { protocols: [], capacity: 500, refill_per_s: 250 },
} as const

/** "Free tier", "Included requests", "cross-organization settlement", and the factors of decisions, 5. */
export const tiers = [
  { tier: 'sandbox', factor: 0.1, month_max: 10_000, settlement_bps: 25 },
  { tier: 'charter', factor: 1, month_max: 1_000_000, settlement_bps: 25 },
  { tier: 'institution', factor: 5, month_max: 10_000_000, settlement_bps: 15 },
  { tier: 'sovereign', factor: 50, month_max: null, settlement_bps: 5 },
] as const

/** "Operations reachable through dispatch". MOTIF and MOMENT name none. */
export const operations: Readonly<Record<string, readonly string[]>> = {
  MACS: ['auth_negotiation', 'generate_challenge', 'verify_response', 'authorization_request', 'derive'],
  MIND: ['store_memory', 'recall_memory', 'associate_memories', 'query_knowledge', 'fusion_request'],
  MARC: ['reasoning_task', 'publish_model', 'causal_analysis'],
  MANTLE: ['consolidate'],
  MAME: ['edit', 'redact'],
  MAGE: ['draft', 'publish'],
  MARI: ['inquire', 'synthesize'],
  MAVEN: ['attest', 'cite', 'contradict'],
  MATA: ['pool', 'weight'],
  MARE: ['score'],
  MERIT: ['evaluate_ethics', 'revoke'],
  MANTIC: ['calibrate'],
  MAGI: ['trace'],
  MOAT: [
    ...['propose', 'sign', 'compliance_query', 'enforce'],
    ...['propose_amendment', 'sign_amendment', 'terminate'],
  ],
  MAXIM: ['deliberate_dilemma', 'constitutional_interpretation', 'author'],
  MACE: ['convene', 'deliberate', 'tally'],
  MOOT: ['file', 'plead', 'hear', 'rule'],
  MIMESIS: ['surface', 'formalize'],
  MAUSOLEUM: ['initiate', 'seal'],
  MOON: ['submit_manifest', 'execute_workflow'],
  MAESTRO: ['charter.declare', 'goal.refine', 'graph.replan'],
  MAT: ['tool', 'tool_discovery'],
  MAKER: ['execute_action', 'emergency_stop'],
  MOTE: ['sensor_read', 'actuator_set_state'],
  MADE: ['economic_contract_create', 'economic_contract_settle', 'asset_definition_publish'],
  MARKET: ['create_order', 'query_orderbook', 'execute_trade'],
  MANA: ['agent_profile', 'bid_submission', 'budget', 'allocate', 'throttle', 'hold'],
  MEAL: ['meter', 'statement', 'reconcile', 'admin_set_rate', 'admin'],
  MAX: [
    ...['audit_log_entry', 'audit_query', 'traceability_graph'],
    ...['explainability_request', 'compliance_report'],
  ],
  MARS: ['register_agent', 'query_registry', 'discovery'],
  MIM: ['message_send', 'message_receive'],
  MAZE: ['topology', 'prove'],
  Aegis: ['challenge', 'delegate', 'policy'],
  MOTET: ['emit'],
}

/** "Metering base rates ... Multipliers (tokens, seconds, watts)"; those that meter tokens beside seconds. */
export const base_rates_usd = { tokens_per_million: 3, seconds_each: 0.018, watts_per_kwh: 0.42 } as const
export const multipliers = [
  { operation: 'MARC.reasoning_task', tokens: 1, seconds: 1, watts: 1.2 },
  { operation: 'MACE.deliberate', tokens: 1.5, seconds: 1.5, watts: 1.2 },
  { operation: 'MAGI.trace', tokens: 1, seconds: 2, watts: 4 },
  { operation: 'MAVEN.attest', tokens: 0.8, seconds: 1, watts: 1 },
] as const
export const token_meters = [
  ...['MIND.fusion_request', 'MARC.reasoning_task', 'MAVEN.attest', 'MACE.deliberate', 'MAGI.trace'],
] as const

interface ErrorRow {
  readonly error: string
  readonly code: RefusalCode
  readonly http: number
  /** If the specification has one. */
  readonly exit?: number
}

/** "Engine error variants and their HTTP mapping", "Protocol-level errors", "CLI exit codes". */
export const errors: readonly ErrorRow[] = [
  { error: 'UnknownProtocol', code: 'unknown_protocol', http: 404 },
  { error: 'UnknownVersion', code: 'unknown_version', http: 404 },
  { error: 'RateLimited', code: 'rate_limited', http: 429, exit: 4 },
  { error: 'CapabilityDenied', code: 'capability_denied', http: 403, exit: 3 },
  { error: 'CircuitOpen', code: 'circuit_open', http: 503, exit: 6 },
  { error: 'NoEndpointAvailable', code: 'no_endpoint_available', http: 503, exit: 6 },
  { error: 'Timeout', code: 'timeout', http: 504, exit: 5 },
  { error: 'ProtocolError', code: 'protocol_error', http: 500 },
  { error: 'Internal', code: 'internal', http: 500 },
  { error: 'InvalidPayload', code: 'invalid_payload', http: 422 },
  { error: 'PolicyDenied', code: 'policy_denied', http: 422, exit: 7 },
  { error: 'AdapterError', code: 'adapter_error', http: 502, exit: 6 },
  // "not shown"; decisions, 3. Wire.
  { error: 'UnknownOperation', code: 'unknown_operation', http: 404 },
  { error: 'MissingCapability', code: 'missing_capability', http: 403, exit: 3 },
  { error: 'unauthenticated', code: 'unauthenticated', http: 401, exit: 2 },
  { error: 'draining', code: 'draining', http: 503 },
  { error: 'invalid_request', code: 'invalid_request', http: 400, exit: 1 },
  { error: 'payload_too_large', code: 'payload_too_large', http: 413 },
  { error: 'idempotency_key_reused', code: 'idempotency_key_reused', http: 422 },
  { error: 'idempotency_in_flight', code: 'idempotency_in_flight', http: 409 },
]

/** "The event-type taxonomy" and "Other named events". */
export const taxonomy = [
  ...['ProtocolInvocation', 'CapabilityGrant', 'AuthorizationCheck', 'RateLimitExceeded'],
  ...['CircuitBreakerOpen', 'SecurityViolation', 'Error'],
]
export const other_events = ['Unbalanced', 'Terminated', 'LineageUnverified', 'PluginRejected']
/** "Trigger | Event type" of the refusals. */
export const refusal_events = [
  { stage: 3, code: 'rate_limited', event: 'RateLimitExceeded' },
  { stage: 4, code: 'capability_denied', event: 'SecurityViolation' },
  { stage: 5, code: 'circuit_open', event: 'CircuitBreakerOpen' },
  { stage: 7, code: 'protocol_error', event: 'Error' },
] as const

/** "Pattern | Grants", and the two that do not match. */
export const patterns = [
  { held: 'svc.macs.auth_negotiation', wanted: 'svc.macs.auth_negotiation', grants: true },
  { held: 'svc.macs.auth_negotiation', wanted: 'svc.macs.derive', grants: false },
  { held: 'svc.macs.*', wanted: 'svc.macs.derive', grants: true },
  { held: 'svc.macs.*', wanted: 'svc.mind.store_memory', grants: false },
  { held: 'svc.*.*', wanted: 'svc.mind.store_memory', grants: true },
  { held: 'svc.*', wanted: 'svc.mind.store_memory', grants: false },
  { held: 'svc.*.read', wanted: 'svc.mind.read', grants: false },
] as const
/** "Special capabilities named". No wildcard covers the one outside the naming scheme (decision 0033). */
export const special_capabilities = [
  { name: 'svc.meal.admin', wildcard: true },
  { name: 'svc.admin.observability', wildcard: true },
  { name: 'svc.mind.pre-release', wildcard: true },
  { name: 'recipe-llm-compile', wildcard: false },
] as const

/** "Conformance levels": operations that need a level. MACE convene needs L2 for charter motions only. */
export const levels = [
  { operation: 'MARC.reasoning_task', level: 'L1' },
  { operation: 'MAGI.trace', level: 'L1' },
  { operation: 'MOAT.sign', level: 'L2' },
  { operation: 'MAUSOLEUM.initiate', level: 'L2' },
  { operation: 'MAXIM.author', level: 'L2' },
  { operation: 'MEAL.admin', level: 'L2' },
  { operation: 'MEAL.admin_set_rate', level: 'L2' },
] as const

/** The field tables of "Resources and their fields", by the resource's published schema. */
export const resources: Readonly<Record<string, readonly string[]>> = {
  'handle-request-input': [
    ...['protocol', 'version', 'operation', 'input', 'tenant_id', 'idempotency_key', 'invoke_context'],
  ],
  'invoke-context': [
    ...['correlation_id', 'tenant_id', 'agent_did', 'resolved_identity', 'trace_context'],
    ...['timestamp', 'metadata'],
  ],
  'resolved-agent-identity': [
    ...['did', 'entity_kind', 'name', 'human_root_did', 'lineage_depth', 'lineage_verified', 'creator_did'],
    ...['conformance_level', 'capabilities', 'service_endpoints', 'revoked', 'auth_method', 'extended'],
  ],
  'agent-capability': ['name', 'expires_at', 'limits', 'caveats'],
  'capability-limits': ['max_per_call_bps', 'max_per_hour', 'max_tokens'],
  'agent-service-endpoint': ['kind', 'url', 'protocols'],
  'delegation-token': [
    ...['from_did', 'to_did', 'capabilities', 'max_redelegation_depth', 'expires_at', 'revocation_url'],
    'signature',
  ],
  'audit-record': [
    ...['event_type', 'correlation_id', 'timestamp', 'tenant_id', 'caller_did', 'protocol', 'operation'],
    ...['outcome', 'latency_ms', 'previous_hash', 'record_hash', 'meta'],
  ],
  'client-config': [
    ...['auth_url', 'api_url', 'agent_did', 'access_token', 'refresh_token', 'api_key', 'tenant_id'],
  ],
  recipe: ['id', 'version', 'steps', 'audit_checkpoints', 'governance_gates'],
  'step-result': ['data', 'metadata', 'confidence_score', 'execution_time_ms', 'error'],
  'governance-gate': ['at_step', 'kind', 'on_pass', 'on_fail'],
  'external-protocol-registration': ['name', 'version', 'endpoint', 'timeout', 'operations', 'auth'],
  'plugin-loader-config': [
    ...['directory', 'auto_discover', 'allowed_sources', 'watch_interval_ms', 'require_signatures'],
    'trusted_publishers',
  ],
}

/** "Helpers" of InvokeContext and of ResolvedAgentIdentity. */
export const helpers = {
  context: [
    'identity',
    'caller_entity_kind',
    'caller_human_root',
    'caller_lineage_verified',
    'plugin_config',
  ],
  identity: [
    ...['is_human_root', 'is_autonomous_org', 'has_verified_lineage', 'effective_root_did'],
    ...['has_capability', 'unresolved', 'local_admin'],
  ],
} as const

/** "AgentEntityKind values", "ConformanceLevel values". */
export const entity_kinds = [
  ...['HumanRoot', 'MultiHumanRoot', 'EntityNameRecord', 'Agent', 'AgentInstance', 'Tool', 'Skill'],
  ...['Workflow', 'Model', 'Dataset', 'Service', 'Unknown(a newer kind)'],
]

/** "invoke flag": the help names the defaults. */
export const invoke_flags = [
  ...['input', 'input-file', 'version', 'tenant-id', 'stream', 'idempotency-key', 'trace', 'audit-tail'],
  ...['output', 'timeout'],
]
