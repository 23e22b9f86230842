// Which engine a login is for, and where people sign in for it.
import { SvcError } from '@svc/sdk/errors'
import type { ConfigFile } from '@svc/sdk/settings'
import type { Flags, Terminal } from '../command.ts'
import { harmless } from '../output/harmless-text.ts'
import { filled } from '../profile.ts'
import { textFlag } from '../settings.ts'
import { askJson } from './ask-json.ts'
import { requireSafeAddress, withoutSlash } from './safe-address.ts'

export interface LoginPlace {
  readonly api_url: string
  readonly auth_url: string
}

/** From flags, the environment, the file, then the engine's own metadata (RFC 9728). */
export async function findLoginPlace(
  flags: Flags,
  terminal: Terminal,
  config_file: ConfigFile,
): Promise<LoginPlace> {
  const said_api = filled(textFlag(flags, 'api-url')) ?? filled(terminal.env.SVC_API_URL)
  const said_auth = filled(textFlag(flags, 'auth-url')) ?? filled(terminal.env.SVC_AUTH_URL)
  const api_url = said_api === undefined ? undefined : addressOf(said_api, 'The address of the engine')
  const auth_url = said_auth === undefined ? undefined : addressOf(said_auth, 'The address of the sign-in')
  if (api_url && auth_url) return { api_url, auth_url }
  // Addresses of the file are used only together: two engines are never mixed.
  if (api_url !== undefined)
    return config_file.api_url === api_url
      ? storedOr(config_file, () => signInOf(api_url, terminal))
      : signInOf(api_url, terminal)
  if (auth_url !== undefined)
    return config_file.auth_url === auth_url
      ? storedOr(config_file, () => engineOf(auth_url, terminal))
      : engineOf(auth_url, terminal)
  if (config_file.api_url) {
    const file_api = addressOf(config_file.api_url, 'The api_url of the config file')
    return storedOr(config_file, () => signInOf(file_api, terminal))
  }
  throw new SvcError({
    code: 'not_configured',
    message: 'No engine to sign in to: run `svc login --api-url https://...`, or set SVC_API_URL.',
    reason: 'not configured',
  })
}

function addressOf(text: string, what: string): string {
  return withoutSlash(requireSafeAddress(text, what))
}

async function storedOr(config_file: ConfigFile, ask: () => Promise<LoginPlace>): Promise<LoginPlace> {
  if (!config_file.api_url || !config_file.auth_url) return await ask()
  const api_url = addressOf(config_file.api_url, 'The api_url of the config file')
  return { api_url, auth_url: addressOf(config_file.auth_url, 'The auth_url of the config file') }
}

async function signInOf(api_url: string, terminal: Terminal): Promise<LoginPlace> {
  const { resource, servers } = await readMetadata(api_url, terminal)
  // Tokens are issued for the engine's own address and refused under another.
  if (resource !== api_url)
    throw wrongPlace(
      `${api_url} calls itself ${harmless(resource)}; sign in with --api-url ${harmless(resource)}.`,
    )
  const [auth_url] = servers
  if (auth_url === undefined) throw wrongPlace(`${api_url} names no sign-in; give it with --auth-url.`)
  return { api_url, auth_url: addressOf(auth_url, `The sign-in that ${api_url} names`) }
}

/** The sign-in is at `/oauth` of its engine, which must name it in return. */
async function engineOf(auth_url: string, terminal: Terminal): Promise<LoginPlace> {
  const api_url = auth_url.replace(/\/oauth$/, '')
  const { resource, servers } = await readMetadata(api_url, terminal)
  if (servers.includes(auth_url))
    return { api_url: addressOf(resource, 'The address of the engine'), auth_url }
  throw wrongPlace(`No engine at ${auth_url} names it as its sign-in; give the engine with --api-url.`)
}

async function readMetadata(api_url: string, { fetch, signal }: Terminal) {
  const { status, body } = await askJson(`${api_url}/.well-known/oauth-protected-resource`, { fetch, signal })
  const { resource, authorization_servers } = (body ?? {}) as {
    resource?: unknown
    authorization_servers?: unknown
  }
  if (status !== 200 || typeof resource !== 'string' || !Array.isArray(authorization_servers))
    throw wrongPlace(`${api_url} does not say where to sign in (it answered ${status}); check --api-url.`)
  const servers = authorization_servers.filter((server): server is string => typeof server === 'string')
  return { resource: URL.canParse(resource) ? withoutSlash(new URL(resource)) : resource, servers }
}

function wrongPlace(message: string): SvcError {
  return new SvcError({ code: 'bad_answer', message, reason: 'sign-in not found' })
}
