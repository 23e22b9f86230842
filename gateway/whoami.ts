// GET /v1/whoami: the caller's identity, and what it may call. Clients ask before they offer anything.
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { Whoami } from '@svc/contract/identity/whoami'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import type { Permissions } from '@svc/engine/permissions'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { acceptContext, lookUp } from './dispatch/accept-context.ts'
import { checkAgain } from './dispatch/check-again.ts'
import { identify } from './dispatch/dispatch-endpoint.ts'
import { readHeaders } from './dispatch/headers.ts'
import { type DispatchEndpoint, recordRefusedRequest } from './dispatch/refusal-recorder.ts'
import { requireBody } from './dispatch/signed-context.ts'

const no_body = new Uint8Array()

/** `mcpUrl` is read late: the MCP address is known only once it listens. */
export function addWhoamiRoute(
  app: FastifyInstance,
  dispatch_endpoint: DispatchEndpoint,
  mcpUrl: () => string | undefined,
): void {
  app.get('/v1/whoami', async (request, reply) => {
    const { credential, identity } = await callerOf(dispatch_endpoint, request)
    reply.header('cache-control', 'no-store')
    const permissions = await dispatch_endpoint.engine.permissions(credential, identity)
    return describeCaller(credential, permissions, mcpUrl())
  })
}

export interface Caller {
  readonly credential: Credential
  readonly identity?: ResolvedAgentIdentity | undefined
  /** Checks again that the credential is valid; throws where it is not. */
  again(): Credential | Promise<Credential>
}

/** With the same credentials as a dispatch, through a gateway or not; a refusal is recorded as there. */
export async function callerOf(
  dispatch_endpoint: DispatchEndpoint,
  request: FastifyRequest,
): Promise<Caller> {
  try {
    const headers = readHeaders(request.raw.rawHeaders)
    const context = headers['x-svc-context']
    if (context === undefined) {
      const presented = { headers, method: request.method, path: request.url, request: request.raw }
      const credential = await identify(dispatch_endpoint, presented, false)
      return { credential, again: () => checkAgain(dispatch_endpoint, credential, presented) }
    }
    const { claims, credential, identity } = await acceptContext(context, headers, dispatch_endpoint)
    requireBody(claims, no_body)
    return { credential, identity, again: () => lookUp(claims, dispatch_endpoint) }
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    recordRefusedRequest(dispatch_endpoint, refusal, request.raw)
    throw refusal
  }
}

/** Also used for the tool list of the MCP surface. */
export function describeCaller(
  credential: Credential,
  { identity, operations }: Permissions,
  mcp_url: string | undefined,
): Whoami {
  const { did, tenant_id, tier } = credential
  const { entity_kind, name, conformance_level, lineage_verified, lineage_depth, revoked } = identity
  const { creator_did, human_root_did } = identity
  return {
    agent_did: did,
    tenant_id,
    tier,
    credential: kindOf(credential),
    mcp_url: mcp_url ?? null,
    identity: {
      entity_kind,
      ...(name === undefined ? {} : { name }),
      conformance_level,
      lineage_verified,
      lineage_depth,
      ...(creator_did === undefined ? {} : { creator_did }),
      ...(human_root_did === undefined ? {} : { human_root_did }),
      revoked,
    },
    operations: [...operations],
  }
}

function kindOf({ key_id, proof_key }: Credential): string {
  if (proof_key !== undefined) return 'own_key'
  return key_id.includes(':') ? key_id.slice(0, key_id.indexOf(':')) : 'api_key'
}
