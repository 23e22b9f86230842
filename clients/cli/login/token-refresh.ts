// A new pair of tokens for one that has ended, exactly once however many commands need it.
import { SvcError } from '@svc/sdk/errors'
import { readConfigFile } from '@svc/sdk/settings'
import type { Terminal } from '../command.ts'
import { hostOf } from '../settings.ts'
import { configPathOf, withLock, writeConfig } from './config-file.ts'
import { openSignInServer, type Tokens } from './sign-in-server.ts'

/** `ended` is the access token that was refused: where the file holds another by now, somebody has been here. */
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
        message: 'The access token has ended, and none is kept to renew it with; run `svc login`.',
        reason: 'token expired',
      })
    if (access_token !== ended) return { access_token, refresh_token }
    const server = await openSignInServer(auth_url, terminal.fetch)
    const fresh = await server.refresh(refresh_token)
    // From here on the old one is worth nothing: nothing may stand between its use and this.
    await writeConfig(path, { ...config_file, ...fresh })
    return fresh
  })
}

/** Whether a refusal says that a token is over, and not that it was revoked or is another's. */
export function isTokenEnded(error: unknown): boolean {
  return error instanceof SvcError && error.code === 'unauthenticated' && error.reason === 'token expired'
}
