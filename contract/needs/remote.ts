/** The outside service of an adapter, over the external contract. Failures arrive as refusals. */
export interface Remote {
  invoke(operation: string, payload: unknown): Promise<unknown>
  /** Whose definitions the operator of this engine believes; nobody's where it is absent. */
  readonly publishers?: PublisherTrust
}

export interface PublisherTrust {
  readonly require_signatures: boolean
  readonly trusted: readonly string[]
}
