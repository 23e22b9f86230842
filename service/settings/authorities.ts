// SVC_TLS_CA: whose certificates are believed besides those the system knows.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/** PEM of the authorities in the file, or undefined where none is named. */
export function readAuthorities(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  const pem = contentsOf(file)
  try {
    return new X509Certificate(pem) && pem
  } catch {
    throw new ConfigError(`SVC_TLS_CA names ${file}, which holds no certificate in PEM form.`)
  }
}

function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(
      `SVC_TLS_CA names ${file}, which cannot be read; check the path and its permissions.`,
    )
  }
}
