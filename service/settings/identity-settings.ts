// What an engine is told about itself and about the services it believes: its own key, the nodes, whose word counts.
import { parseDid } from '@svc/contract/identity/did'
import { isKeyOf, privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import { ConfigError } from './config-error.ts'

/** The external standards with a node of their own, and the variable that names its address. */
export const node_variables = {
  OAS: 'SVC_OAS_URL',
  Arsenal: 'SVC_ARSENAL_URL',
  Aegis: 'SVC_AEGIS_URL',
} as const

export type NodeUrls = Readonly<Partial<Record<keyof typeof node_variables, string>>>

export interface IdentitySettings {
  /** Signs what the engine asks of services outside; undefined where it was given no key. */
  readonly agent_key: SigningKey | undefined
  readonly node_urls: NodeUrls
  /** Besides the engine itself and the charter of a tenant. */
  readonly trusted_issuers: readonly string[]
  readonly trusted_publishers: readonly string[]
  readonly require_signatures: boolean
}

type Read = (name: string) => string | undefined

export function readIdentitySettings(read: Read): IdentitySettings {
  const agent_did = read('SVC_AGENT_DID')
  const seed = read('SVC_AGENT_KEY')
  if (seed !== undefined && agent_did === undefined)
    throw new ConfigError('SVC_AGENT_KEY is the key of SVC_AGENT_DID; set that, too.')
  const require_signatures = read('SVC_REQUIRE_SIGNATURES') ?? 'true'
  if (!['true', 'false'].includes(require_signatures))
    throw new ConfigError(`SVC_REQUIRE_SIGNATURES is ${require_signatures}; it may be true, false.`)
  return {
    agent_key: seed === undefined ? undefined : signingKey('SVC_AGENT_KEY', seed, agent_did!),
    node_urls: readNodeUrls(read),
    trusted_issuers: didList(read, 'SVC_TRUSTED_ISSUERS'),
    trusted_publishers: didList(read, 'SVC_TRUSTED_PUBLISHERS'),
    require_signatures: require_signatures === 'true',
  }
}

/** A 32-byte seed in hex or base64, which must be the one this DID is the digest of. */
export function signingKey(name: string, text: string, did: string): SigningKey {
  const seed = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (seed.length !== 32)
    throw new ConfigError(`${name} must be 32 bytes in hex or base64; make one with: openssl rand -hex 32`)
  const private_key = privateKeyOf(seed)
  const public_key = publicKeyOf(private_key)
  if (isKeyOf(did, public_key)) return { did, public_key, private_key }
  throw new ConfigError(`${name} is not the key of ${did}; set the two that belong together.`)
}

function readNodeUrls(read: Read): NodeUrls {
  const urls: Record<string, string> = {}
  for (const [protocol, name] of Object.entries(node_variables)) {
    const text = read(name)
    if (text !== undefined) urls[protocol] = baseUrl(name, text)
  }
  return urls
}

function baseUrl(name: string, text: string): string {
  const url = URL.parse(text)
  const is_plain = url && !url.username && !url.password && !url.search && !url.hash
  if (is_plain && ['http:', 'https:'].includes(url.protocol)) return url.href.replace(/\/$/, '')
  // Not repeated: what was written may hold a password.
  throw new ConfigError(
    `${name} must be an address such as https://node.example, with no user or query in it.`,
  )
}

export function didList(read: Read, name: string): readonly string[] {
  const dids = (read(name) ?? '').split(',').flatMap((did) => did.trim() || [])
  const wrong = dids.find((did) => !parseDid(did))
  if (wrong === undefined) return dids
  throw new ConfigError(`${name} names ${wrong}, which is no DID; write them with commas between.`)
}
