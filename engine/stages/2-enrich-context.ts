// Stage 2: the context of the call: correlation id, tenant, time, trace, and metadata seeded with the caller's DID.
import type { Enriched, Versioned } from '../call.ts'

export function enrichContext(call: Versioned): Enriched {
  call.stage = 2
  const { asked } = call
  // A plugin is configured by its loader, never by callers; capabilities and depth are set by the engine.
  const {
    plugin_config: _,
    held: __,
    depth: ___,
    ceilings: ____,
    workflow,
    ...metadata
  } = asked.request.invoke_context?.metadata ?? {}
  return Object.assign(call, {
    context: {
      correlation_id: call.correlation_id,
      tenant_id: asked.request.tenant_id,
      agent_did: asked.credential.did,
      resolved_identity: call.caller,
      trace_context: call.trace?.context ?? asked.trace_context,
      timestamp: asked.gateway?.timestamp ?? call.timestamp,
      metadata: {
        ...metadata,
        // Only the engine itself knows the run of which a call is a step.
        ...(workflow !== undefined && asked.origin === 'internal' && { workflow }),
        caller_did: asked.credential.did,
        origin: asked.origin,
        // Also over the wire, or two engines could call each other endlessly, and a plugin could exceed its limits elsewhere.
        ...(asked.within && { depth: asked.within.depth }),
        ...(asked.within?.ceilings && { ceilings: asked.within.ceilings }),
      },
    },
  })
}
