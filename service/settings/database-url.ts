// The address of PostgreSQL. Its certificate is verified against SVC_TLS_CA, unless the address names other authorities.
import type { Reader } from './reader.ts'

/** A path and no content: every new connection reads the file, so that renewed authorities need no restart. */
export function databaseUrl(read: Reader): string | undefined {
  const [text, ca_file] = [read('SVC_DB_URL'), read('SVC_TLS_CA')]
  const url = text === undefined ? null : URL.parse(text)
  if (!url || ca_file === undefined || !isEncrypted(url) || url.searchParams.has('sslrootcert')) return text
  url.searchParams.set('sslrootcert', ca_file)
  return url.href
}

/** Without sslmode the driver does not ask for TLS. */
export function isEncrypted({ searchParams }: URL): boolean {
  return (searchParams.get('sslmode') ?? 'disable') !== 'disable'
}
