// Ends a login at the engine: its API key and both tokens. Each part is tried, whatever became of the others.
import { SvcError } from '@svc/sdk/errors'
import type { ConfigFile } from '@svc/sdk/settings'
import { askJson } from './ask-json.ts'
import { keyIdOf, revokeKey } from './own-keys.ts'
import { openSignInServer, type Tokens } from './sign-in-server.ts'
import { isTokenEnded } from './token-refresh.ts'

export interface Ended {
  /** What no longer works, in words. */
  readonly done: readonly string[]
  /** What still may, each with why. */
  readonly left: readonly { what: string; why: unknown }[]
}

export interface EndOptions {
  readonly fetch: typeof globalThis.fetch
  /** Gives a new pair where the access token has ended. */
  renew(ended: string): Promise<Tokens>
  /** A living access token of the same person, where there is one. */
  readonly access_token?: string | undefined
}

export async function endLogin(config: ConfigFile, options: EndOptions): Promise<Ended> {
  const done: string[] = []
  const left: { what: string; why: unknown }[] = []
  let tokens: Partial<Tokens> = config
  const renew = async (ended: string) => {
    tokens = await options.renew(ended)
    return tokens.access_token!
  }
  const attempt = async (what: string, work: () => Promise<boolean>) => {
    try {
      if (await work()) done.push(what)
      else done.push(`${what} (it had ended before)`)
    } catch (why) {
      left.push({ what, why })
    }
  }
  const key_id = keyIdOf(config.api_key)
  if (config.api_key !== undefined)
    await attempt(`the API key ${key_id ?? ''}`.trimEnd(), () =>
      endKey(config, key_id, { ...options, renew }),
    )
  const { access_token, refresh_token } = tokens
  for (const [what, token] of [
    ['the refresh token', refresh_token],
    ['the access token', access_token],
  ] as const) {
    if (token !== undefined) await attempt(what, () => endToken(config, token, options.fetch))
  }
  return { done, left }
}

type Renew = (ended: string) => Promise<string>

/** With the kept token, or one renewed from it. Where no token helps any more, the key may have ended with them. */
async function endKey(
  config: ConfigFile,
  key_id: string | undefined,
  { fetch, access_token = config.access_token, renew }: Omit<EndOptions, 'renew'> & { renew: Renew },
): Promise<boolean> {
  const api_url = config.api_url
  if (!api_url || !access_token || key_id === undefined) throw cannotRevoke()
  try {
    return await revokeKey({ api_url, fetch, access_token }, key_id)
  } catch (error) {
    try {
      if (!isTokenEnded(error)) throw error
      return await revokeKey({ api_url, fetch, access_token: await renew(access_token) }, key_id)
    } catch (again) {
      if (await isKeyOver(config, again, fetch)) return false
      throw again
    }
  }
}

async function isKeyOver(
  config: ConfigFile,
  error: unknown,
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  if (!(error instanceof SvcError) || error.code !== 'unauthenticated') return false
  const headers = { authorization: `Bearer ${config.api_key}`, 'x-agent-did': config.agent_did ?? '' }
  const { status } = await askJson(`${config.api_url}/v1/whoami`, { fetch, headers })
  return status === 401
}

function cannotRevoke(): SvcError {
  return new SvcError({
    code: 'unauthenticated',
    message: 'No access token is kept that could revoke it; run `svc login`, then `svc logout`.',
    reason: 'no access token',
  })
}

/** The server answers alike for a token it no longer knows: what is asked for holds either way. */
async function endToken(config: ConfigFile, token: string, fetch: typeof globalThis.fetch): Promise<true> {
  if (!config.auth_url) throw cannotRevoke()
  const server = await openSignInServer(config.auth_url, fetch)
  await server.revoke(token)
  return true
}
