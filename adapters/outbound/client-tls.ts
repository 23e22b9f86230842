// Certificates of a connection in the forms that Node and libraries take.
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import type { ClientTls, ClientTlsOptions } from '@svc/contract/client-tls'

/** The authorities of the system and these; parsed once for each set of certificates. */
export function contextBesideSystem(tls: ClientTls): () => SecureContext {
  let last: (ClientTlsOptions & { readonly context: SecureContext }) | undefined
  return () => {
    const { ca, cert, key } = tls()
    if (!last || last.ca !== ca || last.cert !== cert || last.key !== key) {
      const trusted = ca === undefined ? undefined : [...rootCertificates, ca]
      last = {
        ca,
        cert,
        key,
        context: createSecureContext({ ca: trusted, cert, key, minVersion: 'TLSv1.2' }),
      }
    }
    return last.context
  }
}

/** For libraries that take a member without a value for a value. */
export function definedOf({ ca, cert, key }: ClientTlsOptions): { ca?: string; cert?: string; key?: string } {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
}
