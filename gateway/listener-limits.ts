// What a connection may hold and how long it may take: the same for every listener of the engine.

export const listener_limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  /** How often Node looks for those who are too slow. */
  connectionsCheckingInterval: 2_000,
  insecureHTTPParser: false,
  /** Asked for by us, so that its absence is recorded. */
  requireHostHeader: false,
} as const
