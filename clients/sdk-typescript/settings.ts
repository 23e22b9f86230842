import { SvcError } from './errors.ts'

/** Who calls, and where. Each is taken from the constructor, then the environment, then the client's config file. */
export interface ClientSettings {
  /** `SVC_API_URL`: where the engine or its gateway answers. */
  apiUrl?: string
  /** `SVC_API_KEY`: an API key, or an access token. */
  apiKey?: string
  /** `SVC_AGENT_DID`: the DID the key is bound to. */
  agentDid?: string
  /** `SVC_TENANT_ID`: the tenant calls are made to; the namespace of `agentDid` where nothing else says. */
  tenantId?: string
  /** `SVC_PROFILE`: reads `~/.svc/profiles/<profile>.json` instead of `~/.svc/config.json`. */
  profile?: string
}

export interface Settings {
  readonly api_url: string
  readonly api_key: string
  readonly agent_did: string
  readonly tenant_id: string
}

/** `~/.svc/config.json`, as `svc login` writes it. */
export interface ConfigFile {
  auth_url?: string
  api_url?: string
  agent_did?: string
  access_token?: string
  refresh_token?: string
  api_key?: string
  tenant_id?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where there is a Node, Bun or Deno around us; a browser and a worker have neither environment nor files. */
export interface Host {
  readonly env: Environment
  /** Where the config file is looked for; the user's own where absent. */
  readonly home?: string
  getBuiltinModule?(name: string): unknown
}

const profile_form = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

export function resolveSettings(given: ClientSettings = {}, host = hostAround()): Settings {
  const env = host?.env ?? {}
  const profile = given.profile ?? env.SVC_PROFILE
  let file: ConfigFile | undefined
  const kept = (name: keyof ConfigFile) => {
    // Read only when something is missing, and only once.
    file ??= readConfigFile(profile, host)
    return file[name]
  }
  const api_url = given.apiUrl ?? env.SVC_API_URL ?? kept('api_url')
  const api_key = given.apiKey ?? env.SVC_API_KEY ?? kept('api_key') ?? kept('access_token')
  const agent_did = given.agentDid ?? env.SVC_AGENT_DID ?? kept('agent_did')
  if (!api_url || !api_key || !agent_did)
    throw notConfigured({ apiUrl: api_url, apiKey: api_key, agentDid: agent_did })
  const tenant_id = given.tenantId ?? env.SVC_TENANT_ID ?? kept('tenant_id') ?? agent_did.split(':')[2] ?? ''
  return { api_url: plainUrl(api_url), api_key, agent_did, tenant_id }
}

function notConfigured(settings: Record<string, string | undefined>): SvcError {
  const missing = Object.keys(settings).filter((name) => !settings[name])
  return new SvcError({
    code: 'not_configured',
    message:
      `There is no ${missing.join(' and no ')}: pass apiUrl, apiKey and agentDid, set SVC_API_URL, SVC_API_KEY and ` +
      'SVC_AGENT_DID, or run `svc login`.',
    reason: 'not configured',
  })
}

function plainUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new SvcError({
      code: 'not_configured',
      message: `apiUrl is ${text}, which is no http or https address.`,
    })
  }
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
}

function hostAround(): Host | undefined {
  return (globalThis as { process?: Host }).process
}

interface Files {
  existsSync(path: string): boolean
  readFileSync(path: string, encoding: 'utf8'): string
}

export function readConfigFile(profile: string | undefined, host = hostAround()): ConfigFile {
  const files = host?.getBuiltinModule?.('node:fs') as Files | undefined
  const path = configPath(profile, host)
  if (!files || path === undefined || !files.existsSync(path)) return {}
  try {
    return JSON.parse(files.readFileSync(path, 'utf8')) as ConfigFile
  } catch (cause) {
    const message = `${path} cannot be read as JSON; mend it, or run \`svc login\` again.`
    throw new SvcError({ code: 'not_configured', message }, cause)
  }
}

/** Undefined where there is no home directory to look in. */
export function configPath(profile: string | undefined, host = hostAround()): string | undefined {
  if (profile !== undefined && !profile_form.test(profile)) {
    const message = `The profile is called ${profile}; use letters, digits, - and _, at most 64.`
    throw new SvcError({ code: 'not_configured', message })
  }
  const os = host?.getBuiltinModule?.('node:os') as { homedir(): string } | undefined
  const home = host?.home ?? os?.homedir()
  if (home === undefined) return undefined
  return `${home}/.svc/${profile === undefined ? 'config' : `profiles/${profile}`}.json`
}
