// SVC_TLS_CA: an additional certificate authority.
import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { UsageError } from '../exit.ts'

/** Missing in the oldest supported Node, where NODE_EXTRA_CA_CERTS does the same. */
interface Defaults {
  setDefaultCACertificates?(certificates: readonly string[]): void
  getCACertificates?(kind: 'default'): string[]
}

/** False if this Node cannot load it; then NODE_EXTRA_CA_CERTS must be set instead. */
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
  throw new UsageError(`SVC_TLS_CA names ${path}, which contains no PEM certificate.`)
}
