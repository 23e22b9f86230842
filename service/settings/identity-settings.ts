// The engine's own identity and key, its nodes, and whom it trusts.
import { isKeyOf, privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'
import { key_of_32_bytes } from './setting-types.ts'

/** External standards that have a node, and the variable of its address. */
export const node_variables = {
  OAS: 'SVC_OAS_URL',
  Arsenal: 'SVC_ARSENAL_URL',
  Aegis: 'SVC_AEGIS_URL',
} as const

export type NodeUrls = Readonly<Partial<Record<keyof typeof node_variables, string>>>

export interface IdentitySettings extends ReturnType<typeof readTrust> {
  /** Signs the engine's requests to external services; undefined without a key. */
  readonly agent_key: SigningKey | undefined
}

export function readTrust(read: Reader) {
  return {
    ...readNodes(read),
    trusted_publishers: read('SVC_TRUSTED_PUBLISHERS'),
    require_signatures: read('SVC_REQUIRE_SIGNATURES'),
  }
}

/** The addresses of the nodes, and the trusted issuers. */
export function readNodes(read: Reader) {
  const urls = Object.entries(node_variables).flatMap(([node, name]) => {
    const url = read(name)
    return url === undefined ? [] : [[node, url]]
  })
  const node_urls: NodeUrls = Object.fromEntries(urls)
  return { node_urls, trusted_issuers: read('SVC_TRUSTED_ISSUERS') }
}

export function readAgentKey(read: Reader): SigningKey | undefined {
  const [did, seed] = [read('SVC_AGENT_DID'), read('SVC_AGENT_KEY')]
  if (seed === undefined) return undefined
  if (did === undefined) throw new ConfigError('SVC_AGENT_KEY is the key of SVC_AGENT_DID; set both.')
  return keyOf('SVC_AGENT_KEY', seed, did)
}

/** A 32-byte seed in hex or base64; its digest must be in the DID. */
export function signingKey(name: string, text: string, did: string): SigningKey {
  const seed = key_of_32_bytes.parse(text, name)
  if (!seed) throw new ConfigError(`${name} must be ${key_of_32_bytes.form}.`)
  return keyOf(name, seed, did)
}

function keyOf(name: string, seed: Buffer, did: string): SigningKey {
  const private_key = privateKeyOf(seed)
  const public_key = publicKeyOf(private_key)
  if (isKeyOf(did, public_key)) return { did, public_key, private_key }
  throw new ConfigError(`${name} is not the key of ${did}; set a matching pair.`)
}
