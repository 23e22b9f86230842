// Text and bytes without Node. Only the canonical spelling of bytes is accepted.

const encoder = new TextEncoder()
const hex_pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text)
}

export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += hex_pairs[byte]
  return text
}

/** Only for valid lower-case hex. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2)
  writeHex(hex, bytes, 0)
  return bytes
}

/** Only for valid lower-case hex. */
export function writeHex(hex: string, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < hex.length; i += 2) bytes[at + i / 2] = (digitAt(hex, i) << 4) | digitAt(hex, i + 1)
}

function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at)
  return code < 0x3a ? code - 0x30 : code - 0x57
}

/** Undefined if the text is not the canonical encoding. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  return btoa(binary) === text ? Uint8Array.from(binary, (one) => one.charCodeAt(0)) : undefined
}

export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined
  const padding = '='.repeat((4 - (text.length % 4)) % 4)
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding)
}
