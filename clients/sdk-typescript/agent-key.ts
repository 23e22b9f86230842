// The agent's own Ed25519 key, by the platform's WebCrypto: it never leaves this process.
import { SvcError } from './errors.ts'
import { fromHex, utf8 } from './verify/bytes.ts'

export interface AgentKey {
  /** 32 bytes, base64url. */
  readonly public_key: string
  /** Base64url. */
  sign(text: string): Promise<string>
  /** A DPoP proof (RFC 9449) with these claims. */
  proofOf(claims: object): Promise<string>
}

/** Made for this process alone: it binds a workload's session to it. */
export async function newAgentKey(): Promise<AgentKey> {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  return keyOf((pair as { readonly privateKey: CryptoKey }).privateKey)
}

const pkcs8_prefix = '302e020100300506032b657004220420'

export async function openAgentKey(private_key: string): Promise<AgentKey> {
  const seed = Uint8Array.from(atob(private_key.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0),
  )
  const pkcs8 = Uint8Array.from([...fromHex(pkcs8_prefix), ...seed])
  // Extractable, because the platform tells the public key only with the private one.
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']).catch((cause) => {
    const message = 'privateKey cannot be used here: it is no Ed25519 key, or the platform has no WebCrypto.'
    throw new SvcError({ code: 'not_configured', message, reason: 'private key' }, cause)
  })
  return keyOf(key)
}

async function keyOf(key: CryptoKey): Promise<AgentKey> {
  const public_key = (await crypto.subtle.exportKey('jwk', key)).x!
  const sign = async (text: string) =>
    base64Url(new Uint8Array(await crypto.subtle.sign('Ed25519', key, utf8(text))))
  const header = { alg: 'EdDSA', typ: 'dpop+jwt', jwk: { kty: 'OKP', crv: 'Ed25519', x: public_key } }
  return {
    public_key,
    sign,
    async proofOf(claims) {
      const text = `${encoded(header)}.${encoded(claims)}`
      return `${text}.${await sign(text)}`
    },
  }
}

export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)))
}

export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function encoded(value: object): string {
  return base64Url(utf8(JSON.stringify(value)))
}
