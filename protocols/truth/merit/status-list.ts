// Bitstring Status List v1.0: one bit per credential; fetching a whole list does not reveal which one.
import { gunzipSync, gzipSync } from 'node:zlib'

/** The minimum of the standard: 16 KiB before compression. */
export const status_bits = 131_072
const status_bytes = status_bits / 8
/** Incompressible data grows a little; base64url adds a third. */
const encoded_length_max = 24 * 1024

export const purposes = ['revocation', 'suspension'] as const
export type StatusPurpose = (typeof purposes)[number]

export const vc_context = 'https://www.w3.org/ns/credentials/v2'

export interface StatusListName {
  readonly tenant_id: string
  readonly purpose: StatusPurpose
  readonly list_no: number
}

export function statusListRef({ tenant_id, purpose, list_no }: StatusListName): string {
  return `merit://status_list/${tenant_id}.${purpose}.${list_no}`
}

export function noBits(): Buffer {
  return Buffer.alloc(status_bytes)
}

/** Index 0 is the leftmost bit of the first byte. */
export function readBit(bits: Uint8Array, index: number): boolean {
  return (bits[index >> 3]! & (0x80 >> (index & 7))) !== 0
}

export function writeBit(bits: Uint8Array, index: number, is_set: boolean): void {
  const mask = 0x80 >> (index & 7)
  bits[index >> 3] = is_set ? bits[index >> 3]! | mask : bits[index >> 3]! & ~mask
}

/** gzip, then multibase base64url. */
export function encodeBits(bits: Uint8Array): string {
  return `u${gzipSync(bits).toString('base64url')}`
}

/** Undefined unless it is a list of exactly this size; never expands to more. */
export function decodeBits(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || !text.startsWith('u') || text.length > encoded_length_max) return undefined
  try {
    const bits = gunzipSync(Buffer.from(text.slice(1), 'base64url'), { maxOutputLength: status_bytes })
    return bits.length === status_bytes ? bits : undefined
  } catch {
    return undefined
  }
}

export interface StatusListContent extends StatusListName {
  readonly bits: Uint8Array
  /** By index, when a suspension ends by itself. */
  readonly ends: Readonly<Record<string, string>>
  readonly issuer: string
  readonly now: string
}

/** The signed and published document: a credential about the list. */
export function statusListDocument(list: StatusListContent): Record<string, unknown> {
  const { purpose, bits, ends, issuer, now } = list
  const ref = statusListRef(list)
  return {
    '@context': [vc_context],
    id: ref,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer,
    validFrom: now,
    credentialSubject: {
      id: `${ref}#list`,
      type: 'BitstringStatusList',
      statusPurpose: purpose,
      encodedList: encodeBits(bits),
      // An extension: verifiers that know it need not wait for the next list. Others see the bit until then.
      ...(purpose === 'suspension' && { suspendedUntil: ends }),
    },
  }
}
