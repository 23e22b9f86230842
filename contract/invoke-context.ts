// The context of a call from the gateway to the module, and to external services.
import { type Static, Type } from 'typebox'
import { ResolvedAgentIdentity, unresolved } from './identity/identity.ts'
import { AnyObject, Closed, Timestamp, Uuid } from './schema.ts'

export const TraceContext = Closed({
  traceparent: Type.String({ maxLength: 64 }),
  tracestate: Type.Optional(Type.String({ maxLength: 512 })),
})
export type TraceContext = Static<typeof TraceContext>

export const InvokeContext = Closed({
  correlation_id: Uuid,
  tenant_id: Type.String(),
  agent_did: Type.String(),
  resolved_identity: Type.Optional(ResolvedAgentIdentity),
  trace_context: Type.Optional(TraceContext),
  timestamp: Timestamp,
  metadata: AnyObject,
})
export type InvokeContext = Static<typeof InvokeContext>

/** The caller's identity; unresolved where the middleware found none. */
export function identity(context: InvokeContext): ResolvedAgentIdentity {
  return context.resolved_identity ?? unresolved(context.agent_did)
}

export function callerEntityKind(context: InvokeContext): string {
  return identity(context).entity_kind
}

export function callerHumanRoot(context: InvokeContext): string | undefined {
  return identity(context).human_root_did
}

/** False for unresolved callers. */
export function callerLineageVerified(context: InvokeContext): boolean {
  return context.resolved_identity?.lineage_verified ?? false
}

/** A plugin's own configuration, put into the metadata by its loader. */
export function pluginConfig(context: InvokeContext): Record<string, unknown> {
  const config = context.metadata.plugin_config
  return typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {}
}
