// What the parent of `serve --workers` and its workers say to each other.
import type { Measured } from '@svc/adapters/telemetry/summed-metrics'
import type { TraceSettings } from '@svc/gateway/operational'

export type ToWorker =
  /** The first word: where this worker's journal is, and how many share the disk. */
  | { readonly kind: 'begin'; readonly folder: string; readonly workers: number }
  | { readonly kind: 'host_mcp' }
  | { readonly kind: 'measure' }
  /** Somebody changed what is logged and traced at another one's /admin/trace. */
  | { readonly kind: 'trace'; readonly settings: TraceSettings }
  /** Journals nobody writes any more. */
  | { readonly kind: 'adopt'; readonly folders: readonly string[] }
  /** Another one has taken over: finish what is here, and go. */
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
  /** Somebody sent this worker a signal of its own. */
  | { readonly kind: 'asked_to_stop' }
