/** The outside service of an adapter, over the external contract. Failures arrive as refusals. */
export interface Remote {
  invoke(operation: string, payload: unknown): Promise<unknown>
  /** Issuers whose definitions the operator trusts; none where absent. */
  readonly publishers?: PublisherTrust
}

export interface PublisherTrust {
  readonly require_signatures: boolean
  readonly trusted: readonly string[]
}
