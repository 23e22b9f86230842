// What a handler may touch: the call's own facts, and the five things the host does for it.
import { fromHost } from './refusal.ts'

/** Who calls, as far as the engine knows. */
export interface CallerIdentity {
  readonly did: string
  readonly entity_kind: string
  readonly human_root_did?: string
  readonly lineage_verified: boolean
  readonly [more: string]: unknown
}

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

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Context extends CallFacts {
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
  return {
    ...facts,
    config: JSON.parse(host.config()),
    log: (level, message) => host.log(level, message),
    audit: (event_type, meta) => asking(() => host.audit(event_type, JSON.stringify(meta))),
    call: (protocol, operation, input) =>
      JSON.parse(asking(() => host.call(protocol, operation, JSON.stringify(input)))),
    progress: (message, fraction) => host.progress(message, fraction),
  }
}

function asking<T>(question: () => T): T {
  try {
    return question()
  } catch (thrown) {
    throw fromHost(thrown) ?? thrown
  }
}
