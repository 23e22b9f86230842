// GET and DELETE /v1/session: what our pages ask about the signed-in person.
import type { FastifyInstance } from 'fastify'
import { requireCsrf } from '../dispatch/authenticate.ts'
import { runsEngine } from '../route-gate.ts'
import type { LoginContext } from './login-context.ts'
import { notSignedIn, signOut } from './sign-in.ts'

export function addSessionRoutes(app: FastifyInstance, context: LoginContext): void {
  app.get('/v1/session', async (request, reply) => {
    const { cookie } = request.headers
    // A page asks this before anybody has signed in: it tried nothing, so nothing is refused.
    if (!cookie?.includes(`${context.site.cookieName('svc_session')}=`))
      return reply.header('cache-control', 'no-store').code(204).send()
    const signed_in = await context.logins.fromCookie(cookie)
    if (!signed_in?.session) throw notSignedIn()
    const { user, session, csrf_token } = signed_in
    const { user_id, login, name, tenant_id, did } = user
    reply.header('cache-control', 'no-store')
    const expires_at = new Date(session.expires_at_ms).toISOString()
    // So that a page of the operator's is not offered to others, and nobody is refused for opening it.
    const runs_engine = runsEngine(context.dispatch_endpoint, tenant_id)
    return { user: { user_id, login, name }, tenant_id, did, csrf_token, expires_at, runs_engine }
  })
  app.delete('/v1/session', async (request, reply) => {
    const signed_in = await context.logins.fromCookie(request.headers.cookie)
    if (!signed_in) throw notSignedIn()
    requireCsrf(signed_in, request.headers['x-svc-csrf'])
    await signOut(context, request, reply, false)
    return reply.code(204).send()
  })
}
