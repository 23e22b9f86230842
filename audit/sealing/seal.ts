// Secrets at rest: AES-256-GCM, bound to a name. Which key seals what is said by root-keys.ts.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const key_bytes = 32
const nonce_bytes = 12
const tag_bytes = 16

/** A key for one purpose, such as `content-names/<tenant>`. */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  if (key.length !== key_bytes) {
    throw new TypeError(`the key has ${key.length} bytes; it must have ${key_bytes}`)
  }
  return Buffer.from(hkdfSync('sha256', key, '', `svc/1/${purpose}`, key_bytes))
}

export function randomKey(): Buffer {
  return randomBytes(key_bytes)
}

export function randomSeed(bytes: number): Buffer {
  return randomBytes(bytes)
}

/** nonce || tag || ciphertext. `bound_to` is not stored: opening under another name fails. */
export function seal(key: Uint8Array, plain: string | Uint8Array, bound_to: string): Buffer {
  const nonce = randomBytes(nonce_bytes)
  const box = createCipheriv(cipher, key, nonce)
  box.setAAD(Buffer.from(bound_to))
  const body = typeof plain === 'string' ? box.update(plain, 'utf8') : box.update(plain)
  const end = box.final()
  return Buffer.concat([nonce, box.getAuthTag(), body, end])
}

/** Throws where the key, the name or a single bit differs. */
export function open(key: Uint8Array, sealed: Uint8Array, bound_to: string): Buffer {
  if (sealed.length < nonce_bytes + tag_bytes) throw new Error(`the sealed ${bound_to} is cut short`)
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  const box = createDecipheriv(cipher, key, bytes.subarray(0, nonce_bytes), { authTagLength: tag_bytes })
  box.setAAD(Buffer.from(bound_to))
  box.setAuthTag(bytes.subarray(nonce_bytes, nonce_bytes + tag_bytes))
  try {
    return Buffer.concat([box.update(bytes.subarray(nonce_bytes + tag_bytes)), box.final()])
  } catch {
    throw new Error(
      `the sealed ${bound_to} does not open: it was altered, or the key is not the one it was sealed with`,
    )
  }
}
