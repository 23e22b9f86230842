// The authorization server: code and PKCE for public clients, each token for one surface of this engine. Everything else is off.
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { InvalidTarget } from 'oidc-provider/lib/helpers/errors.js'
import { base, Check } from 'oidc-provider/lib/helpers/interaction_policy/index.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import { exchange_grant, workload_client } from './exchange.ts'
import type { Logins } from './logins.ts'
import { oidcAdapter } from './oidc-adapter.ts'
import { errorPage, html_headers } from './pages.ts'
import type { Accounts, SigningKey } from './ports.ts'
import { built_in_client, openid_scopes, scopes, scopesOf } from './scopes.ts'
import type { Site } from './site.ts'

const code_s = 60
const access_token_s = 15 * 60
const refresh_token_s = 30 * 86_400
/** However often it is refreshed, after a year somebody must sign in again. */
const grant_s = 365 * 86_400
const interaction_s = 30 * 60
const session_s = 12 * 3_600

export function openProvider(
  accounts: Accounts,
  logins: Logins,
  site: Site,
  keys: readonly SigningKey[],
): Provider {
  const provider = new Provider(site.issuer, {
    ...endpoints(accounts, site, keys),
    ...rules(accounts, logins, site),
    features: features(site),
    async extraTokenClaims(_ctx, token) {
      if (token.kind !== 'AccessToken') return undefined
      const user = await accounts.findUser(token.accountId)
      const gid = accounts.payloads.grantHash(token.grantId ?? '')
      return { did: user?.did, tenant_id: user?.tenant_id, gid }
    },
    renderError(ctx, out) {
      ctx.set(html_headers)
      ctx.body = errorPage(out.error_description ?? out.error)
    },
  })
  // Its addresses come from these two headers, which we set ourselves: see passOn.
  provider.proxy = true
  provider.use(tellInsteadOfRedirecting)
  return provider
}

/**
 * Anybody may register a client with any address. Before a person has agreed, an error is shown on our own page: otherwise every link to
 * us would be an open redirector.
 */
async function tellInsteadOfRedirecting(
  ctx: KoaContextWithOIDC,
  next: () => Promise<unknown>,
): Promise<void> {
  await next()
  if (ctx.oidc?.route !== 'authorization' || ctx.oidc.client?.clientId === built_in_client) return
  const to = URL.parse(ctx.response.get('location'))
  const parameters = [to?.search, to?.hash.slice(1)].map((text) => new URLSearchParams(text))
  const error = parameters.map((each) => each.get('error_description') ?? each.get('error')).find(Boolean)
  // A form that posts itself is a redirect too.
  const posts_itself = to === null && ctx.oidc.params?.response_mode === 'form_post'
  if (!error && !posts_itself) return
  ctx.remove('location')
  ctx.status = 400
  ctx.set(html_headers)
  ctx.body = errorPage(error ?? 'response_mode=form_post is not served here')
}

function endpoints(accounts: Accounts, site: Site, keys: readonly SigningKey[]): Configuration {
  const prefix = site.secure ? '__Secure-' : ''
  return {
    adapter: oidcAdapter(accounts.payloads),
    jwks: { keys: keys.map((key) => ({ ...key })) },
    clients: [
      {
        client_id: built_in_client,
        client_name: 'The svc command line',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1:8600/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        client_id: workload_client,
        client_name: 'Workloads of other platforms',
        redirect_uris: [],
        response_types: [],
        grant_types: [exchange_grant],
      },
    ],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    routes: { authorization: '/auth', token: '/token', jwks: '/jwks' },
    discovery: {
      registration_endpoint: `${site.issuer}/register`,
      revocation_endpoint: `${site.issuer}/revoke`,
      revocation_endpoint_auth_methods_supported: ['none'],
      service_documentation: `${site.public_url}/docs`,
    },
    cookies: {
      names: {
        session: site.cookieName('svc_oauth'),
        interaction: `${prefix}svc_interaction`,
        resume: `${prefix}svc_resume`,
      },
      long: { httpOnly: true, sameSite: 'lax', secure: site.secure, path: '/' },
      short: { httpOnly: true, sameSite: 'lax', secure: site.secure },
    },
  }
}

function rules(accounts: Accounts, logins: Logins, site: Site): Configuration {
  return {
    pkce: { required: () => true },
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    subjectTypes: ['public'],
    scopes: [...openid_scopes, ...Object.keys(scopes)],
    clockTolerance: 0,
    // The redirect address is always required, and always compared.
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // A command line outlives its browser session; both can be ended separately.
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    ttl: {
      AuthorizationCode: code_s,
      AccessToken: access_token_s,
      RefreshToken: refresh_token_s,
      Grant: grant_s,
      Interaction: interaction_s,
      Session: session_s,
      IdToken: access_token_s,
    },
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin && origin !== 'null'),
    async findAccount(_ctx, user_id) {
      const user = await accounts.findUser(user_id)
      if (!user || user.disabled) return undefined
      return { accountId: user_id, claims: async () => ({ sub: user_id }) }
    },
    // Every sign-in of a client has its own grant, so that ending one does not end another.
    async loadExistingGrant(ctx) {
      const grant_id = ctx.oidc.result?.consent?.grantId
      return grant_id === undefined ? undefined : await ctx.oidc.provider.Grant.find(grant_id)
    },
    interactions: {
      policy: interactionPolicy(logins),
      url: (_ctx, { uid }) => `${new URL(site.issuer).pathname}/interaction/${uid}`,
    },
  }
}

/** The server's own session has no authority: it counts only with ours, which can be revoked and expires. */
function interactionPolicy(logins: Logins) {
  const policy = base()
  const ended = async (ctx: KoaContextWithOIDC) => {
    const account = ctx.oidc.session?.accountId
    if (account === undefined) return Check.NO_NEED_TO_PROMPT
    const signed_in = await logins.fromCookie(ctx.req.headers.cookie)
    return signed_in?.user.user_id === account ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
  }
  policy
    .get('login')
    ?.checks.add(new Check('session_ended', 'the browser session has ended', 'login_required', ended))
  return policy
}

function features(site: Site): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    // Registration and revocation are ours: see registration.ts and revocation.ts.
    registration: { enabled: false },
    revocation: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => site.public_url,
      useGrantedResource: async () => true,
      async getResourceServerInfo(_ctx, resource) {
        const surface = site.surfaceOf(resource)
        if (!surface) throw new InvalidTarget()
        return {
          scope: scopesOf(surface).join(' '),
          audience: site.audienceOf(surface)!,
          accessTokenTTL: access_token_s,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'EdDSA' } },
        }
      },
    },
  }
}
