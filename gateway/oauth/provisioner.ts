// API keys for signed-in people: bound to their DID, never more than they hold, shown exactly once.
import { attenuate } from '@svc/contract/authority/attenuation'
import { type AgentCapability, isOwn } from '@svc/contract/authority/capability'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { CapabilityName, Closed, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import { isExpired } from '@svc/engine/grant-caveats'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { bound, requireCsrf, requireScope } from '../dispatch/authenticate.ts'
import { recordRefusedRequest } from '../dispatch/refusal-recorder.ts'
import { heldBy } from '../route-gate.ts'
import type { LoginContext } from './login-context.ts'
import type { SignedIn } from './logins.ts'
import { type Decision, recordDecision } from './records.ts'

const keys_scope = 'svc.keys'
const page_max = 100

const NewKeyBody = Closed({
  label: Type.Optional(Text(100)),
  expires_at: Type.Optional(Timestamp),
  capabilities: Type.Optional(ListOf(CapabilityName, 0, 64)),
})
const body_check = Compile(NewKeyBody)

export function addKeyRoutes(app: FastifyInstance, context: LoginContext): void {
  app.post('/v1/keys', async (request, reply) =>
    asPerson(context, request, async ({ user, credential }) => {
      const body = readBody(request.body, context.dispatch_endpoint.clock.now_ms())
      const capabilities = await grantable(context, credential, body)
      const { tenant_id, did } = user
      const mode = context.site.secure ? 'live' : 'test'
      const new_key = { tenant_id, did, mode, ...body, capabilities } as const
      const issued = await context.accounts.issueKey(new_key, user.user_id)
      const names = capabilities.map(({ name }) => name)
      const { key_id } = issued
      const meta = { gate: 'api key issued', key_id, by: credential.key_id, capabilities: names }
      await recordSuccess(context, user, 'CapabilityGrant', meta)
      reply.code(201).header('cache-control', 'no-store')
      return {
        ...issued,
        did,
        tenant_id,
        label: body.label ?? null,
        expires_at: body.expires_at ?? null,
        capabilities,
      }
    }),
  )
  app.get<{ Querystring: { limit?: string; before?: string } }>('/v1/keys', async (request, reply) =>
    asPerson(context, request, async ({ user, credential }) => {
      const { limit, before } = readPage(request.query)
      const page = await context.accounts.listKeys(user.tenant_id, user.did, limit, before)
      const meta = { gate: 'api keys listed', by: credential.key_id }
      await recordSuccess(context, user, 'AuthorizationCheck', meta)
      reply.header('cache-control', 'no-store')
      return page
    }),
  )
  app.delete<{ Params: { id: string } }>('/v1/keys/:id', async (request, reply) =>
    asPerson(context, request, async ({ user, credential }) => {
      const key_id = request.params.id
      if (!(await context.accounts.revokeKey(credential, key_id))) throw noSuchKey()
      context.dispatch_endpoint.keys.forget?.(key_id)
      const meta = { gate: 'api key revoked', key_id, by: credential.key_id }
      await recordSuccess(context, user, 'AuthorizationCheck', meta)
      return reply.code(204).send()
    }),
  )
}

function recordSuccess(
  context: LoginContext,
  user: SignedIn['user'],
  event_type: Decision['event_type'],
  meta: Decision['meta'],
): Promise<void> {
  return recordDecision(context.dispatch_endpoint, user, { event_type, outcome: 'success', meta })
}

/** Records a refusal as the dispatch endpoint does, in the audit log of the caller's tenant. */
async function asPerson<Answer>(
  context: LoginContext,
  request: FastifyRequest,
  work: (signed_in: SignedIn) => Promise<Answer>,
): Promise<Answer> {
  let signed_in: SignedIn | undefined
  try {
    signed_in = await whoAsks(context, request)
    await context.dispatch_endpoint.audit_log.ready(signed_in.credential.tenant_id)
    return await work(signed_in)
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    recordRefusedRequest(context.dispatch_endpoint, refusal, request.raw, signed_in?.credential)
    throw refusal
  }
}

async function whoAsks({ logins }: LoginContext, request: FastifyRequest): Promise<SignedIn> {
  const { authorization, cookie, 'x-agent-did': claimed, 'x-svc-csrf': csrf } = request.headers
  const claimed_did = typeof claimed === 'string' ? claimed : undefined
  if (authorization === undefined) {
    const signed_in = await logins.fromCookie(cookie)
    if (!signed_in) throw signInFirst('no credential')
    if (request.method !== 'GET') requireCsrf(signed_in, csrf)
    return bound(signed_in, claimed_did)
  }
  const token = /^bearer (eyJ.+)$/i.exec(authorization)?.[1]
  if (token === undefined) throw signInFirst('not an access token')
  return requireScope(keys_scope, bound(await logins.fromToken(token), claimed_did))
}

function signInFirst(reason: string): Refusal {
  const sentence = 'Keys are made by people: send an access token or a session, never an API key.'
  return refuse('unauthenticated', sentence, { reason })
}

function readBody(body: unknown, now_ms: number): Static<typeof NewKeyBody> {
  const new_key = body ?? {}
  if (!body_check.Check(new_key)) {
    const faults = [...body_check.Errors(new_key)].map(({ instancePath, message }) => ({
      pointer: instancePath,
      message,
    }))
    throw invalid('schema', 'A key may be asked for with label, expires_at and capabilities.', faults)
  }
  if (new_key.expires_at !== undefined && !(Date.parse(new_key.expires_at) > now_ms)) {
    const faults = [{ pointer: '/expires_at', message: 'must be in the future' }]
    throw invalid('expires_at', 'A key must end in the future; send a later expires_at.', faults)
  }
  return new_key
}

function readPage({ limit = '50', before }: { limit?: string; before?: string }) {
  const size = Number(limit)
  if (
    Number.isInteger(size) &&
    size >= 1 &&
    size <= page_max &&
    (before === undefined || /^\d{1,15}\.[a-z0-9]{8}$/.test(before))
  )
    return { limit: size, before }
  throw invalid('page', `Ask for limit 1 to ${page_max}, and before as the last page's next.`, [])
}

/** No amplification: each capability is narrowed to the person's own. In a key, a delegated one would outlive its revocation. */
async function grantable(
  { authorities, dispatch_endpoint }: LoginContext,
  credential: Credential,
  { capabilities = [], expires_at }: Static<typeof NewKeyBody>,
): Promise<AgentCapability[]> {
  if (capabilities.length === 0) return []
  const effective = await heldBy(authorities, credential)
  const own = effective.held.filter(
    (grant) => isOwn(grant) && !isExpired(grant, dispatch_endpoint.clock.now_ms()),
  )
  return capabilities.map((name) => {
    const requested = { name, caveats: [], ...(expires_at === undefined ? {} : { expires_at }) }
    const delegated = attenuate(requested, own)
    if (delegated) return delegated.capability
    if (effective.unknown) throw unavailable(effective.unknown)
    throw refuse('capability_denied', `You do not hold ${name} yourself, so no key of yours can carry it.`, {
      requested_capability: name,
      reason: 'no amplification',
    })
  })
}

function invalid(reason: string, sentence: string, faults: { pointer: string; message: string }[]): Refusal {
  return refuse('invalid_payload', sentence, { reason, faults })
}

/** Also the answer for another person's key, so that the two look the same. */
function noSuchKey(): Refusal {
  return refuse('not_found', 'You have no such live key; GET /v1/keys lists yours.', {
    reason: 'no such key',
  })
}
