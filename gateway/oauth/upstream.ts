// Sign-in with another OpenID issuer. A person is identified by issuer and subject, never by an email address.
import { hash } from 'node:crypto'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { addressOf } from './address.ts'
import { cookieText, readCookie } from './cookies.ts'
import type { LoginContext, Upstream, UpstreamSettings } from './login-context.ts'
import type { Person } from './ports.ts'
import { safePath, startSession } from './sign-in.ts'
import type { Site } from './site.ts'

const model = 'UpstreamSignIn'
const begun_s = 600
const answer_s_max = 10
const login_form = /^[a-z0-9][a-z0-9._+@-]{0,127}$/

export function openUpstream(settings: UpstreamSettings, site: Site): Upstream {
  const issuer = new URL(settings.issuer)
  // Configuration allows plain http on loopback only.
  const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : []
  let configuration: Promise<Configuration> | undefined
  return {
    host: issuer.host,
    settings,
    get callback() {
      return `${site.issuer}/upstream/callback`
    },
    configuration() {
      configuration ??= discovery(issuer, settings.client_id, settings.client_secret, undefined, {
        execute,
        timeout: answer_s_max,
      }).catch((cause) => {
        configuration = undefined
        throw unreachable(issuer.host, cause)
      })
      return configuration
    },
  }
}

export function addUpstreamRoutes(app: FastifyInstance, context: LoginContext, upstream: Upstream): void {
  app.get<{ Querystring: { return_to?: string } }>('/oauth/upstream/start', async (request, reply) => {
    context.throttle.take(addressOf(request, context.settings.proxy_hops))
    const return_to = safePath(request.query.return_to, context, '/oauth/sign-out')
    const to = await begin(context, upstream, reply, { return_to })
    return reply.header('cache-control', 'no-store').redirect(to, 303)
  })
  app.get<{ Querystring: { state?: string } }>('/oauth/upstream/callback', async (request, reply) => {
    context.throttle.take(addressOf(request, context.settings.proxy_hops))
    const begun = await resume(context, request)
    const claims = await askWho(context, upstream, request, begun)
    const user = await personOf(context, upstream, claims, begun.invitation)
    await context.accounts.applyClaims(user, claims)
    await startSession(context, request, reply, user, 'upstream')
    reply.header('set-cookie', cookieText(context.site, 'svc_upstream', '', 0))
    return reply.header('cache-control', 'no-store').redirect(begun.return_to, 303)
  })
}

interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly return_to: string
  readonly invitation?: string
}

/** Where the browser goes on. With an invitation only after a form of its page: else any site could accept one for its visitors. */
export async function begin(
  { accounts, dispatch_endpoint, site }: LoginContext,
  upstream: Upstream,
  reply: FastifyReply,
  aim: Pick<Begun, 'return_to' | 'invitation'>,
): Promise<string> {
  const configuration = await upstream.configuration()
  const browser = dispatch_endpoint.clock.randomBytes(32).toString('base64url')
  const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const begun = { ...aim, state, nonce, verifier, browser: hash('sha256', browser) }
  await accounts.payloads.upsert(model, state, begun, begun_s)
  reply.header('set-cookie', cookieText(site, 'svc_upstream', browser, begun_s))
  return buildAuthorizationUrl(configuration, {
    redirect_uri: upstream.callback,
    scope: 'openid profile email',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  }).href
}

/** Once, and only in the browser that began it: another person's answer signs nobody in. */
async function resume(
  { accounts, site, dispatch_endpoint }: LoginContext,
  request: FastifyRequest,
): Promise<Begun> {
  const { state = '' } = request.query as { state?: string }
  const cookie = readCookie(request.headers.cookie, site.cookieName('svc_upstream'))
  const begun = typeof state === 'string' ? await accounts.payloads.find(model, state) : undefined
  const is_same = begun && cookie !== undefined && begun.browser === hash('sha256', cookie)
  if (!is_same || !(await accounts.payloads.consume(model, state))) {
    throw refuse('unauthenticated', 'This sign-in is over or was begun in another browser; start it again.', {
      reason: 'upstream state',
    })
  }
  await accounts.payloads.destroy(model, state)
  dispatch_endpoint.log.debug({}, 'an upstream issuer answered')
  return begun as unknown as Begun
}

async function askWho(
  { site }: LoginContext,
  upstream: Upstream,
  request: FastifyRequest,
  { state, nonce, verifier }: Begun,
): Promise<IDToken> {
  const answer = new URL(upstream.callback + request.url.slice(request.url.indexOf('?')))
  const configuration = await upstream.configuration()
  const tokens = await authorizationCodeGrant(configuration, answer, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  }).catch((cause) => {
    throw refuse(
      'unauthenticated',
      `${upstream.host} did not confirm who you are; start again from ${site.public_url}.`,
      { reason: 'upstream refused' },
      cause,
    )
  })
  return tokens.claims()!
}

async function personOf(
  { accounts }: LoginContext,
  { host, settings }: Upstream,
  claims: IDToken,
  invitation: string | undefined,
): Promise<Person> {
  const at = { issuer: claims.iss, subject: claims.sub }
  const person = await accounts.findBySubject(at)
  const tenant_id = invitation === undefined ? settings.tenant_id : undefined
  if (person?.disabled || (!person && invitation === undefined && tenant_id === undefined)) {
    throw refuse('unauthenticated', `You have no account here for ${host}; ask your administrator for one.`, {
      reason: 'unknown upstream subject',
    })
  }
  if (person) return person
  const name = typeof claims.name === 'string' ? claims.name.slice(0, 200) || undefined : undefined
  const create = (login: string) =>
    invitation === undefined
      ? accounts.createFromUpstream(tenant_id!, at, login, name)
      : accounts.acceptInvitation(invitation, { login, name, upstream: at })
  const created = await createAs(claims, create, () => accounts.findBySubject(at))
  if (created) return created
  if (invitation === undefined) throw new Error('an account was created and is not there')
  throw refuse('unauthenticated', 'This invitation is not good any more; ask for a new one.', {
    reason: 'invitation over',
  })
}

/** Their name there may be taken here by somebody else, who keeps it. */
async function createAs(
  claims: IDToken,
  create: (login: string) => Promise<Person | undefined>,
  find: () => Promise<Person | undefined>,
): Promise<Person | undefined> {
  const own_login = `oidc-${hash('sha256', `${claims.iss}\n${claims.sub}`).slice(0, 24)}`
  return await create(loginOf(claims) ?? own_login).catch(
    async (error) =>
      (await find()) ??
      (await create(own_login).catch(() => {
        throw error
      })),
  )
}

function loginOf({ email, preferred_username }: IDToken): string | undefined {
  const names = [preferred_username, email].map((text) =>
    typeof text === 'string' ? text.toLowerCase() : '',
  )
  return names.find((text) => login_form.test(text))
}

function unreachable(host: string, cause: unknown): Refusal {
  return refuse(
    'adapter_error',
    `${host} cannot be reached now; try again, or sign in with a password.`,
    { reason: 'upstream issuer unavailable', retry_after_ms: 5_000 },
    cause,
  )
}
