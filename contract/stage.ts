/** What each stage of a dispatch is called, in the order of their numbers: the labels of its metric and the names of its spans. */
export const stage_names = [
  'resolve_identity',
  'resolve_version',
  'enrich_context',
  'limit_rate',
  'gate_capability',
  'break_circuit',
  'choose_endpoint',
  'invoke_module',
  'record_outcome',
] as const
