// The configuration of `svc-engine gateway`: settings, signing key and certificate files, checked before it listens.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { didOfKey, parseDid } from '@svc/contract/identity/did'
import { privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import { readLogLevel } from './config.ts'
import { ConfigError } from './config-error.ts'
import { databaseUrl } from './database-url.ts'
import { readNodes } from './identity-settings.ts'
import { OwnTls } from './own-tls.ts'
import { type Environment, reader, requireSettings } from './reader.ts'
import { isLoopback } from './setting-types.ts'

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
  return {
    log_level: readLogLevel(read),
    host,
    port,
    tenant_id,
    db_url: databaseUrl(read)!,
    /** Replicas of one engine. */
    api_urls: differentUrls(read('SVC_API_URL')!),
    engine_did: read('SVC_ENGINE_DID')!,
    /** Beside the first. */
    cells: read('SVC_CELLS') ?? [],
    identity: readNodes(read),
    signer: signerOf(tenant_id, parseGatewayKey(read('SVC_GATEWAY_KEY')!)),
    /** Plain HTTP, on a loopback address. */
    is_plain,
    tls: OwnTls.of(read),
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
