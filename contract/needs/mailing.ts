/** E-mail that waits to be sent to a person of an organization. */
export interface NewMail {
  readonly mail_id: string
  /** The login of a person, which is an e-mail address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly attachment?: { readonly name: string; readonly content: string }
}

/** E-mail to people of this tenant, by the operator's mail server. */
export interface Mailing {
  /** Why nothing can be mailed to this login, in a clause; undefined where it can. */
  whyNotTo(login: string): Promise<string | undefined>
}
