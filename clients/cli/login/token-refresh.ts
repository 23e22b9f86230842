// Refreshes expired tokens exactly once, however many commands need them.
import { SvcError } from '@svc/sdk/errors'
import { readConfigFile } from '@svc/sdk/settings'
import type { Terminal } from '../command.ts'
import { hostOf } from '../settings.ts'
import { configPathOf, withLock, writeConfig } from './config-file.ts'
import { openSignInServer, type Tokens } from './sign-in-server.ts'

/** `ended` is the refused access token: if the file holds another, another command has refreshed it. */
export async function refreshTokens(
  terminal: Terminal,
  profile: string | undefined,
  ended: string,
): Promise<Tokens> {
  const path = configPathOf(terminal, profile)
  return await withLock(path, terminal.signal, async () => {
    const config_file = readConfigFile(profile, hostOf(terminal))
    const { auth_url, access_token, refresh_token } = config_file
    if (!auth_url || !access_token || !refresh_token)
      throw new SvcError({
        code: 'unauthenticated',
        message: 'The access token has expired, and there is no refresh token; run `svc login`.',
        reason: 'token expired',
      })
    if (access_token !== ended) return { access_token, refresh_token }
    const server = await openSignInServer(auth_url, terminal.fetch)
    const fresh = await server.refresh(refresh_token)
    // The old token is now invalid, so the new one is stored at once.
    await writeConfig(path, { ...config_file, ...fresh })
    return fresh
  })
}

/** Whether a refusal says that a token has expired, not that it was revoked or belongs to another. */
export function isTokenEnded(error: unknown): boolean {
  return error instanceof SvcError && error.code === 'unauthenticated' && error.reason === 'token expired'
}
