// Limits of a connection: the same for every listener of the engine.

export const listener_limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  /** How often Node checks for slow clients. */
  connectionsCheckingInterval: 2_000,
  insecureHTTPParser: false,
  /** Required by us, so that its absence is recorded. */
  requireHostHeader: false,
} as const
