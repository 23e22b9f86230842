// The messages between engine and sandbox, over one socket: JSON with a length prefix. The sandbox trusts the engine,
// but not the other way round.

/** The descriptors of a sandbox, beside the three of every process. */
export const channel_fd = 3
export const modules_fd = 4

export const length_bytes = 4

/** The first message to a sandbox: the offset of each module in the file, and which parts of WASI it may use. */
export interface Load {
  /** The JavaScript glue that the translator generated for the component. */
  readonly glue: Extent
  readonly modules: Readonly<Record<string, Extent>>
  readonly wasi: readonly WasiGrant[]
  /** Instances kept at once, one per tenant. */
  readonly tenants_max: number
}

export interface Extent {
  readonly offset: number
  readonly length: number
}

export type WasiGrant = 'clocks' | 'random'

export interface Invoke {
  readonly tenant_id: string
  readonly operation: string
  readonly payload: string
  readonly context: string
  readonly config: string
}

/** `refusal` as the WIT writes it. */
export interface WitRefusal {
  readonly code: string
  readonly message: string
  readonly reason?: string | undefined
  readonly details?: string | undefined
}

export type ToSandbox =
  | { readonly load: Load }
  | { readonly invoke: Invoke }
  | { readonly reply: { readonly ok: string } | { readonly refused: WitRefusal } }

/** `call` and `audit` wait for a reply; `log` and `progress` do not. */
export type ToEngine =
  | { readonly loaded: readonly string[] }
  | { readonly answered: string }
  | { readonly refused: WitRefusal }
  /** The instance is gone: it trapped, or broke a rule. */
  | { readonly trapped: string }
  | { readonly call: { readonly protocol: string; readonly operation: string; readonly input: string } }
  | { readonly audit: { readonly event_type: string; readonly meta: string } }
  | { readonly log: { readonly level: string; readonly message: string } }
  | { readonly progress: { readonly message: string; readonly fraction?: number | undefined } }
