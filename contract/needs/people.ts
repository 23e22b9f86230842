import type { RoleChange } from '../authority/role.ts'

/** Somebody who can sign in, or could. */
export interface ListedPerson {
  readonly user_id: string
  readonly login: string
  readonly name: string | null
  readonly did: string
  readonly disabled: boolean
  readonly has_password: boolean
  readonly oidc_issuer: string | null
  readonly roles: readonly string[]
  /** Of these, those that come with a claim of the issuer. */
  readonly claimed_roles: readonly string[]
  readonly created_at: Date
}

export interface OpenInvitation {
  readonly invitation_id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly made_at: Date
  readonly expires_at: Date
}

export interface NewInvitation {
  readonly name: string
  readonly roles: readonly string[]
  readonly expires_at: string
}

export interface RoleListing extends RoleChange {
  readonly role: string
  readonly built_in: boolean
  readonly capabilities: readonly string[]
}

/** People of this tenant and their roles, written with the operation's own rows. */
export interface People {
  /** By login, from the one after this. */
  list(after_login: string, limit: number): Promise<readonly ListedPerson[]>
  find(login: string): Promise<ListedPerson | undefined>
  /** Whose account has not ended. */
  ofDid(did: string): Promise<ListedPerson | undefined>
  /** People with this role whose account has not ended, by login. */
  holders(role: string, limit: number): Promise<readonly ListedPerson[]>
  /** What really changed. */
  changeRoles(
    user_id: string,
    give: readonly string[],
    end: readonly string[],
  ): Promise<{ readonly given: readonly string[]; readonly ended: readonly string[] }>
  /** Ends sessions, tokens, and keys that this person made. False where the account had ended. */
  disable(user_id: string): Promise<boolean>
  /** The link exists only in this answer. */
  invite(invitation: NewInvitation): Promise<{ readonly invitation_id: string; readonly link: string }>
  openInvitations(): Promise<readonly OpenInvitation[]>
  /** False where it is not open. */
  withdraw(invitation_id: string): Promise<boolean>
  roles(): Promise<readonly RoleListing[]>
  changeRole(role: string, change: RoleChange): Promise<void>
  /** False where nothing had been changed. */
  resetRole(role: string): Promise<boolean>
  /** Whether a role may hold this name. */
  isGrantable(capability: string): boolean
}
