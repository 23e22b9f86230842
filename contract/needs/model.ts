// A language model run by somebody else. It only proposes: its output is checked here, or labelled unverified.

export interface Model {
  /** The operator's name for it: results that came from it say so. */
  readonly name: string
  /** A value of the schema's shape. Failures arrive as `adapter_error`; nothing is retried past the signal. */
  propose(proposal: Proposal, signal: AbortSignal): Promise<Proposed>
}

export interface Proposal {
  /** The instruction. Never built from caller input: that is `text`. */
  readonly instructions: string
  readonly text: string
  /** JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly tokens_out_max: number
}

export interface Proposed {
  /** Matches the schema. */
  readonly value: unknown
  readonly tokens_in: number
  readonly tokens_out: number
}
