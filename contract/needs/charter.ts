/** Who may act for an organization as a whole. */
export interface Charter {
  /** Whether an identity is a charter member of this tenant now. */
  has(did: string): Promise<boolean>
  /** Everybody who is one now, by DID. */
  members(): Promise<readonly string[]>
  /** Only after a charter motion has passed: changes who may act for the organization, with this operation's own rows. */
  change(change: CharterChange): Promise<void>
}

export interface CharterChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}
