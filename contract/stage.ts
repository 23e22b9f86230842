/**
 * The eight stages of a dispatch, after identity is resolved (0). Titles are for people: dry run, explanations, console, docs.
 * Ids label metrics, spans and live figures; the live figures' schema publishes them, so they do not change.
 */
export const stages = [
  { number: 0, id: 'resolve_identity', title: 'Identity' },
  { number: 1, id: 'resolve_version', title: 'Version' },
  { number: 2, id: 'enrich_context', title: 'Context' },
  { number: 3, id: 'limit_rate', title: 'Rate limit' },
  { number: 4, id: 'gate_capability', title: 'Capability' },
  { number: 5, id: 'break_circuit', title: 'Circuit breaker and budget' },
  { number: 6, id: 'choose_endpoint', title: 'Endpoint' },
  { number: 7, id: 'invoke_module', title: 'Invocation' },
  { number: 8, id: 'record_outcome', title: 'Audit' },
] as const

export type StageId = (typeof stages)[number]['id']
