// Identifiers that sort by creation time.
import type { CallContext } from '@svc/contract/operation-context'

/** A version 7 UUID: 48 bits of the call's time, the rest random. */
export function newTimeOrderedId(context: Pick<CallContext, 'now' | 'randomBytes'>): string {
  const bytes = context.randomBytes(16)
  bytes.writeUIntBE(Date.parse(context.now), 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
