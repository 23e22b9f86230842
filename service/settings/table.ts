// All settings of svc-engine, one row each: type, default, meaning, and programs if they differ from those of the area.
import { area, none, type Setting, setting } from './setting.ts'
// biome-ignore format: one list
import { address, brokers, cells, did, dids, flag, hosts, http_address, key_of_32_bytes, listening, log_level, matching, networks, node_address, oneOf, origins, pem_file, port, port_or_off, positive, protocol_ids, redis_address, safe_address, secret, share, someOf, text, vault_key, version, whole } from './setting-types.ts'

const every = ['up', 'serve', 'gateway', 'console', 'node'] as const
const engine = ['up', 'serve'] as const
const mib = 1024 * 1024

/** In the order of docs/settings.md. */
// biome-ignore format: a table has one row a line
export const setting_areas = [
  area('Programs', every, {
    SVC_LOG: setting(log_level, { up: 'warn', serve: 'info', gateway: 'info', console: 'info', node: 'info' }, 'How much is logged.'),
    RUST_LOG: setting(log_level, none, 'Used if SVC_LOG is not set.'),
    APP_BIND_ADDR: setting(listening, { serve: '0.0.0.0:8080', gateway: '0.0.0.0:443', console: '0.0.0.0:3000', node: '127.0.0.1:8090' }, 'Where the program listens.', { programs: ['serve', 'gateway', 'console', 'node'] }),
    SVC_SHUTDOWN_GRACE_SECONDS: setting(positive, '30', 'How long calls in flight may take after SIGTERM.', { programs: ['up', 'serve', 'gateway'] }),
    SVC_TLS_CERT: setting(text, none, 'PEM file of the certificate with its chain: the program listens with TLS, and shows it to our other programs.', { programs: ['serve', 'gateway', 'console', 'node'] }),
    SVC_TLS_KEY: setting(text, none, 'PEM file of its private key.', { programs: ['serve', 'gateway', 'console', 'node'] }),
    SVC_TLS_CLIENTS: setting(pem_file, none, 'Certificate authorities of clients: only clients with a certificate of one of them are accepted.', { programs: ['serve', 'gateway', 'node'] }),
    SVC_TLS_CA: setting(pem_file, none, 'Certificate authorities of our own servers. For webhooks, tools and mail they add to those of the system.', { programs: ['up', 'serve', 'gateway', 'console', 'node'] }),
    SVC_DEV_DAYS_AHEAD: setting(whole(0, 3650), '0', 'Days to set the clock ahead, to test future behaviour.', { programs: ['up'] }),
  }),
  area('Gateway and console', ['gateway'], {
    SVC_API_URL: setting(origins, none, 'Address of the engine; for a gateway several replicas separated by commas.', { programs: ['gateway', 'console'], required: ['gateway', 'console'] }),
    SVC_ENGINE_DID: setting(did, none, 'The DID of the engine (its SVC_AGENT_DID), for which contexts are signed.', { required: ['gateway'] }),
    SVC_CELLS: setting(cells, none, 'Further cells beside that of SVC_DB_URL: a JSON list of {name, db_url, api_url, engine_did}.'),
    SVC_GATEWAY_KEY: setting(secret, none, 'Ed25519 private key: PKCS#8 PEM, or a seed in hex or base64url.', { required: ['gateway'] }),
    SVC_GATEWAY_PLAIN: setting(oneOf('loopback'), none, 'Plain HTTP instead of TLS, on this machine only.'),
    SVC_GATEWAY_WAIT_SECONDS: setting(positive, '120', 'How long an engine may send nothing before the call fails.'),
    SVC_CONSOLE_PATH: setting(matching(/^(\/[\w.~-]+){1,8}\/?$/, 'a path such as /ops/svc'), none, 'Path prefix that a proxy in front does not remove.', { programs: ['console'] }),
  }),
  area('Storage', engine, {
    SVC_DB_URL: setting(secret, none, 'The PostgreSQL database. Without it up starts its own.', { programs: [...engine, 'gateway', 'node'], required: ['serve', 'gateway'] }),
    SVC_MASTER_KEY: setting(key_of_32_bytes, none, 'Wraps the root keys, which seal the rest. Keep it apart from the database. SVC_VAULT_KEY replaces it.', { programs: ['serve'], required: ['serve'] }),
    SVC_VAULT_KEY: setting(vault_key, none, 'Instead of SVC_MASTER_KEY a transit key of Vault or OpenBao, such as https://vault.example:8200/transit/svc.', { programs: ['serve'] }),
    SVC_VAULT_TOKEN: setting(secret, none, 'The token for SVC_VAULT_KEY; its file is read again for each request.', { programs: ['serve'] }),
    SVC_NEW_MASTER_KEY: setting(key_of_32_bytes, none, 'For svc-engine admin master-key change: the master key from then on.', { programs: ['serve'] }),
    SVC_NEW_VAULT_KEY: setting(vault_key, none, 'For svc-engine admin master-key change: the key in Vault from then on.', { programs: ['serve'] }),
    SVC_RATE_LIMIT_BACKEND: setting(oneOf('redis', 'memory'), { up: 'memory', serve: 'redis' }, 'Where limits are counted: redis for all engines together, memory for each process alone.'),
    SVC_REDIS_URL: setting(redis_address, none, 'The Redis of SVC_RATE_LIMIT_BACKEND=redis, required with it; rediss: and rediss+sentinel: use TLS.'),
    SVC_AUDIT_BUFFER_DIR: setting(text, '/var/lib/svc/audit', 'Folder of the audit journal. For up: audit in its data folder.'),
    SVC_AUDIT_BUFFER_MAX_BYTES: setting(whole(0), `${1024 * mib}`, 'Size of the journal above which state changes are refused.'),
    SVC_AUDIT_FSYNC: setting(oneOf('interval', 'always'), 'interval', 'When the journal is flushed to disk: several times a second, or before each answer.'),
    SVC_AUDIT_SINK: setting(oneOf('production', 'kafka', 'memory'), 'production', 'kafka also sends committed records to Kafka; memory is refused, because records would be lost.'),
    SVC_KAFKA_BROKERS: setting(brokers, none, 'Kafka brokers, required with SVC_AUDIT_SINK=kafka; one is enough to find the others.'),
    SVC_KAFKA_TOPIC: setting(matching(/^[A-Za-z0-9._-]{1,249}$/, 'letters, digits, dots, dashes'), 'svc.audit', 'Kafka topic; a new name receives all records from the first.'),
    SVC_KAFKA_TLS: setting(flag, 'false', 'Whether to use TLS to Kafka, with the authorities of SVC_TLS_CA if set, and with the certificate of SVC_TLS_CERT.'),
    SVC_KAFKA_USERNAME: setting(text, none, 'The user at Kafka (SASL).'),
    SVC_KAFKA_PASSWORD: setting(secret, none, 'The password at Kafka, required with SVC_KAFKA_USERNAME.'),
    SVC_KAFKA_MECHANISM: setting(oneOf('SCRAM-SHA-512', 'SCRAM-SHA-256', 'PLAIN'), 'SCRAM-SHA-512', 'How the password is proved; PLAIN sends it, so it needs TLS.'),
    SVC_LOG_ARCHIVE: setting(matching(/^(?:file:\/[^\0]*|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.-]+)*\/?)$/, 'file: and an absolute path, or s3://bucket/prefix'), none, 'Where old pages of the audit log go. Without it all of it stays in PostgreSQL.'),
    SVC_LOG_HOT_DAYS: setting(positive, '30', 'Days after which a page goes to SVC_LOG_ARCHIVE; refused without it.'),
    AWS_ACCESS_KEY_ID: setting(secret, none, 'The key id for s3://, required with it.'),
    AWS_SECRET_ACCESS_KEY: setting(secret, none, 'Its secret, required with s3://.'),
    AWS_SESSION_TOKEN: setting(secret, none, 'Its session token, if it has one.'),
    AWS_REGION: setting(matching(/^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1'), none, 'Region of the bucket; us-east-1 without it and AWS_DEFAULT_REGION.'),
    AWS_DEFAULT_REGION: setting(matching(/^[a-z0-9-]{1,64}$/, 'a region such as eu-central-1'), none, 'Used if AWS_REGION is not set.'),
    AWS_ENDPOINT_URL_S3: setting(node_address, none, 'An S3-compatible service other than that of AWS.'),
    AWS_ENDPOINT_URL: setting(node_address, none, 'Used if AWS_ENDPOINT_URL_S3 is not set.'),
  }),
  area('Limits', engine, {
    SVC_RATE_LIMITS: setting(text, none, 'JSON file that overrides capacity and refill_per_s of infrastructure, standard, heavy; off with up only.'),
    SVC_CALLS_MAX: setting(whole(1), '1000', 'Concurrent calls; more are refused.'),
    SVC_BODY_BYTES_MAX: setting(whole(1), `${256 * mib}`, 'Total bytes of request bodies in memory.'),
    MIM_MAX_MESSAGE_SIZE_BYTES: setting(whole(1024, 7 * mib), `${5 * mib}`, 'Size of a MIM message; with its envelope it must fit into a request of 8 MiB.'),
    SVC_PROTOCOLS: setting(protocol_ids, '', 'Protocols to serve; default: all.'),
    SVC_DISSOLUTION_NOTICE_DAYS: setting(whole(0), '7', 'Days between the announcement of a dissolution and its first payout.'),
  }),
  area('Plugins', engine, {
    SVC_PLUGIN_DIR: setting(text, none, 'Folder of plugins: /var/lib/svc/plugins, for up plugins in its data folder.'),
    SVC_PLUGIN_REQUIRE_SIGNATURES: setting(flag, 'true', 'false also loads unsigned plugins; a wrong signature is always refused.'),
    SVC_PLUGIN_AUTO_DISCOVER: setting(flag, 'true', 'With false each plugin waits for svc-engine plugin enable.'),
    SVC_PLUGIN_SOURCES: setting(someOf('wasm', 'builtin'), 'wasm,builtin', 'Kinds of plugins that may be loaded.'),
    SVC_PLUGIN_WATCH_INTERVAL_MS: setting(whole(100, 3_600_000), '5000', 'How often the folder is read.'),
    SVC_PLUGIN_PROCESSES: setting(whole(1, 32), '2', 'Maximum processes of one plugin.'),
    SVC_FEATURES: setting(someOf('native-adapter', 'wasm-adapter'), 'native-adapter,wasm-adapter', 'Parts of the engine: built-in protocols, plugins.'),
    SVC_WASMTIME_VERSION: setting(version, '37.0.0', 'The ABI level that is reported to authors of plugins.'),
  }),
  area('Telemetry', engine, {
    SVC_PROMETHEUS_PORT: setting(whole(0), '9091', 'Port of /metrics, which needs no key: keep it on a private network.', { programs: ['serve'] }),
    SVC_OTEL_ENDPOINT: setting(http_address('https://collector.example:4318'), none, 'OpenTelemetry collector (OTLP over HTTP, JSON). Without it nothing is traced.'),
    SVC_TRACE_SAMPLE_RATE: setting(share, '0.01', 'Share of calls that are traced.'),
    SVC_WATTS_PER_CORE: setting(positive, '5', 'Power of one busy core, from which energy is estimated.'),
  }),
  area('MCP', engine, {
    SVC_MCP_PORT: setting(port_or_off, '8601', 'Port of the MCP server, or off. With up --port N it is N + 2.'),
    SVC_MCP_URL: setting(safe_address('/mcp'), none, 'Public address of the MCP endpoint behind a proxy.'),
  }),
  area('Identity and trust', engine, {
    SVC_TENANT_ID: setting(text, none, 'The tenant that the engine or the gateway belongs to.', { programs: ['serve', 'gateway'], required: ['serve', 'gateway'] }),
    SVC_AGENT_DID: setting(text, none, 'The DID of the engine; all replicas have the same.', { programs: ['serve'], required: ['serve'] }),
    SVC_AGENT_KEY: setting(key_of_32_bytes, none, 'The private key of SVC_AGENT_DID; required to call or serve other engines.', { programs: ['serve'] }),
    SVC_OAS_URL: setting(node_address, none, 'The identity node (OAS).', { programs: [...engine, 'gateway'] }),
    SVC_ARSENAL_URL: setting(node_address, none, 'The node of approved tools (Arsenal).', { programs: [...engine, 'gateway'] }),
    SVC_AEGIS_URL: setting(node_address, none, 'The node of safety verdicts (Aegis).', { programs: [...engine, 'gateway'] }),
    SVC_TRUSTED_ISSUERS: setting(dids, '', 'Who may attest identities, in addition to the engine and the charter of a tenant.', { programs: [...engine, 'gateway'] }),
    SVC_TRUSTED_PUBLISHERS: setting(dids, '', 'Whose plugins and tools are trusted; an engine trusts its own.'),
    SVC_REQUIRE_SIGNATURES: setting(flag, 'true', 'false also accepts unsigned tools.'),
    SVC_TRUSTED_GATEWAYS: setting(dids, '', 'Gateways that may vouch for callers.'),
    SVC_REQUIRE_GATEWAY: setting(flag, 'false', 'true refuses calls that did not come through a trusted gateway.'),
    SVC_TRUSTED_ENGINES: setting(dids, '', 'Engines whose calls are served; a node needs at least one.', { programs: [...engine, 'node'] }),
  }),
  area('Sign-in', [...engine, 'gateway'], {
    SVC_PUBLIC_URL: setting(safe_address(), none, 'The address that browsers and clients use. Without it, where the engine listens.'),
    SVC_PROXY_HOPS: setting(whole(0, 8), '0', 'Number of your own proxies that add to X-Forwarded-For.'),
    SVC_OIDC_ISSUER: setting(safe_address(), none, 'Another OpenID issuer to sign in with, together with SVC_OIDC_CLIENT_ID.'),
    SVC_OIDC_CLIENT_ID: setting(text, none, 'The client that is registered there.'),
    SVC_OIDC_CLIENT_SECRET: setting(secret, none, 'Its secret, if it has one.'),
    SVC_OIDC_TENANT: setting(text, none, 'The tenant in which new people of this issuer are created; without it they are refused.'),
  }),
  area('Networks and tools', engine, {
    SVC_ALLOWED_NETWORKS: setting(networks, '', 'Private networks whose services may be reached.'),
    SVC_TOOL_HOSTS: setting(hosts, '', 'Hosts of tool servers, with the port unless it is the default one.'),
    SVC_TOOL_SECRETS: setting(secret, none, 'Headers to send to tool servers, by name: a JSON object, or @ and the path of a file.'),
    SVC_COMMANDS: setting(secret, none, 'Programs that may be started, by name: a JSON object, or @ and the path of a file.'),
    PATH: setting(text, '/usr/local/bin:/usr/bin:/bin', 'Passed on to those programs.'),
    LANG: setting(text, 'C.UTF-8', 'Passed on to those programs.'),
  }),
  area('Mail', engine, {
    SVC_SMTP_URL: setting(address(['smtp:', 'smtps:'], 'smtps://user:password@mail.example:465'), none, 'Mail server for alerts and reports; smtp: needs STARTTLS, except on this machine. Unset: no mail is sent.'),
    SVC_SMTP_FROM: setting(matching(/^[a-z0-9._+-]{1,64}@[a-z0-9][a-z0-9.-]{0,253}$/, 'an e-mail address in lower case'), none, 'The sender of mails, required with SVC_SMTP_URL.'),
    SVC_SMTP_DOMAINS: setting(hosts, '', 'Mail is sent to addresses of these domains only; default: all.'),
  }),
  area('Models', engine, {
    SVC_MODEL_URL: setting(http_address('https://models.example/v1'), none, 'Language model with the OpenAI API. Default: the built-in one.'),
    SVC_MODEL_NAME: setting(text, none, 'The model to ask for, required with SVC_MODEL_URL.'),
    SVC_MODEL_KEY: setting(secret, none, 'Its API key.'),
    SVC_EMBEDDINGS_URL: setting(http_address('https://models.example/v1'), none, 'Embedding model with the OpenAI API. Default: the built-in one.'),
    SVC_EMBEDDINGS_NAME: setting(text, none, 'The model to ask for, required with SVC_EMBEDDINGS_URL.'),
    SVC_EMBEDDINGS_KEY: setting(secret, none, 'Its API key.'),
  }),
  area('Devices', engine, {
    SVC_MQTT_URL: setting(address(['mqtt:', 'mqtts:'], 'mqtts://broker.example:8883'), none, 'MQTT broker; mqtt: only on this machine.'),
    SVC_MQTT_USERNAME: setting(text, none, 'The user at the broker.'),
    SVC_MQTT_PASSWORD: setting(secret, none, 'The password at the broker.'),
    SVC_MQTT_CLIENT_ID: setting(matching(/^[A-Za-z0-9._:-]{1,128}$/, '1 to 128 letters, digits, dots, dashes'), none, 'If set, the broker stores messages while the engine is down. Each replica needs its own.'),
    SVC_MQTT_PORT: setting(port, none, 'Starts a broker on 127.0.0.1 instead, for development.'),
  }),
] as const

type Tables = (typeof setting_areas)[number]['rows']
type Merged<Union> = (Union extends unknown ? (rows: Union) => void : never) extends (rows: infer All) => void
  ? All
  : never

export const settings = Object.assign({}, ...setting_areas.map(({ rows }) => rows)) as Merged<Tables>

export type SettingName = keyof typeof settings

export type ValueOf<Name extends SettingName> =
  (typeof settings)[Name] extends Setting<infer Value> ? Value : never
