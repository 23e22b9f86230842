// Stage 2: what travels with the call: correlation id, tenant, time, trace, and metadata seeded with the caller's DID.
import type { Enriched, Versioned } from '../call.ts'

export function enrichContext(call: Versioned): Enriched {
  call.stage = 2
  const { asked } = call
  return Object.assign(call, {
    context: {
      correlation_id: call.correlation_id,
      tenant_id: asked.request.tenant_id,
      agent_did: asked.credential.did,
      resolved_identity: call.caller,
      trace_context: asked.trace_context,
      timestamp: call.timestamp,
      metadata: {
        ...asked.request.invoke_context?.metadata,
        caller_did: asked.credential.did,
        origin: asked.origin,
      },
    },
  })
}
