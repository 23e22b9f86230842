// Signing in and out on our own page. A sign-in is a session cookie; everything else follows from it.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './address.ts'
import { cookieText } from './cookies.ts'
import type { LoginContext } from './login-context.ts'
import { html_headers, messagePage, type SignInForm, signInPage, signOutPage } from './pages.ts'
import type { Person } from './ports.ts'
import { recordDecision } from './records.ts'

const session_s = 12 * 3_600
/** Relative to the sign-in page, which may be behind a console under any prefix. */
const signed_in_page = './sign-out'

export function addSignInRoutes(app: FastifyInstance, context: LoginContext): void {
  const { logins, forms } = context
  app.get<{ Querystring: { return_to?: string } }>('/oauth/sign-in', async (request, reply) => {
    const return_to = safePath(request.query.return_to, context)
    if (await logins.fromCookie(request.headers.cookie)) return reply.redirect(return_to, 303)
    return showSignIn(context, request, reply, { action: signInAddress(return_to) })
  })
  app.post<{ Querystring: { return_to?: string } }>('/oauth/sign-in', async (request, reply) => {
    const return_to = safePath(request.query.return_to, context)
    const fields = forms.read(request, 'sign-in')
    const result = await trySignIn(context, request, reply, fields)
    if (result.user) return reply.redirect(return_to, 303)
    const { alert } = result
    return showSignIn(context, request, reply, {
      action: signInAddress(return_to),
      login: fields.get('login'),
      alert,
    })
  })
  app.get('/oauth/sign-out', async (request, reply) => {
    const signed_in = await logins.fromCookie(request.headers.cookie)
    if (!signed_in) return reply.redirect('./sign-in', 303)
    return reply
      .headers(html_headers)
      .send(signOutPage(forms.token(request, reply, 'sign-out'), signed_in.user))
  })
  app.post('/oauth/sign-out', async (request, reply) => {
    const everywhere = forms.read(request, 'sign-out').get('answer') === 'everywhere'
    await signOut(context, request, reply, everywhere)
    const sentence = everywhere
      ? 'You are signed out everywhere, and no app acts for you any more. API keys go on until you revoke them.'
      : 'You are signed out in this browser. Apps you let in go on until you end them.'
    return reply.headers(html_headers).send(messagePage('Signed out', sentence))
  })
}

export function showSignIn(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Omit<SignInForm, 'form_token' | 'upstream'>,
): FastifyReply {
  const form_token = context.forms.token(request, reply, 'sign-in')
  const upstream = context.upstream && {
    host: context.upstream.host,
    href: `${form.action.startsWith('/') ? '/oauth/' : ''}upstream/start?return_to=${encodeURIComponent(returnPath(form.action))}`,
  }
  reply.code(form.alert === undefined ? 200 : 401).headers(html_headers)
  return reply.send(signInPage({ ...form, form_token, upstream }))
}

/** After an upstream sign-in the person returns to where this form would have led. */
function returnPath(action: string): string {
  const { pathname, searchParams } = new URL(action, 'http://localhost')
  return searchParams.get('return_to') ?? pathname
}

function signInAddress(return_to: string): string {
  return `sign-in?return_to=${encodeURIComponent(return_to)}`
}

/** Only a path of this site: otherwise the page would be an open redirector. */
export function safePath(
  username: string | undefined,
  { site }: LoginContext,
  otherwise = signed_in_page,
): string {
  if (typeof username !== 'string' || !/^\/[\x21-\x7e]*$/.test(username)) return otherwise
  const url = URL.parse(username, site.public_url)
  const is_ours = url?.origin === new URL(site.public_url).origin
  // Without its dots a path may begin with two slashes, which would lead to another host.
  return is_ours && !url.pathname.startsWith('//') ? url.pathname + url.search : otherwise
}

type Tried =
  | { readonly user: Person; readonly alert?: undefined }
  | { readonly user?: undefined; readonly alert: string }

/** The same message and the same work for an unknown login and a wrong password. */
export async function trySignIn(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  fields: ReadonlyMap<string, string>,
): Promise<Tried> {
  const address = addressOf(request, context.settings.proxy_hops)
  const tried = await context.accounts.signIn(
    fields.get('login') ?? '',
    fields.get('password') ?? '',
    address,
  )
  if (tried.outcome === 'in') {
    await startSession(context, request, reply, tried.user, 'password')
    return { user: tried.user }
  }
  const waits = tried.outcome === 'wait'
  const reason = waits ? 'too many failed sign-ins' : 'wrong login or password'
  const meta = { gate: 'sign-in', code: 'unauthenticated', reason, address }
  const decision = { event_type: 'SecurityViolation', outcome: 'refused', meta } as const
  await recordDecision(context.dispatch_endpoint, tried.user, decision, address)
  if (!waits) return { alert: 'That login and password do not fit together. Try again.' }
  const seconds = Math.ceil(tried.wait_ms / 1000)
  reply.header('retry-after', String(seconds))
  return { alert: `There were too many failed sign-ins. Wait ${seconds} s, then try again.` }
}

/** A new session each time: an earlier one ends, whoever brought it. */
export async function startSession(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  user: Person,
  method: 'password' | 'upstream' | 'invitation',
): Promise<void> {
  const { cookie } = request.headers
  const before = await context.logins.fromCookie(cookie)
  if (before) await context.logins.signOut(cookie, before)
  const { token, session_id } = await context.accounts.startSession(user)
  const meta = { gate: 'sign-in', method, session_id }
  await recordDecision(context.dispatch_endpoint, user, {
    event_type: 'AuthorizationCheck',
    outcome: 'success',
    meta,
  })
  reply.header('set-cookie', cookieText(context.site, 'svc_session', token, session_s))
}

export async function signOut(
  context: LoginContext,
  request: FastifyRequest,
  reply: FastifyReply,
  everywhere: boolean,
): Promise<void> {
  const { cookie } = request.headers
  const signed_in = await context.logins.fromCookie(cookie)
  if (!signed_in) throw notSignedIn()
  await context.logins.signOut(cookie, signed_in)
  if (everywhere) await context.accounts.endEverything(signed_in.user.user_id)
  const meta = { gate: 'sign-out', everywhere, session_id: signed_in.session?.session_id }
  await recordDecision(context.dispatch_endpoint, signed_in.user, {
    event_type: 'AuthorizationCheck',
    outcome: 'success',
    meta,
  })
  reply.header('set-cookie', cookieText(context.site, 'svc_session', '', 0))
}

export function notSignedIn(): Refusal {
  return refuse('unauthenticated', 'Nobody is signed in here; sign in at /oauth/sign-in.', {
    reason: 'no session',
  })
}
