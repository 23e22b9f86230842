// The page of an invitation: whoever has the link chooses a login and password, or signs in with the upstream issuer.
import { Refusal, refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './address.ts'
import type { LoginContext, Upstream } from './login-context.ts'
import { html_headers, invitationPage, leavingPage } from './pages.ts'
import type { Invitation } from './ports.ts'
import { startSession } from './sign-in.ts'
import { begin } from './upstream.ts'

const purpose = 'invitation'

interface Opened {
  Querystring: { token?: string }
}

export function addInvitationRoutes(app: FastifyInstance, context: LoginContext): void {
  app.get<Opened>('/oauth/invitation', async (request, reply) => {
    const token = String(request.query.token ?? '')
    return show(context, request, reply, token, await openInvitation(context, request, token))
  })
  app.post<Opened>('/oauth/invitation', async (request, reply) => {
    const token = String(request.query.token ?? '')
    const fields = context.forms.read(request, purpose)
    const invitation = await openInvitation(context, request, token)
    if (context.upstream && fields.get('answer') === 'upstream')
      return goUpstream(context, context.upstream, reply, token)
    const [login, password] = [fields.get('login') ?? '', fields.get('password') ?? '']
    try {
      const user = await context.accounts.acceptInvitation(token, { login, password })
      if (!user) throw over()
      await startSession(context, request, reply, user, 'invitation')
      return reply.redirect('./sign-out', 303)
    } catch (error) {
      // A login that is taken or a short password: the person chooses again, and the link is still good.
      if (!(error instanceof Refusal) || error.code !== 'invalid_payload') throw error
      return show(context, request, reply, token, invitation, { login, alert: error.message })
    }
  })
}

/** By a page, because browsers let a form lead only where the policy of its page allows, and an issuer may send on. */
async function goUpstream(
  context: LoginContext,
  upstream: Upstream,
  reply: FastifyReply,
  invitation: string,
): Promise<FastifyReply> {
  const href = await begin(context, upstream, reply, { return_to: '/oauth/sign-out', invitation })
  return reply.headers(html_headers).send(leavingPage({ host: upstream.host, href }))
}

/** Throttled like sign-ins, by address; one answer for what is unknown, used, withdrawn or over. */
async function openInvitation(
  { accounts, settings }: LoginContext,
  request: FastifyRequest,
  token: string,
): Promise<Invitation> {
  const address = addressOf(request, settings.proxy_hops)
  const { wait_ms, invitation } = await accounts.openInvitation(token, address)
  if (wait_ms > 0)
    throw refuse(
      'unauthenticated',
      `Too many invitations were opened from your address. Wait ${Math.ceil(wait_ms / 1000)} s, then try again.`,
      { reason: 'too many invitations opened', retry_after_ms: wait_ms },
    )
  if (!invitation) throw over()
  return invitation
}

function show(
  { forms, upstream }: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  invitation: Invitation,
  again: { readonly login?: string; readonly alert?: string } = {},
): FastifyReply {
  const form_token = forms.token(request, reply, purpose)
  const query = encodeURIComponent(token)
  reply.code(again.alert === undefined ? 200 : 400).headers(html_headers)
  return reply.send(
    invitationPage({
      action: `invitation?token=${query}`,
      form_token,
      invitation,
      upstream_host: upstream?.host,
      ...again,
    }),
  )
}

function over(): Refusal {
  return refuse(
    'unauthenticated',
    'This invitation is not good any more: it was used, withdrawn or is too old. Ask for a new one.',
    { reason: 'invitation over' },
  )
}
