import { fieldsOf, SvcError } from './errors.ts'

/** The caller and the engine: each from the constructor, the environment, then the config file. */
export interface ClientSettings {
  /** `SVC_API_URL`: the address of the engine or its gateway. */
  apiUrl?: string
  /** `SVC_API_KEY`: an API key, or an access token. */
  apiKey?: string
  /** `SVC_PRIVATE_KEY`: instead of an API key, the agent's own Ed25519 key (32 bytes, base64url); it is never sent. */
  privateKey?: string
  /**
   * `SVC_WORKLOAD_TOKEN_FILE`, a path: instead of an API key, reads the token of the platform that the agent runs on (Kubernetes, GitHub
   * Actions, SPIFFE), which is exchanged for a session.
   */
  workloadToken?: () => string | Promise<string>
  /** `SVC_AGENT_DID`: the DID the key is bound to. */
  agentDid?: string
  /** `SVC_TENANT_ID`: the target tenant; default the namespace of `agentDid`. */
  tenantId?: string
  /** `SVC_PROFILE`: reads `~/.svc/profiles/<profile>.json` instead of `~/.svc/config.json`, which is called `default`. */
  profile?: string
}

/** The resolved settings. */
export interface Settings {
  readonly api_url: string
  /** Undefined where the agent proves its own key. */
  readonly api_key?: string
  readonly private_key?: string
  readonly workload_token?: () => string | Promise<string>
  readonly agent_did: string
  readonly tenant_id: string
}

/** `~/.svc/config.json`, as written by `svc login`; must be readable by its owner only. */
export interface ConfigFile {
  auth_url?: string
  api_url?: string
  agent_did?: string
  access_token?: string
  refresh_token?: string
  api_key?: string
  private_key?: string
  tenant_id?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Node, Bun or Deno; browsers and workers have neither environment nor files. */
export interface Host {
  readonly env: Environment
  readonly platform?: string
  /** The home directory of the config file; default the user's. */
  readonly home?: string
  getBuiltinModule?(name: string): unknown
}

const profile_form = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/
const did_form = /^did:oas:[!-9;-~]+:[!-9;-~]+:[!-9;-~]+$/

export function resolveSettings(client_settings: ClientSettings = {}, host = hostAround()): Settings {
  const env = (name: string) => filled(environmentOf(host, name))
  let file: ConfigFile | undefined
  const fromFile = (name: keyof ConfigFile) => {
    // Read lazily, and only once.
    file ??= readConfigFile(profileOf(client_settings, host), host)
    return filled(file[name])
  }
  const api_url = filled(client_settings.apiUrl) ?? env('SVC_API_URL') ?? fromFile('api_url')
  const credential = credentialOf([
    () => ({
      api_key: filled(client_settings.apiKey),
      private_key: filled(client_settings.privateKey),
      workload_token: client_settings.workloadToken,
    }),
    () => ({
      api_key: env('SVC_API_KEY'),
      private_key: env('SVC_PRIVATE_KEY'),
      workload_token: tokenFile(env('SVC_WORKLOAD_TOKEN_FILE'), host),
    }),
    () => ({
      api_key: fromFile('api_key') ?? fromFile('access_token'),
      private_key: fromFile('private_key'),
    }),
  ])
  const named_did = filled(client_settings.agentDid) ?? env('SVC_AGENT_DID')
  const agent_did = named_did ?? fromFile('agent_did')
  if (!api_url || !credential || !agent_did) {
    const partial_settings = { apiUrl: api_url, apiKey: credential && 'set', agentDid: agent_did }
    throw notConfigured(partial_settings, configPath(profileOf(client_settings, host), host))
  }
  requireForms(credential, agent_did)
  // The file's tenant belongs to the file's agent; another agent uses its own.
  const kept_tenant = named_did === undefined ? fromFile('tenant_id') : undefined
  const tenant_id =
    filled(client_settings.tenantId) ?? env('SVC_TENANT_ID') ?? kept_tenant ?? agent_did.split(':')[2]!
  return { api_url: plainUrl(api_url), ...credential, agent_did, tenant_id }
}

type OneCredential = Pick<Settings, 'api_key' | 'private_key' | 'workload_token'>
type Credentials = { readonly [Name in keyof OneCredential]: OneCredential[Name] | undefined }

/** The nearest place that names one decides. */
function credentialOf(places: readonly (() => Credentials)[]): OneCredential | undefined {
  for (const read of places) {
    const named = Object.entries(read()).filter(([, value]) => value !== undefined)
    if (named.length > 1)
      throw faulty('There is more than one of apiKey, privateKey and workloadToken; set one.')
    if (named.length === 1) return Object.fromEntries(named)
  }
  return undefined
}

/** Read for each session: the platform replaces it before it expires. */
function tokenFile(path: string | undefined, host: Host | undefined): Settings['workload_token'] {
  if (path === undefined) return undefined
  const files = host?.getBuiltinModule?.('node:fs') as Files | undefined
  return () => files!.readFileSync(path, 'utf8')
}

function profileOf(client_settings: ClientSettings, host: Host | undefined): string | undefined {
  return filled(client_settings.profile) ?? filled(environmentOf(host, 'SVC_PROFILE'))
}

/** An empty variable counts as not set, as scripts and containers expect. */
function filled(text: string | undefined): string | undefined {
  // Untyped callers may pass a URL.
  return (text ?? undefined) === undefined ? undefined : String(text).trim() || undefined
}

/** Deno throws without permission: then there is no environment. */
function environmentOf(host: Host | undefined, name: string): string | undefined {
  try {
    return host?.env?.[name]
  } catch {
    return undefined
  }
}

function notConfigured(settings: Record<string, string | undefined>, path: string | undefined): SvcError {
  const missing = Object.keys(settings).filter((name) => !settings[name])
  const ways = [
    'pass apiUrl, agentDid and apiKey or privateKey',
    ...(path === undefined
      ? []
      : ['set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID', `run \`svc login\`, which writes ${path}`]),
  ]
  return faulty(`There is no ${missing.join(' and no ')}: ${ways.join(', or ')}.`)
}

function requireForms({ api_key, private_key }: OneCredential, agent_did: string | undefined): void {
  // Never printed: they are secrets even if misspelled.
  if (api_key !== undefined && !/^[!-~]+$/.test(api_key))
    throw faulty('The apiKey holds spaces or signs that no key has; copy it again.')
  if (private_key !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(private_key))
    throw faulty('The privateKey is not 32 bytes in base64url (43 characters); copy it again.')
  if (agent_did !== undefined && !did_form.test(agent_did))
    throw faulty(`agentDid is ${agent_did}, but a DID here is did:oas:<tenant>:<kind>:<identifier>.`)
}

function plainUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.username || url?.password)
    throw faulty(
      'apiUrl holds a name or password; the key goes into apiKey, and apiUrl is the address alone.',
    )
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw faulty(`apiUrl is ${text}, which is no http or https address.`)
  if (url.search || url.hash) throw faulty(`apiUrl is ${text}; leave out what follows the path.`)
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
}

function hostAround(): Host | undefined {
  return (globalThis as { process?: Host }).process
}

interface Files {
  statSync(path: string): { readonly mode: number; readonly size: number }
  readFileSync(path: string, encoding: 'utf8'): string
}

const file_bytes_max = 64 * 1024
const others = 0o077
/** The file does not exist, or Deno lacks permission. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'NotCapable', 'PermissionDenied'])

/** Empty if there is no file. A file that others can read is refused, as ssh does, because it contains a key. */
export function readConfigFile(profile: string | undefined, host = hostAround()): ConfigFile {
  const files = host?.getBuiltinModule?.('node:fs') as Files | undefined
  const path = configPath(profile, host)
  if (!files || path === undefined) return {}
  let text: string
  try {
    const { mode, size } = files.statSync(path)
    const is_windows = (host?.platform ?? hostAround()?.platform) === 'win32'
    if (mode & others && !is_windows)
      throw faulty(`${path} holds a key and others can read it; run chmod 600 ${path}.`)
    if (size > file_bytes_max) throw faulty(`${path} is no config file of svc; it is ${size} bytes large.`)
    text = files.readFileSync(path, 'utf8')
  } catch (cause) {
    const { code, name } = cause as { code?: unknown; name?: unknown }
    if (absent.has(code) || absent.has(name)) return {}
    if (cause instanceof SvcError) throw cause
    throw faulty(`${path} cannot be read (${code ?? name}); fix it, or run \`svc login\` again.`, cause)
  }
  return configOf(text, path)
}

function configOf(text: string, path: string): ConfigFile {
  let fields: Record<string, unknown> | undefined
  try {
    fields = fieldsOf(JSON.parse(text))
  } catch {
    // Reported below without the text, which may contain part of a key.
  }
  if (!fields || Object.values(fields).some((value) => value !== null && typeof value !== 'string'))
    throw faulty(`${path} is not the JSON that \`svc login\` writes; fix it, or run \`svc login\` again.`)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

/** Refuses settings of a wrong form, and two keys. */
export function checkConfig({
  api_url,
  auth_url,
  api_key,
  private_key,
  agent_did,
  tenant_id,
}: ConfigFile): void {
  credentialOf([() => ({ api_key, private_key, workload_token: undefined })])
  for (const address of [api_url, auth_url]) if (address !== undefined) plainUrl(address)
  requireForms({ ...(api_key && { api_key }), ...(private_key && { private_key }) }, agent_did)
  if (tenant_id !== undefined && !tenant_form.test(tenant_id))
    throw faulty(`tenantId is ${tenant_id}; a tenant has small letters, digits and -, at most 63.`)
}

/** Undefined without a home directory. */
export function configPath(profile: string | undefined, host = hostAround()): string | undefined {
  if (profile !== undefined && !profile_form.test(profile))
    throw faulty(`The profile is called ${profile}; use letters, digits, - and _, at most 64.`)
  const home = host?.home ?? homeAround(host)
  if (home === undefined) return undefined
  const is_default = profile === undefined || profile === 'default'
  return `${home}/.svc/${is_default ? 'config' : `profiles/${profile}`}.json`
}

function homeAround(host: Host | undefined): string | undefined {
  try {
    return (host?.getBuiltinModule?.('node:os') as { homedir(): string } | undefined)?.homedir()
  } catch {
    return undefined
  }
}

function faulty(message: string, cause?: unknown): SvcError {
  return new SvcError({ code: 'not_configured', message, reason: 'not configured' }, cause)
}
