// Token exchange (RFC 8693) at the token endpoint: a session of an agent, bound to a key that the workload made for itself.
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { CustomOIDCProviderError } from 'oidc-provider/lib/helpers/errors.js'
import { addressOf } from './address.ts'
import type { LoginContext } from './login-context.ts'
import { recordDecision } from './records.ts'
import { type VerifiedWorkload, verifyWorkload } from './workload-token.ts'

export const exchange_grant = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const exchange_parameters = [
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'agent_did',
]
/** The public client of every workload: it has no secret, and the token says who it is. */
export const workload_client = 'svc-workload'

const session_ms_max = 15 * 60_000
const token_types = new Set([
  'urn:ietf:params:oauth:token-type:jwt',
  'urn:ietf:params:oauth:token-type:id_token',
])
const access_token_type = 'urn:ietf:params:oauth:token-type:access_token'

export function exchangeHandler(context: LoginContext): (ctx: KoaContextWithOIDC) => Promise<void> {
  return async (ctx) => {
    let workload: VerifiedWorkload | undefined
    try {
      const { token, agent_did, public_key } = readExchange(ctx, context)
      const { clock } = context.dispatch_endpoint
      workload = await verifyWorkload(token, agent_did, context.workloads, clock.now_ms())
      await requireActive(workload.mapping, context)
      const expires_ms = Math.min(workload.expires_ms, clock.now_ms() + session_ms_max)
      const issued = await context.workloads.startSession(workload.mapping, public_key, new Date(expires_ms))
      await record(context, ctx, workload, { key_id: issued.key_id })
      ctx.body = {
        access_token: issued.token,
        issued_token_type: access_token_type,
        token_type: 'DPoP',
        expires_in: Math.floor((expires_ms - clock.now_ms()) / 1000),
        agent_did: workload.mapping.did,
      }
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      await record(context, ctx, workload, undefined, refusal)
      if (refusal.code === 'internal') throw thrown
      const error = refusal.code === 'unavailable' ? 'temporarily_unavailable' : 'invalid_grant'
      throw new CustomOIDCProviderError(error, refusal.message)
    }
  }
}

function readExchange(ctx: KoaContextWithOIDC, { dispatch_endpoint }: LoginContext) {
  const { subject_token, subject_token_type, agent_did } = ctx.oidc.params ?? {}
  if (typeof subject_token !== 'string' || !token_types.has(String(subject_token_type)))
    throw refuse('invalid_request', 'Send subject_token, and its subject_token_type: a JSON Web Token.', {
      reason: 'token exchange',
    })
  const dpop = ctx.req.headers.dpop
  const headers = typeof dpop === 'string' ? { dpop } : {}
  const public_key = dispatch_endpoint.proofs!.signerOf({ headers, method: 'POST', path: '/oauth/token' })
  return {
    token: subject_token,
    agent_did: typeof agent_did === 'string' ? agent_did : undefined,
    public_key,
  }
}

async function requireActive(
  { tenant_id, did }: VerifiedWorkload['mapping'],
  { authorities, accounts }: LoginContext,
): Promise<void> {
  if (await accounts.hasLeft(tenant_id, did))
    throw refuse(
      'unauthenticated',
      'The person of this workload has no account here any more; name another agent.',
      {
        reason: 'account disabled',
      },
    )
  const resolution = await authorities.identity.resolve(did)
  if (resolution.outcome === 'Unavailable') throw unavailable('identity', resolution.reason)
  if (resolution.outcome !== 'Failed' && !resolution.identity.revoked) return
  throw refuse('unauthenticated', 'The agent of this workload is revoked or has no identity document.', {
    reason: 'identity revoked',
  })
}

/** In the log of the agent's organization, where the token was good; refusals of others are counted by address. */
async function record(
  { dispatch_endpoint, settings }: LoginContext,
  { req }: KoaContextWithOIDC,
  workload: VerifiedWorkload | undefined,
  meta: Record<string, unknown> | undefined,
  refusal?: Refusal,
): Promise<void> {
  const { workload_id, issuer } = workload?.mapping ?? {}
  await recordDecision(
    dispatch_endpoint,
    workload?.mapping,
    {
      event_type: refusal ? refusal.row.event : 'IdentityVerified',
      outcome: refusal ? 'refused' : 'success',
      meta: {
        gate: 'token exchange',
        ...(refusal ? { code: refusal.code, reason: refusal.details.reason } : {}),
        ...(workload ? { workload_id, issuer, supplied: { subject: workload.subject } } : {}),
        ...meta,
      },
    },
    addressOf(req, settings.proxy_hops),
  )
}
