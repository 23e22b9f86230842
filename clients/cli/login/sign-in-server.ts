// The authorization server, through openid-client: loaded only to sign in, refresh or sign out.
import { SvcError } from '@svc/sdk/errors'
import type { Configuration } from 'openid-client'
import { harmless } from '../output/harmless-text.ts'
import { unreachable } from './ask-json.ts'
import { requireSafeAddress } from './safe-address.ts'

const client_id = 'svc-cli'
const scope = 'svc.call svc.keys'
const answer_s_max = 20

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

export interface SignInServer {
  /** The sign-in address, and the exchange of the redirect for tokens. */
  begin(redirect_uri: string, resource: string): Promise<{ url: URL; redeem(callback: URL): Promise<Tokens> }>
  refresh(refresh_token: string): Promise<Tokens>
  revoke(token: string): Promise<void>
}

export async function openSignInServer(
  auth_url: string,
  fetch: typeof globalThis.fetch,
): Promise<SignInServer> {
  const oauth = await import('openid-client')
  const issuer = requireSafeAddress(auth_url, 'The address of the sign-in')
  const is_plain = issuer.protocol === 'http:'
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw explained(error, auth_url)
    }
  }
  const server: Configuration = await attempt(() =>
    oauth.discovery(issuer, client_id, undefined, oauth.None(), {
      algorithm: 'oauth2',
      timeout: answer_s_max,
      // Every address the server names must be as safe as its own.
      [oauth.customFetch]: (url, options) =>
        fetch(requireSafeAddress(url, 'An address of the sign-in'), options as RequestInit),
      ...(is_plain ? { execute: [oauth.allowInsecureRequests] } : {}),
    }),
  )
  return {
    async begin(redirect_uri, resource) {
      const verifier = oauth.randomPKCECodeVerifier()
      const state = oauth.randomState()
      const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
      const parameters = {
        redirect_uri,
        scope,
        resource,
        state,
        code_challenge,
        code_challenge_method: 'S256',
      }
      const url = await attempt(async () => oauth.buildAuthorizationUrl(server, parameters))
      requireSafeAddress(url.href, 'The address of the sign-in page')
      const checks = { pkceCodeVerifier: verifier, expectedState: state }
      const redeem = (callback: URL) =>
        attempt(async () =>
          pairOf(await oauth.authorizationCodeGrant(server, callback, checks, { resource })),
        )
      return { url, redeem }
    },
    refresh: (token) => attempt(async () => pairOf(await oauth.refreshTokenGrant(server, token), token)),
    revoke: (token) => attempt(() => oauth.tokenRevocation(server, token)),
  }
}

/** A server without rotation returns no new refresh token: the old one stays valid. */
function pairOf(
  { access_token, refresh_token }: { access_token: string; refresh_token?: string },
  before?: string,
): Tokens {
  const next_refresh_token = refresh_token ?? before
  if (next_refresh_token !== undefined) return { access_token, refresh_token: next_refresh_token }
  throw new SvcError({
    code: 'bad_answer',
    message: 'The sign-in returned no refresh token; ask its operator why.',
  })
}

interface Fault {
  readonly code?: string
  readonly error?: string
  readonly error_description?: string
  readonly message?: string
  readonly cause?: unknown
}

/** Maps error codes of openid-client to messages that say what to do. */
function explained(thrown: unknown, auth_url: string): unknown {
  if (thrown instanceof SvcError) return thrown
  const fault = (thrown ?? {}) as Fault
  // Our own rejection of an address arrives wrapped.
  if (fault.cause instanceof SvcError) return fault.cause
  if (fault.error === 'access_denied')
    return signInAgain('The sign-in was declined in the browser', 'access denied')
  if (fault.error === 'invalid_grant') return signInAgain('This sign-in has ended', 'sign-in ended')
  if (fault.error !== undefined) {
    const why = harmless(`${fault.error}${fault.error_description ? `: ${fault.error_description}` : ''}`)
    return signInAgain(`The sign-in at ${auth_url} was refused (${why})`, harmless(fault.error))
  }
  switch (fault.code) {
    case 'OAUTH_TIMEOUT':
      return unreachable({ name: 'TimeoutError' }, auth_url)
    case 'OAUTH_INVALID_RESPONSE':
      return signInAgain('The answer of the browser does not belong to this sign-in', 'state or issuer')
    case undefined:
      return unreachable(fault.cause ?? thrown, auth_url)
    default: {
      const message =
        `${auth_url} does not answer like a sign-in of svc (${harmless(fault.message ?? fault.code)}); ` +
        'check --auth-url.'
      return new SvcError({ code: 'bad_answer', message }, thrown)
    }
  }
}

function signInAgain(what: string, reason: string): SvcError {
  return new SvcError({ code: 'unauthenticated', message: `${what}; run \`svc login\` to sign in.`, reason })
}
