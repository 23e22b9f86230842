// Revocation (RFC 7009) of both kinds of token: either ends the whole sign-in.
import type { FastifyInstance } from 'fastify'
import { addressOf } from './address.ts'
import type { LoginContext } from './login-context.ts'
import { recordDecision } from './records.ts'

const token_start = 'eyJ'

export function addRevocationRoute(app: FastifyInstance, context: LoginContext): void {
  app.post('/oauth/revoke', async (request, reply) => {
    context.throttle.take(addressOf(request, context.settings.proxy_hops))
    const fields = request.body as Map<string, string> | undefined
    const [token, client_id] = [fields?.get('token'), fields?.get('client_id')]
    reply.header('cache-control', 'no-store')
    if (!token || !client_id) {
      const error_description = 'token and client_id are needed, as a form'
      return reply.code(400).send({ error: 'invalid_request', error_description })
    }
    const grant = await grantOf(context, token)
    // Another person's token and an unknown one get the same answer, so nothing can be learned.
    if (grant?.client_id === client_id) {
      const person = await context.accounts.grantor(grant.grant_hash)
      await context.accounts.payloads.revokeGrant(grant.grant_hash)
      const meta = { gate: 'oauth revoked', client_id }
      await recordDecision(context.dispatch_endpoint, person, {
        event_type: 'AuthorizationCheck',
        outcome: 'success',
        meta,
      })
    }
    return reply.code(200).send()
  })
}

async function grantOf(
  { logins, accounts, provider }: LoginContext,
  token: string,
): Promise<{ client_id: string; grant_hash: string } | undefined> {
  if (token.startsWith(token_start)) {
    const claims = await logins.claimsOf(token).catch(() => undefined)
    return claims && { client_id: claims.client_id, grant_hash: claims.gid }
  }
  const { RefreshToken } = await provider()
  const refresh_token = await RefreshToken.find(token, { ignoreExpiration: true })
  if (!refresh_token?.clientId || !refresh_token.grantId) return undefined
  return { client_id: refresh_token.clientId, grant_hash: accounts.payloads.grantHash(refresh_token.grantId) }
}
