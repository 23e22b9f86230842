// Why a TLS connection to PostgreSQL was not made, as a sentence with what to do.

const untrusted = /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|CERT_(?!HAS_EXPIRED))/

/** Undefined if TLS is not the reason. */
export function tlsFault(error: unknown): string | undefined {
  const { code = '', message = '', cause } = error as Error & { code?: string }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'The certificate of PostgreSQL is for another name than the host in SVC_DB_URL; use a name that the certificate has.'
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of PostgreSQL has expired; renew it on the server.'
  if (untrusted.test(code))
    return 'The certificate of PostgreSQL is not from an authority that is trusted; name its authority in SVC_TLS_CA, or in sslrootcert of SVC_DB_URL.'
  if (message.includes('does not support SSL connections'))
    return 'PostgreSQL does not offer TLS, and SVC_DB_URL demands it (sslmode); set ssl=on and a certificate on the server.'
  if (/requires a valid client certificate|no pg_hba\.conf entry .* no encryption/.test(message))
    return 'PostgreSQL demands TLS with a client certificate; set sslmode=verify-full, sslcert and sslkey in SVC_DB_URL.'
  return cause === undefined ? undefined : tlsFault(cause)
}
