/** Ends identities of this tenant, for a while or for good, with the operation's own rows; every engine hears of it. */
export interface IdentityStates {
  of(did: string): Promise<'active' | 'suspended' | 'revoked'>
  /** `cause` is the identity that is suspended; the others descend from it. False where it was before. */
  suspend(cause: string, dids: readonly string[], reason: string): Promise<boolean>
  /** Who suspended it; nobody where it is not suspended for its own sake. */
  suspendedBy(cause: string): Promise<readonly string[]>
  /** How many act again; what was suspended for another cause stays so. */
  resume(cause: string): Promise<number>
  /** With their keys and sessions. Those that were not revoked before, and how many keys ended. */
  revoke(
    dids: readonly string[],
    reason: string,
  ): Promise<{ readonly revoked: readonly string[]; readonly keys: number }>
}
