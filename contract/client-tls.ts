// What a new connection trusts and shows. It is asked for each connection, so that renewed certificates need no restart.

export interface ClientTlsOptions {
  /** PEM of certificate authorities; undefined for those of the system. */
  readonly ca?: string | undefined
  /** PEM of the own certificate and its key, shown to servers that ask for one. */
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export type ClientTls = () => ClientTlsOptions
