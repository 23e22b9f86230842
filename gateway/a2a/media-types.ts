// What a message may hold: the card announces these, and others are refused.
import { RpcError } from './rpc-error.ts'
import type { Fields } from './wire.ts'

export const media_types = [
  'text/plain',
  'text/markdown',
  'text/html',
  'text/csv',
  'application/json',
  'application/pdf',
  'application/octet-stream',
  'image/png',
  'image/jpeg',
  'audio/mpeg',
  'audio/wav',
  'video/mp4',
] as const

export function requireMediaTypes({ parts }: Fields): void {
  for (const { media_type } of parts as readonly Fields[]) {
    if (typeof media_type !== 'string') continue
    const type = media_type.split(';', 1)[0]!.trim().toLowerCase()
    if ((media_types as readonly string[]).includes(type)) continue
    throw new RpcError(
      'content_type_not_supported',
      'A part of the message is of a media type that is not accepted here; send it as one of the card, such as application/octet-stream.',
    )
  }
}
