// For a config file without an API key: calls use its access token, which is renewed when it expires.
import { readConfigFile, type Settings } from '@svc/sdk/settings'
import type { Terminal } from '../command.ts'
import { hostOf } from '../settings.ts'

const token_start = 'eyJ'

/** The terminal's own fetch, unless the settings use the access token of the profile's file. */
export function fetchFor(
  terminal: Terminal,
  profile: string | undefined,
  { api_key }: Pick<Settings, 'api_key'>,
): typeof globalThis.fetch {
  const { fetch } = terminal
  if (!api_key?.startsWith(token_start)) return fetch
  if (readConfigFile(profile, hostOf(terminal)).access_token !== api_key) return fetch
  let token = api_key
  return async (input, init) => {
    const answer = await fetch(input, withToken(init, token))
    if (!(await saysEnded(answer))) return answer
    const { refreshTokens } = await import('./token-refresh.ts')
    token = (await refreshTokens(terminal, profile, token)).access_token
    // It was refused at authentication, so nothing was executed and it can be repeated.
    return await fetch(input, withToken(init, token))
  }
}

function withToken(init: RequestInit = {}, token: string): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

async function saysEnded(answer: Response): Promise<boolean> {
  if (answer.status !== 401) return false
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined)
  return (body as { error?: { reason?: unknown } } | undefined)?.error?.reason === 'token expired'
}
