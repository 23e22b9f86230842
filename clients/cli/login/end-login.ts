// Revokes a login at the engine: its API key and both tokens. Each is tried, even if others fail.
import { SvcError } from '@svc/sdk/errors'
import type { ConfigFile } from '@svc/sdk/settings'
import { askJson } from './ask-json.ts'
import { keyIdOf, revokeKey } from './own-keys.ts'
import { openSignInServer, type Tokens } from './sign-in-server.ts'
import { isTokenEnded } from './token-refresh.ts'

export interface Ended {
  /** What was revoked, in words. */
  readonly done: readonly string[]
  /** What could not be revoked, with the reasons. */
  readonly left: readonly { what: string; why: unknown }[]
}

export interface EndOptions {
  readonly fetch: typeof globalThis.fetch
  /** Renews the tokens if the access token has expired. */
  renew(ended: string): Promise<Tokens>
  /** A valid access token of the same person, if any. */
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
      else done.push(`${what} (already expired)`)
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

/** Uses the stored token or a renewed one. If neither works, the key may already be revoked. */
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
    message: 'There is no access token to revoke it with; run `svc login`, then `svc logout`.',
    reason: 'no access token',
  })
}

/** The server also succeeds for unknown tokens: the result is the same. */
async function endToken(config: ConfigFile, token: string, fetch: typeof globalThis.fetch): Promise<true> {
  if (!config.auth_url) throw cannotRevoke()
  const server = await openSignInServer(config.auth_url, fetch)
  await server.revoke(token)
  return true
}
