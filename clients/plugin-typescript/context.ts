// The context of a handler: the call's facts, and the five host functions.
import { type CallerIdentity, unresolved } from './identity.ts'
import { fromHost } from './refusal.ts'

/** The call's InvokeContext. */
export interface CallFacts {
  readonly correlation_id: string
  readonly tenant_id: string
  readonly agent_did: string
  readonly resolved_identity?: CallerIdentity
  readonly trace_context?: { readonly traceparent: string; readonly tracestate?: string }
  /** The time of the call, RFC 3339: the only clock unless the manifest requests one. */
  readonly timestamp: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The caller's part of the facts. */
export interface CallerQuestions {
  /** The caller; only a DID if it could not be resolved. */
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
  /** The operator's `<name>.json` beside the plugin's folder; empty if there is none. */
  readonly config: Readonly<Record<string, unknown>>
  /** Writes to the engine's log with the plugin's name and the call's correlation id. */
  log(level: LogLevel, message: string): void
  /** Records a `custom.` event that commits atomically with the call. */
  audit(event_type: string, meta: Readonly<Record<string, unknown>>): void
  /** Calls another operation as the caller of this call, limited to the capabilities in the manifest. */
  call(protocol: string, operation: string, input: unknown): unknown
  /** Reports progress to a streaming caller; `fraction` from 0 to 1. */
  progress(message: string, fraction?: number): void
}

/** `svc:plugin/host` as the component sees it; data is JSON text. */
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
