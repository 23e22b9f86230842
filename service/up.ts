// Everything in one process for development: embedded PostgreSQL, a provisioned tenant, a command to paste. Binds 127.0.0.1
// only, unless told otherwise.
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clockAhead } from '@svc/adapters/clock/ahead'
import { system_clock } from '@svc/adapters/clock/system'
import { adminResolver } from '@svc/adapters/identity/local-admin'
import { lockDirectory } from '@svc/audit/journal/journal-directory'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Log } from '@svc/engine/ports'
import { assemble, type Choices, type Service } from './assembly/assemble.ts'
import { type Developer, development_tenant, provisionDeveloper, writeWhole } from './assembly/developer.ts'
import { openLog } from './assembly/log.ts'
import { startNodes } from './assembly/nodes.ts'
import { type RunningConsole, startConsole } from './console.ts'
import { type Config, readSettings } from './settings/config.ts'
import { ConfigError } from './settings/config-error.ts'
import { databaseUrl } from './settings/database-url.ts'
import { readMcpSettings } from './settings/login-settings.ts'
import { operator_tenant, operatorOf } from './settings/operator-key.ts'
import { OwnTls } from './settings/own-tls.ts'
import { type Environment, type Reader, reader } from './settings/reader.ts'
import { stopOnSignals } from './workers/signals.ts'
import { supervisePostgres } from './workers/supervise.ts'

const own_host = '127.0.0.1'

export interface UpOptions {
  readonly data_dir: string
  /** The engine uses this port; the console, MCP and metrics use the next three. */
  readonly port?: number
  /** The address to listen on instead of 127.0.0.1; a container has to, to be reached from outside of it. */
  readonly host?: string | undefined
  readonly json: boolean
  /** A file that `svc-engine apply` would take, applied at each start. */
  readonly config?: string | undefined
  /** Fills the folder with invented organizations, once. */
  readonly demo?: boolean
}

export async function up(options: UpOptions, env: Environment, more: Partial<Choices> = {}): Promise<void> {
  const data_dir = resolve(options.data_dir)
  mkdirSync(data_dir, { recursive: true, mode: 0o755 })
  mkdirSync(join(data_dir, 'plugins'), { recursive: true, mode: 0o700 })
  await takeFolder(data_dir)
  const read = reader(env, 'up')
  const demo = options.demo ? await openDemo(data_dir, read) : undefined
  const settings = developerSettings(options, read)
  const log = openLog(settings.log_level)
  const say = (line: string) => (options.json ? undefined : console.log(line))
  const external_db = databaseUrl(read)
  say(external_db ? 'Using the PostgreSQL of SVC_DB_URL ...' : 'Starting PostgreSQL ...')
  const postgres = external_db ? undefined : await supervisePostgres(join(data_dir, 'postgres'), log)
  const operator = keepOperator(data_dir)
  const db_url = external_db ?? postgres!.url
  const mqtt = settings.mqtt ?? demo?.mqtt
  const config: Config = { ...settings, ...ownConfig(data_dir, operator), ...(mqtt && { mqtt }), db_url }
  let developer: Developer = { agent_did: '', api_key: '', console_login: '', console_password: '' }
  const service = await assemble(config, {
    identity: (oas) => adminResolver((did) => did === developer.agent_did, oas),
    nodes: ({ engine }, clock) =>
      startNodes(engine, { isTrusted: (did) => did === operator.did, clock, known: config.node_urls }),
    check_outputs: true,
    loopback_tenant: development_tenant,
    clock: demo?.clock ?? clockAhead(system_clock, read('SVC_DEV_DAYS_AHEAD')),
    ...more,
    provision: async (store, root_keys) => {
      developer = await provisionDeveloper(store, root_keys, data_dir)
    },
  }).catch(async (error) => {
    // Stop the server we started; an orphaned one would keep the folder locked.
    await postgres?.stop()
    throw error
  })
  const web = await openConsole(options, service.port, log).catch(async (error) => {
    await service.stop()
    await postgres?.stop()
    throw error
  })
  const stop = async () => {
    await web.stop()
    await service.stop()
    await postgres?.stop()
  }
  stopOnSignals(stop)
  const fail = async (error: unknown): Promise<never> => {
    await stop()
    throw error
  }
  await applyConfig(options, env).catch(fail)
  const addresses = { ...addressesOf(service, web), ...developer }
  const parts = { store: service.store, api_url: addresses.api_url, engine_did: operator.did, env, say }
  const made = await demo?.make(parts).catch(fail)
  console.log(
    options.json ? JSON.stringify({ ...addresses, ...(made && { demo: made }) }) : greeting(addresses),
  )
  if (made) say(made.greeting)
}

function addressesOf({ port, mcp_url, metrics_port }: Service, web: RunningConsole) {
  return {
    api_url: `http://127.0.0.1:${port}`,
    console_url: `http://127.0.0.1:${web.port}/`,
    mcp_url: mcp_url ?? null,
    metrics_url: `http://127.0.0.1:${metrics_port}/metrics`,
    tenant_id: development_tenant,
  }
}

/** Imported here only: production has no demo. */
async function openDemo(data_dir: string, read: Reader) {
  const { demoIn } = await import('./demo.ts')
  return demoIn(data_dir, read('SVC_DB_URL') !== undefined)
}

/** Its output goes before the greeting; with --json to standard error, where links and keys are not mistaken for it. */
async function applyConfig({ config: file, data_dir, json }: UpOptions, env: Environment): Promise<void> {
  if (file === undefined) return
  const { apply } = await import('./apply.ts')
  const out = json ? process.stderr : process.stdout
  const terminal = { input: process.stdin, write: async (text: string) => void out.write(text) }
  await apply({ file, yes: true, dry_run: false, prune: false, json, data_dir }, env, terminal)
}

/** Services on this machine may be reached, and --port sets four ports. */
function developerSettings({ port, host, data_dir }: UpOptions, read: Reader) {
  const settings = readSettings(read)
  const folder = resolve(data_dir)
  return {
    ...settings,
    host: host ?? own_host,
    port: port ?? 8080,
    metrics_port: port === undefined ? 9091 : port + 3,
    ...readMcpSettings(read, port && port + 2),
    allowed_networks: ['127.0.0.0/8', '::1/128', ...settings.allowed_networks],
    audit_dir: read.given('SVC_AUDIT_BUFFER_DIR') ?? join(folder, 'audit'),
    plugins: { ...settings.plugins, directory: settings.plugins.directory ?? join(folder, 'plugins') },
  }
}

function ownConfig(data_dir: string, operator: SigningKey) {
  const master_key = keepSecret(data_dir, 'master-key', () => system_clock.randomBytes(32).toString('hex'))
  return {
    agent_did: operator.did,
    agent_key: operator,
    tenant_id: operator_tenant,
    master_key: Buffer.from(master_key, 'hex'),
  }
}

/** Uses the second port. */
async function openConsole(
  { port, host }: UpOptions,
  engine_port: number,
  log: Log,
): Promise<RunningConsole> {
  const place = { host: host ?? own_host, port: port === undefined ? 3000 : port + 1 }
  const api_url = new URL(`http://127.0.0.1:${engine_port}`)
  return await startConsole({ ...place, api_url, tls: new OwnTls({}), path_prefix: '' }, log)
}

/** Checked before anything starts: two engines on one folder would write the same journal. */
async function takeFolder(data_dir: string): Promise<void> {
  await lockDirectory(data_dir, 0).catch(() => {
    throw new ConfigError(
      `Another svc-engine is running on the data folder ${data_dir}; stop it, or start this one with --data-dir and --port.`,
    )
  })
}

/** The engine's own identity, which signs its requests to the nodes. */
function keepOperator(data_dir: string): SigningKey {
  return operatorOf(keepSecret(data_dir, 'operator-key', () => system_clock.randomBytes(32).toString('hex')))
}

function keepSecret(data_dir: string, name: string, make: () => string): string {
  const file = join(data_dir, name)
  if (!existsSync(file)) writeWhole(file, make())
  chmodSync(file, 0o600)
  return readFileSync(file, 'utf8').trim()
}

interface Addresses extends Developer {
  readonly api_url: string
  readonly console_url: string
  readonly mcp_url: string | null
  readonly metrics_url: string
  readonly tenant_id: string
}

/** Outside a checkout plain `npx svc` would offer to download an unrelated package of that name. */
const command_line = import.meta.filename.endsWith('.ts') ? 'npx svc' : 'npx --no svc'

function greeting(addresses: Addresses): string {
  const { api_url, console_url, mcp_url, metrics_url, tenant_id, agent_did, api_key } = addresses
  const { console_login, console_password } = addresses
  const body = JSON.stringify({
    protocol: 'MAX',
    version: 'v1',
    operation: 'audit_log_entry',
    tenant_id,
    input: { event_type: 'custom.hello', meta: { from: 'curl' } },
  })
  return `
svc is up. Stop it with Ctrl-C.

  engine    ${api_url}
  console   ${console_url}  login ${console_login}  password ${console_password}
  docs      ${api_url}/docs
  MCP       ${mcp_url ?? 'off'}
  metrics   ${metrics_url}
  tenant    ${tenant_id}
  agent     ${agent_did}
  API key   ${api_key}

For your shell (then try: ${command_line} whoami):

export SVC_API_URL=${api_url} SVC_TENANT_ID=${tenant_id} SVC_AGENT_DID=${agent_did}
export SVC_API_KEY=${api_key}

Paste this for a first call that is governed and audited:

curl -s ${api_url}/v1/dispatch -H 'Authorization: Bearer ${api_key}' -H 'X-Agent-Did: ${agent_did}' -H 'Content-Type: application/json' -d '${body}' -w '\\n'
`
}
