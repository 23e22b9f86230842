// The specification's tables of settings as data: variables, ports, limits that an operator can set.

/**
 * "Runtime configuration variables". `unset` is absent by default, `required` is what serve needs to start.
 * SVC_API_URL and SVC_TLS_CA have their own tests.
 */
export const variables = [
  { name: 'RUST_LOG', otherwise: 'info', setting: 'log_level', set: 'debug', reads: 'debug' },
  { name: 'APP_BIND_ADDR', otherwise: '0.0.0.0:8080', setting: 'address', set: '[::1]:81', reads: '::1:81' },
  { name: 'SVC_AGENT_DID', otherwise: 'required', setting: 'agent_did' },
  { name: 'SVC_TENANT_ID', otherwise: 'required', setting: 'tenant_id' },
  { name: 'SVC_DB_URL', otherwise: 'required', setting: 'db_url' },
  { name: 'SVC_REDIS_URL', otherwise: 'required', setting: 'redis_url' },
  { name: 'SVC_WASMTIME_VERSION', otherwise: '37.0.0', setting: 'abi_level', set: '38.0.0', reads: '38.0.0' },
  {
    name: 'SVC_AUDIT_BUFFER_DIR',
    otherwise: '/var/lib/svc/audit',
    setting: 'audit_dir',
    set: '/a',
    reads: '/a',
  },
  { name: 'SVC_AUDIT_SINK', otherwise: 'production', setting: 'sink', set: 'kafka', reads: 'kafka' },
  { name: 'SVC_RATE_LIMIT_BACKEND', otherwise: 'redis', setting: 'backend', set: 'memory', reads: 'memory' },
  { name: 'SVC_PROMETHEUS_PORT', otherwise: 9091, setting: 'metrics_port', set: '9', reads: 9 },
  {
    name: 'SVC_OTEL_ENDPOINT',
    otherwise: undefined,
    setting: 'otel_url',
    set: 'http://o:1',
    reads: 'http://o:1',
  },
  {
    name: 'SVC_PLUGIN_DIR',
    otherwise: '/var/lib/svc/plugins',
    setting: 'plugin_dir',
    set: '/p',
    reads: '/p',
  },
  {
    name: 'SVC_PLUGIN_REQUIRE_SIGNATURES',
    otherwise: true,
    setting: 'signatures',
    set: 'false',
    reads: false,
  },
] as const

/** "Default ports per deployed component". */
export const ports = { messaging: 8080, engine: 8080, gateway: 443, mcp: 8601, console: 3000 } as const

/** "Limits": those that an operator can set. */
export const limits = [
  {
    name: 'MIM_MAX_MESSAGE_SIZE_BYTES',
    otherwise: 5_242_880,
    setting: 'message_bytes_max',
    set: '4096',
    reads: 4096,
  },
  {
    name: 'SVC_SHUTDOWN_GRACE_SECONDS',
    otherwise: 30_000,
    setting: 'shutdown_grace_ms',
    set: '5',
    reads: 5000,
  },
  { name: 'SVC_PLUGIN_WATCH_INTERVAL_MS', otherwise: 5000, setting: 'scan_ms', set: '700', reads: 700 },
  { name: 'SVC_TRACE_SAMPLE_RATE', otherwise: 0.01, setting: 'trace_sample_rate', set: '1', reads: 1 },
] as const
