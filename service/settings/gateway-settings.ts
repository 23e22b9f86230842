// What `svc-engine gateway` reads: settings, its signing key, and the files of its certificate, each checked before it opens.
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { didOfKey, parseDid } from '@svc/contract/identity/did'
import { privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import type { Certificate } from '@svc/gateway/relay/relay-server'
import { readAuthorities } from './authorities.ts'
import { bindAddress, type Environment, logLevel, oneOf, positive, reader } from './config.ts'
import { ConfigError } from './config-error.ts'
import { type IdentitySettings, readIdentitySettings } from './identity-settings.ts'

export interface CertificateFiles {
  readonly cert_file: string
  readonly key_file: string
}

export interface GatewayConfig {
  readonly log_level: string
  readonly host: string
  readonly port: number
  readonly tenant_id: string
  readonly db_url: string
  /** Replicas of one engine: any of them can be asked. */
  readonly api_urls: readonly URL[]
  readonly engine_did: string
  readonly signer: SigningKey
  /** The identity node and whose word counts there, as the engine has it. */
  readonly identity: Pick<IdentitySettings, 'node_urls' | 'trusted_issuers'>
  /** Undefined for plain HTTP on a loopback address. */
  readonly certificate: CertificateFiles | undefined
  /** PEM of the authorities that may certify the engine. */
  readonly upstream_ca: string | undefined
  readonly silence_ms_max: number
  readonly shutdown_grace_ms: number
}

const always_required = ['SVC_API_URL', 'SVC_DB_URL', 'SVC_TENANT_ID', 'SVC_ENGINE_DID', 'SVC_GATEWAY_KEY']
const entity_kind = 'service'

export function readGatewayConfig(env: Environment): GatewayConfig {
  const read = reader(env)
  const plain_setting = read('SVC_GATEWAY_PLAIN')
  const plain = plain_setting !== undefined
  if (plain) oneOf('SVC_GATEWAY_PLAIN', plain_setting, ['loopback'])
  const required = plain ? always_required : [...always_required, 'SVC_TLS_CERT', 'SVC_TLS_KEY']
  // SVC_TLS_KEY names a file already, so SVC_TLS_KEY_FILE would be a file that names a file.
  const missing = required.filter((name) => !read(name))
  if (missing.length) {
    throw new ConfigError(
      `svc-engine gateway needs ${missing.join(', ')}; set ${missing.length > 1 ? 'them' : 'it'} and start again.`,
    )
  }
  const [host, port] = bindAddress(read('APP_BIND_ADDR') ?? (plain ? '127.0.0.1:8443' : '0.0.0.0:443'))
  if (plain && !isLoopback(host)) {
    throw new ConfigError(
      `SVC_GATEWAY_PLAIN=loopback listens on this machine only, and APP_BIND_ADDR is ${host}; use 127.0.0.1, or TLS.`,
    )
  }
  const tenant_id = read('SVC_TENANT_ID')!
  return {
    log_level: logLevel(read('SVC_LOG') ?? read('RUST_LOG') ?? 'info'),
    host,
    port,
    tenant_id,
    db_url: read('SVC_DB_URL')!,
    api_urls: engineUrls(read('SVC_API_URL')!),
    engine_did: engineDid(read('SVC_ENGINE_DID')!),
    identity: readIdentitySettings(read),
    signer: signerOf(tenant_id, parseGatewayKey(read('SVC_GATEWAY_KEY')!)),
    certificate: plain ? undefined : { cert_file: read('SVC_TLS_CERT')!, key_file: read('SVC_TLS_KEY')! },
    upstream_ca: readAuthorities(read('SVC_TLS_CA')),
    silence_ms_max: positive('SVC_GATEWAY_WAIT_SECONDS', read('SVC_GATEWAY_WAIT_SECONDS'), 120) * 1000,
    shutdown_grace_ms: positive('SVC_SHUTDOWN_GRACE_SECONDS', read('SVC_SHUTDOWN_GRACE_SECONDS'), 30) * 1000,
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

const engines_max = 64

function engineUrls(text: string): URL[] {
  const urls = text.split(',').map((part) => engineUrl(part.trim()))
  const twice = urls.find(({ origin }, i) => urls.findIndex((url) => url.origin === origin) !== i)
  if (twice) throw new ConfigError(`SVC_API_URL names ${twice.origin} twice; name each engine once.`)
  if (urls.length <= engines_max) return urls
  throw new ConfigError(`SVC_API_URL names ${urls.length} engines; a gateway takes ${engines_max} at most.`)
}

function engineUrl(text: string): URL {
  const url = URL.parse(text)
  const bare = url && url.pathname === '/' && !url.search && !url.hash && !url.username
  if (bare && (url.protocol === 'https:' || url.protocol === 'http:')) return url
  throw new ConfigError(
    `SVC_API_URL is ${text}; write only where engines listen, e.g. https://engine:8080, several with commas between.`,
  )
}

function engineDid(did: string): string {
  if (parseDid(did)) return did
  throw new ConfigError(`SVC_ENGINE_DID is ${did}; it must be the engine's DID, its own SVC_AGENT_DID.`)
}

/** A PKCS#8 PEM, or the 32 bytes of the seed in hex or base64url. */
function parseGatewayKey(text: string): KeyObject {
  try {
    const key = text.includes('PRIVATE KEY')
      ? createPrivateKey(text)
      : privateKeyOf(Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64url'))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below: what is wrong with a secret is not quoted.
  }
  throw new ConfigError(
    'SVC_GATEWAY_KEY is no Ed25519 private key; make one with: svc-engine gateway --new-key gateway.key',
  )
}

function signerOf(tenant_id: string, private_key: KeyObject): SigningKey {
  const public_key = publicKeyOf(private_key)
  const did = didOfKey(tenant_id, entity_kind, Buffer.from(public_key, 'base64url'))
  if (parseDid(did)) return { did, public_key, private_key }
  throw new ConfigError(`SVC_TENANT_ID is ${tenant_id}, which cannot be part of a DID; use a-z, 0-9 and -.`)
}

/** Writes a fresh signing key and returns the DID that engines are to trust. An existing file is never written over. */
export function makeGatewayKey(file: string, env: Environment): string {
  const tenant_id = reader(env)('SVC_TENANT_ID')
  if (!tenant_id) throw new ConfigError('A gateway belongs to a tenant; set SVC_TENANT_ID and try again.')
  const { privateKey } = generateKeyPairSync('ed25519')
  const { did } = signerOf(tenant_id, privateKey)
  try {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
    writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new ConfigError(`${file} could not be written (${(error as Error).message}); name another file.`)
  }
  return did
}

/** A pair that fits together and is valid now, or one sentence that says what is wrong with it. */
export function readCertificate({ cert_file, key_file }: CertificateFiles, now_ms: number): Certificate {
  const cert = readSetting('SVC_TLS_CERT', cert_file)
  const key = readSetting('SVC_TLS_KEY', key_file)
  const leaf = parseOr(
    () => new X509Certificate(cert),
    `SVC_TLS_CERT names ${cert_file}, which holds no certificate in PEM form.`,
  )
  const private_key = parseOr(
    () => createPrivateKey(key),
    `SVC_TLS_KEY names ${key_file}, which holds no private key in PEM form that can be read without a passphrase.`,
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

function readSetting(name: string, file: string): string {
  return parseOr(
    () => readFileSync(file, 'utf8'),
    `${name} names ${file}, which cannot be read; check the path and its permissions.`,
  )
}
