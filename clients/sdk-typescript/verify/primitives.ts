// SHA-256 and Ed25519 of the platform: Node's if available, because WebCrypto digests are asynchronous.
import { toHex, utf8 } from './bytes.ts'

/** Synchronous if the platform supports it. */
export type Later<Value> = Value | Promise<Value>

/** Verifies a signature with the given key. */
export type SignatureCheck = (message: Uint8Array, signature: Uint8Array) => Later<boolean>

export interface Primitives {
  /** Reads the data before it returns, so that the caller may use its buffer again. */
  sha256(data: string | Uint8Array): Later<Uint8Array>
  /** Far faster in Node, where each buffer is an allocation of its own. */
  sha256Hex(data: string | Uint8Array): Later<string>
  /** A verifier for a raw public key of 32 bytes. */
  checkerOf(public_key: Uint8Array): Later<SignatureCheck>
}

/** The used part of `node:crypto`; typed here, because browsers lack it. */
interface NodeCrypto {
  hash(name: string, data: string | Uint8Array, encoding: 'buffer'): Uint8Array
  hash(name: string, data: string | Uint8Array, encoding: 'hex'): string
  createPublicKey(source: { key: object; format: 'jwk' }): unknown
  verify(algorithm: null, data: Uint8Array, key: unknown, signature: Uint8Array): boolean
}

interface NodeAround {
  getBuiltinModule?(name: string): unknown
}

export function platformPrimitives(): Primitives {
  const around = (globalThis as { process?: NodeAround }).process
  const node = around?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined
  if (node) return nodePrimitives(node)
  const web = (globalThis as { crypto?: Partial<Crypto> }).crypto
  return web?.subtle
    ? webPrimitives(web.subtle)
    : { sha256: refuseUnproved, sha256Hex: refuseUnproved, checkerOf: refuseUnproved }
}

function refuseUnproved(): never {
  throw new Error('there is no WebCrypto here, which a page has only over https')
}

function nodePrimitives({ hash, createPublicKey, verify }: NodeCrypto): Primitives {
  return {
    sha256: (data) => hash('sha256', data, 'buffer'),
    sha256Hex: (data) => hash('sha256', data, 'hex'),
    checkerOf(public_key) {
      const key = createPublicKey({ key: jwkOf(public_key), format: 'jwk' })
      return (message, signature) => verify(null, message, key, signature)
    },
  }
}

export function webPrimitives(subtle: SubtleCrypto): Primitives {
  const sha256 = async (data: string | Uint8Array) => {
    const bytes = typeof data === 'string' ? utf8(data) : Uint8Array.from(data)
    return new Uint8Array(await subtle.digest('SHA-256', bytes))
  }
  return {
    sha256,
    sha256Hex: async (data) => toHex(await sha256(data)),
    async checkerOf(public_key) {
      const key = await subtle.importKey('jwk', jwkOf(public_key), 'Ed25519', false, ['verify'])
      return (message, signature) =>
        subtle.verify('Ed25519', key, Uint8Array.from(signature), Uint8Array.from(message))
    },
  }
}

function jwkOf(public_key: Uint8Array) {
  const base64 = btoa(String.fromCharCode(...public_key))
  const x = base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return { kty: 'OKP', crv: 'Ed25519', x }
}
