// A language model somebody else runs. It only ever proposes: what it says is checked here, or labelled as unverified.

export interface Model {
  /** As the operator named it: results that came from it say so. */
  readonly name: string
  /** A value of the schema's shape. Failures arrive as `adapter_error`; nothing is retried past the signal. */
  propose(proposal: Proposal, signal: AbortSignal): Promise<Proposed>
}

export interface Proposal {
  /** What to do. Never built from what a caller sent: that is `text`. */
  readonly instructions: string
  readonly text: string
  /** JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly tokens_out_max: number
}

export interface Proposed {
  /** Fits the schema. */
  readonly value: unknown
  readonly tokens_in: number
  readonly tokens_out: number
}
