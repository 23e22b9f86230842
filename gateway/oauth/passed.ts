// The routes of the OAuth server itself, and the record of its decisions.
import type { EventEmitter } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { addressOf } from './address.ts'
import { workload_client } from './exchange.ts'
import type { LoginContext } from './login-context.ts'
import { type Decision, recordDecision } from './records.ts'
import { default_scope } from './scopes.ts'

const authorization_server = '/.well-known/oauth-authorization-server'
const openid_configuration = '/.well-known/openid-configuration'

/** Our path, and theirs. RFC 8414 puts the issuer's path after the well-known one. Everything else is unreachable. */
const routes: readonly (readonly ['GET' | 'POST' | 'OPTIONS', string, string])[] = [
  ['GET', '/oauth/auth', '/auth'],
  ['GET', '/oauth/auth/:uid', '/auth/:uid'],
  ['POST', '/oauth/token', '/token'],
  ['OPTIONS', '/oauth/token', '/token'],
  ['GET', '/oauth/jwks', '/jwks'],
  ['GET', `/oauth${openid_configuration}`, openid_configuration],
  ['GET', `/oauth${authorization_server}`, authorization_server],
  ['GET', `${authorization_server}/oauth`, authorization_server],
  ['GET', `${openid_configuration}/oauth`, openid_configuration],
]

export function addPassedRoutes(app: FastifyInstance, context: LoginContext): void {
  // The OAuth server reads bodies itself, with its own limit.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  for (const [method, url, theirs] of routes) {
    app.route<{ Params: { uid?: string } }>({
      method,
      url,
      handler: async (request, reply) => {
        context.throttle.take(addressOf(request, context.settings.proxy_hops))
        await passOn(
          context,
          request,
          reply,
          theirs.replace(':uid', encodeURIComponent(request.params.uid ?? '')),
        )
      },
    })
  }
}

async function passOn(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<void> {
  const req = request.raw as FastifyRequest['raw'] & { originalUrl?: string }
  const { host, protocol } = new URL(context.site.public_url || 'http://localhost')
  req.url = path + queryOf(request, path)
  req.originalUrl = new URL(context.site.issuer || 'http://localhost').pathname + req.url
  // Its addresses are ours, whatever Host the caller sent.
  req.headers['x-forwarded-host'] = host
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  delete req.headers['x-forwarded-for']
  const handle = await context.handler()
  const answered = handle(req, reply.raw)
  reply.hijack()
  reply.raw.setHeader('x-content-type-options', 'nosniff')
  await answered
}

function queryOf({ url }: FastifyRequest, path: string): string {
  const start = url.indexOf('?')
  const query = start === -1 ? '' : url.slice(start)
  if (path !== '/auth' || new URLSearchParams(query).has('scope')) return query
  return `${query || '?'}&scope=${encodeURIComponent(default_scope)}`
}

/** A person's refusal, or a silent request that needs interaction, is no attack. */
const harmless = new Set(['access_denied', 'login_required', 'consent_required', 'interaction_required'])

interface OauthError {
  readonly error?: string
  readonly error_description?: string
  readonly error_detail?: string
}

export function watchProvider(provider: Provider, context: LoginContext): void {
  const decided = new WeakMap<object, { user_id: string | undefined; decision: Decision }[]>()
  const note = ({ req }: KoaContextWithOIDC, user_id: string | undefined, decision: Decision) => {
    decided.set(req, [...(decided.get(req) ?? []), { user_id, decision }])
  }
  const noteRefusal = (ctx: KoaContextWithOIDC, thrown: unknown) => {
    const { error = 'refused', error_description, error_detail } = thrown as OauthError
    const event_type = harmless.has(error) ? 'AuthorizationCheck' : 'SecurityViolation'
    const meta = {
      gate: 'oauth',
      code: error,
      reason: (error_detail ?? error_description ?? error).slice(0, 200),
      client_id: ctx.oidc?.client?.clientId,
    }
    note(ctx, undefined, { event_type, outcome: 'refused', meta })
  }
  provider.on('grant.success', (ctx) => {
    if (ctx.oidc.client?.clientId === workload_client) return
    const { AccessToken: token } = ctx.oidc.entities
    const meta = { gate: 'oauth', client_id: token?.clientId, scope: token?.scope, token_id: token?.jti }
    note(ctx, token?.accountId, { event_type: 'CapabilityGrant', outcome: 'success', meta })
  })
  // An exchange records its own decisions.
  provider.on('grant.error', (ctx, thrown) => {
    if (ctx.oidc?.client?.clientId !== workload_client) noteRefusal(ctx, thrown)
  })
  provider.on('authorization.error', noteRefusal)
  const { log } = context.dispatch_endpoint
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the OAuth server failed'))
  // Koa prints errors without a listener.
  const koa: EventEmitter = provider
  koa.on('error', (error) => log.error({ err: error }, 'the OAuth server failed'))
  provider.use(async (ctx, next) => {
    await next()
    for (const { user_id, decision } of decided.get(ctx.req) ?? []) {
      const person = user_id === undefined ? undefined : await context.accounts.findUser(user_id)
      await recordDecision(
        context.dispatch_endpoint,
        person,
        decision,
        addressOf(ctx.req, context.settings.proxy_hops),
      )
    }
  })
}
