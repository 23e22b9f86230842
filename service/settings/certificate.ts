// A program's certificate with its key, read from files and checked before it is used.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { ConfigError } from './config-error.ts'
import { readFileOf } from './setting-types.ts'

export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A matching pair that is valid now, or an error that says what is wrong. */
export function readCertificate({ cert_file, key_file }: CertificateFiles, now_ms: number): Certificate {
  const cert = readFileOf('SVC_TLS_CERT', cert_file)
  const key = readFileOf('SVC_TLS_KEY', key_file)
  const leaf = parseOr(
    () => new X509Certificate(cert),
    `SVC_TLS_CERT names ${cert_file}, which contains no certificate in PEM form.`,
  )
  const private_key = parseOr(
    () => createPrivateKey(key),
    `SVC_TLS_KEY names ${key_file}, which contains no private key in PEM form without a passphrase.`,
  )
  if (!leaf.checkPrivateKey(private_key)) {
    throw new ConfigError(`The key in ${key_file} is not the key of the certificate in ${cert_file}.`)
  }
  if (leaf.validToDate.getTime() <= now_ms) {
    throw new ConfigError(`The certificate in ${cert_file} expired on ${leaf.validTo}; renew it.`)
  }
  if (leaf.validFromDate.getTime() > now_ms) {
    throw new ConfigError(
      `The certificate in ${cert_file} is valid only from ${leaf.validFrom}; check the clock.`,
    )
  }
  parseOr(
    () => createSecureContext({ cert, key }),
    `The certificate in ${cert_file} cannot be used for TLS; its key may be too weak.`,
  )
  return { cert, key }
}

function parseOr<Value>(parse: () => Value, sentence: string): Value {
  try {
    return parse()
  } catch {
    throw new ConfigError(sentence)
  }
}
