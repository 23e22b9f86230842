// SVC_TLS_CA: a certificate authority of one's own, beside those that Node trusts.
import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { UsageError } from '../exit.ts'

/** Newer than the oldest Node this program runs on; there NODE_EXTRA_CA_CERTS does the same from outside. */
interface Defaults {
  setDefaultCACertificates?(certificates: readonly string[]): void
  getCACertificates?(kind: 'default'): string[]
}

/** False where this Node cannot take it in; whoever started it must then say it with NODE_EXTRA_CA_CERTS. */
export function trustAuthority(path: string): boolean {
  const { setDefaultCACertificates, getCACertificates } = tls as Defaults
  const certificates = readCertificates(path)
  if (!setDefaultCACertificates || !getCACertificates) return false
  setDefaultCACertificates([...getCACertificates('default'), ...certificates])
  return true
}

function readCertificates(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`SVC_TLS_CA names ${path}, which cannot be read (${code}).`)
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g)
  if (blocks) return blocks
  throw new UsageError(`SVC_TLS_CA names ${path}, which holds no certificate in PEM form.`)
}
