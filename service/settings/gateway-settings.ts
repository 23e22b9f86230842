// The configuration of `svc-engine gateway`: settings, signing key and certificate files, checked before it listens.
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { didOfKey, parseDid } from '@svc/contract/identity/did'
import { privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import type { Certificate } from '@svc/gateway/relay/relay-server'
import { readLogLevel } from './config.ts'
import { ConfigError } from './config-error.ts'
import { readNodes } from './identity-settings.ts'
import { type Environment, reader, requireSettings } from './reader.ts'
import { isLoopback, readFileOf } from './setting-types.ts'

export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

export type GatewayConfig = Readonly<ReturnType<typeof readGatewayConfig>>

const entity_kind = 'service'

export function readGatewayConfig(env: Environment) {
  const read = reader(env, 'gateway')
  const is_plain = read('SVC_GATEWAY_PLAIN') !== undefined
  requireSettings(read, is_plain ? [] : ['SVC_TLS_CERT', 'SVC_TLS_KEY'])
  const [host, port] = read.given('APP_BIND_ADDR') ?? (is_plain ? ['127.0.0.1', 8443] : read('APP_BIND_ADDR'))
  if (is_plain && !isLoopback(host)) {
    throw new ConfigError(
      `SVC_GATEWAY_PLAIN=loopback listens on this machine only, and APP_BIND_ADDR is ${host}; use 127.0.0.1, or TLS.`,
    )
  }
  const tenant_id = read('SVC_TENANT_ID')!
  const files = { cert_file: read('SVC_TLS_CERT')!, key_file: read('SVC_TLS_KEY')! }
  return {
    log_level: readLogLevel(read),
    host,
    port,
    tenant_id,
    db_url: read('SVC_DB_URL')!,
    /** Replicas of one engine. */
    api_urls: differentUrls(read('SVC_API_URL')!),
    engine_did: read('SVC_ENGINE_DID')!,
    identity: readNodes(read),
    signer: signerOf(tenant_id, parseGatewayKey(read('SVC_GATEWAY_KEY')!)),
    /** Undefined for plain HTTP on a loopback address. */
    certificate: is_plain ? undefined : files,
    upstream_ca: read('SVC_TLS_CA'),
    silence_ms_max: read('SVC_GATEWAY_WAIT_SECONDS') * 1000,
    shutdown_grace_ms: read('SVC_SHUTDOWN_GRACE_SECONDS') * 1000,
  }
}

function differentUrls(urls: readonly URL[]): readonly URL[] {
  const twice = urls.find(({ origin }, i) => urls.findIndex((url) => url.origin === origin) !== i)
  if (twice) throw new ConfigError(`SVC_API_URL names ${twice.origin} twice; name each engine once.`)
  return urls
}

/** A PKCS#8 PEM, or the 32 bytes of the seed in hex or base64url. */
function parseGatewayKey(text: string): KeyObject {
  try {
    const key = text.includes('PRIVATE KEY')
      ? createPrivateKey(text)
      : privateKeyOf(Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64url'))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Reported below, without quoting the secret.
  }
  throw new ConfigError(
    'SVC_GATEWAY_KEY is not an Ed25519 private key; create one with: svc-engine gateway --new-key gateway.key',
  )
}

function signerOf(tenant_id: string, private_key: KeyObject): SigningKey {
  const public_key = publicKeyOf(private_key)
  const did = didOfKey(tenant_id, entity_kind, Buffer.from(public_key, 'base64url'))
  if (parseDid(did)) return { did, public_key, private_key }
  throw new ConfigError(`SVC_TENANT_ID is ${tenant_id}, which cannot be part of a DID; use a-z, 0-9 and -.`)
}

/** Writes a new signing key and returns the DID that engines must trust. Never overwrites a file. */
export function makeGatewayKey(file: string, env: Environment): string {
  const tenant_id = reader(env, 'gateway')('SVC_TENANT_ID')
  if (!tenant_id) throw new ConfigError('A gateway belongs to a tenant; set SVC_TENANT_ID and try again.')
  const { privateKey } = generateKeyPairSync('ed25519')
  const { did } = signerOf(tenant_id, privateKey)
  try {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
    writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new ConfigError(`${file} could not be written (${(error as Error).message}); choose another file.`)
  }
  return did
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
