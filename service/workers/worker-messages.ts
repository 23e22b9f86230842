// Messages between the parent of `serve --workers` and its workers.
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import type { TraceSettings } from '@svc/gateway/operational'

export type ToWorker =
  /** The first message: this worker's journal folder, and how many workers share the disk. */
  | { readonly kind: 'begin'; readonly folder: string; readonly workers: number }
  | { readonly kind: 'host_mcp' }
  | { readonly kind: 'measure' }
  /** Logging or tracing was changed at another worker's /admin/trace. */
  | { readonly kind: 'trace'; readonly settings: TraceSettings }
  /** Orphaned journals to commit. */
  | { readonly kind: 'adopt'; readonly folders: readonly string[] }
  /** Another worker has taken over: finish and exit. */
  | { readonly kind: 'retire' }
  | { readonly kind: 'stop' }

export interface Ready {
  readonly kind: 'ready'
  readonly port: number
  readonly mcp_url: string | null
}

export type FromWorker =
  | Ready
  /** It could not start. */
  | { readonly kind: 'failed'; readonly sentence: string }
  | { readonly kind: 'hosting' }
  | { readonly kind: 'measured'; readonly metrics: Measured }
  | { readonly kind: 'adopted' }
  | { readonly kind: 'traced'; readonly settings: TraceSettings }
  /** This worker received a signal itself. */
  | { readonly kind: 'asked_to_stop' }
