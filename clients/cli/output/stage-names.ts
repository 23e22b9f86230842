/** What each stage is about, by its number, in words for people. */
export const stage_names: readonly string[] = [
  'identity',
  'version',
  'context',
  'rate limit',
  'capability',
  'circuit breaker and budget',
  'load balancing',
  'the module itself',
  'record',
]
