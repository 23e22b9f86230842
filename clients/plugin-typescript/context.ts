// What a handler may touch: the call's own facts, and the five things the host does for it.
import { type CallerIdentity, unresolved } from './identity.ts'
import { fromHost } from './refusal.ts'

/** The call's InvokeContext, as it travels with every call. */
export interface CallFacts {
  readonly correlation_id: string
  readonly tenant_id: string
  readonly agent_did: string
  readonly resolved_identity?: CallerIdentity
  readonly trace_context?: { readonly traceparent: string; readonly tracestate?: string }
  /** When the call was made, RFC 3339: the only clock there is unless the manifest asks for one. */
  readonly timestamp: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** What a call's facts say of its caller. */
export interface CallerQuestions {
  /** The caller; unresolved, a bare DID, where the engine knows nothing more. */
  identity(): CallerIdentity
  caller_entity_kind(): string
  caller_human_root(): string | undefined
  /** False for unresolved callers. */
  caller_lineage_verified(): boolean
  /** The same as `config`. */
  plugin_config(): Readonly<Record<string, unknown>>
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Context extends CallFacts, CallerQuestions {
  /** As the operator set it in `<name>.json` beside the plugin's folder; empty where there is none. */
  readonly config: Readonly<Record<string, unknown>>
  /** To the engine's log, under the plugin's name and the call's correlation id. */
  log(level: LogLevel, message: string): void
  /** A `custom.` event of this call: it commits with the call, or never was. */
  audit(event_type: string, meta: Readonly<Record<string, unknown>>): void
  /** Another operation, as the caller of this call and with no more than the capabilities the manifest lists. */
  call(protocol: string, operation: string, input: unknown): unknown
  /** How far this call is, for a caller who listens; `fraction` from 0 to 1. */
  progress(message: string, fraction?: number): void
}

/** `svc:plugin/host` as the component sees it: everything that is data is JSON text. */
export interface WitHost {
  log(level: LogLevel, message: string): void
  config(): string
  audit(event_type: string, meta: string): void
  call(protocol: string, operation: string, input: string): string
  progress(message: string, fraction: number | undefined): void
}

export function contextOf(facts: CallFacts, host: WitHost): Context {
  const config = JSON.parse(host.config())
  return {
    ...facts,
    ...questionsOf(facts, config),
    config,
    log: (level, message) => host.log(level, message),
    audit: (event_type, meta) => asking(() => host.audit(event_type, JSON.stringify(meta))),
    call: (protocol, operation, input) =>
      JSON.parse(asking(() => host.call(protocol, operation, JSON.stringify(input)))),
    progress: (message, fraction) => host.progress(message, fraction),
  }
}

function questionsOf(
  { agent_did, resolved_identity }: CallFacts,
  config: Readonly<Record<string, unknown>>,
): CallerQuestions {
  const identity = () => resolved_identity ?? unresolved(agent_did)
  return {
    identity,
    caller_entity_kind: () => identity().entity_kind,
    caller_human_root: () => identity().human_root_did,
    caller_lineage_verified: () => identity().lineage_verified,
    plugin_config: () => config,
  }
}

function asking<T>(question: () => T): T {
  try {
    return question()
  } catch (thrown) {
    throw fromHost(thrown) ?? thrown
  }
}
