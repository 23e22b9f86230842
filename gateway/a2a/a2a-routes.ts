// Agent cards and the A2A endpoint of each registered agent. An agent that the caller may not see and one that does not exist look alike.
import { createHash } from 'node:crypto'
import { parseDid } from '@svc/contract/identity/did'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { boundAtOnce } from '../at-once.ts'
import { readHeaders, suppliedCorrelationId } from '../dispatch/headers.ts'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import { concerning } from '../dispatch/refused-holder.ts'
import type { Site } from '../oauth/site.ts'
import { type A2aEndpoint, callerOf, identifyCaller, openA2a } from './a2a-endpoint.ts'
import { type AgentEntry, type CardSite, cardOf, type PublicAgents } from './card.ts'
import { type CallEngine, engineFor } from './engine-call.ts'
import { engineRefusal, RpcError } from './rpc-error.ts'
import { openStreams } from './streams.ts'
import type { Called, Wire } from './wire.ts'

const at_once_max = 32
const busy = 'Too many requests for agent cards at once; ask again in a second.\n'
const fresh_s = 60

interface AgentParams {
  readonly agent: string
}
type AgentRequest = FastifyRequest<{ Params: AgentParams }>

export function addA2aRoutes(app: FastifyInstance, dispatch_endpoint: DispatchEndpoint, site: Site): void {
  const { public_agents } = dispatch_endpoint
  if (!public_agents) return
  const endpoint: DispatchEndpoint = { ...dispatch_endpoint, origin: 'a2a' }
  const cardSite = (): CardSite => ({
    public_url: site.public_url,
    issuer: dispatch_endpoint.logins ? site.issuer : undefined,
  })
  const a2a: A2aEndpoint = {
    dispatch_endpoint: endpoint,
    streams: openStreams(),
    async cardFor({ agent_did, call, wire }) {
      const entry = entryIn(await findVisible(call, agent_did))
      if (!entry) throw new RpcError('invalid_params', noAgent().message)
      return cardOf(entry, cardSite(), wire.version)
    },
  }
  const serve = (request: AgentRequest, reply: FastifyReply) => {
    reply.hijack()
    void openA2a(a2a, request.params.agent, request.raw, reply.raw)
  }
  // Taken over before Fastify reads the body: its limits are for other routes.
  for (const path of ['/a2a/:agent', '/a2a/:agent/'])
    app.post<{ Params: AgentParams }>(path, { onRequest: serve, handler: () => undefined })
  void app.register(async (scope) => {
    boundAtOnce(scope, at_once_max, busy)
    scope.get<{ Params: AgentParams }>('/a2a/:agent/.well-known/agent-card.json', async (request, reply) => {
      const { entry, is_public } = await requireAgent(endpoint, public_agents, request, reply)
      return sendCard(reply, request, cardOf(entry, cardSite(), cardVersion(request)), {
        is_public,
        registered_at: entry.registered_at,
      })
    })
  })
}

/** Unlike calls, a card without a version is of 1.0: its clients need not say so yet. Those of 0.3 ask for theirs in the address. */
function cardVersion({ headers, query }: AgentRequest): Wire['version'] {
  const version = headers['a2a-version'] ?? (query as { 'A2A-Version'?: unknown })['A2A-Version']
  return typeof version === 'string' && version.startsWith('0.3') ? '0.3' : '1.0'
}

interface Visible {
  readonly entry: AgentEntry
  readonly is_public: boolean
}

async function requireAgent(
  endpoint: DispatchEndpoint,
  public_agents: PublicAgents,
  request: AgentRequest,
  reply: FastifyReply,
): Promise<Visible> {
  const { agent } = request.params
  const is_did = parseDid(agent) !== undefined
  if (request.headers.authorization === undefined) {
    const entry = is_did ? await public_agents.find(agent) : undefined
    if (!entry) throw noAgent()
    return { entry, is_public: true }
  }
  const headers = readHeaders(request.raw.rawHeaders)
  const credential = await identifyCaller(endpoint, headers, request.raw)
  if (credential.proof_key !== undefined) await endpoint.proofs?.redeem(headers)
  const correlation_id = suppliedCorrelationId(headers['x-correlation-id']) ?? endpoint.clock.uuid()
  reply.header('x-correlation-id', correlation_id)
  const caller = callerOf(endpoint, { credential, correlation_id, headers }, request.raw, reply.raw)
  const called = await findVisible(engineFor(endpoint, caller), agent)
  if (!called.ok && called.error.code !== 'invalid_payload') throw asRouteRefusal(called)
  const entry = called.ok ? entryIn(called) : undefined
  if (!entry) throw concerning(credential, noAgent())
  return { entry, is_public: false }
}

/** Judged, metered and recorded like any look into the registry. */
function findVisible(call: CallEngine, subject: string): Promise<Called> {
  return call({ protocol: 'MARS', operation: 'query_registry', input: { subject, kind: 'agent', limit: 1 } })
}

function entryIn(called: Called): AgentEntry | undefined {
  if (!called.ok)
    throw engineRefusal(called.error, called.status, { is_about_task: false, ended: 'unsupported_operation' })
  const [found_entry] = called.output.entries as readonly (Omit<AgentEntry, 'content'> & {
    readonly body: Pick<AgentEntry, 'content'>
  })[]
  return found_entry && { ...found_entry, content: found_entry.body.content }
}

/** It is in the log already; the answer says the same. */
function asRouteRefusal({ error }: Extract<Called, { ok: false }>): Refusal {
  const { code, message, reason, retry_after_ms } = error
  return refuse(code as Parameters<typeof refuse>[0], message, {
    ...(reason !== null && { reason }),
    ...(retry_after_ms !== null && { retry_after_ms }),
  })
}

function noAgent(): Refusal {
  return refuse(
    'not_found',
    'There is no such agent, or you may not see it; check its DID, and send a key of an organization that may.',
    { reason: 'no such agent' },
  )
}

function sendCard(
  reply: FastifyReply,
  request: AgentRequest,
  card: unknown,
  { is_public, registered_at }: { readonly is_public: boolean; readonly registered_at: string },
): FastifyReply {
  const text = JSON.stringify(card)
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  void reply
    .header('etag', etag)
    .header('last-modified', new Date(registered_at).toUTCString())
    .header('cache-control', `${is_public ? 'public' : 'private'}, max-age=${fresh_s}`)
    .header('vary', 'a2a-version, authorization')
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('application/json').send(text)
}
