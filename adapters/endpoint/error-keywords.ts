// The specification's router mapping: what an error of foreign code means where nothing but its message says so.
// Nowhere else: our own refusals carry a code, and so does whoever answers with one of ours.
import type { RefusalCode } from '@svc/contract/refusal'

/** In the order of the specification; the first that is found counts. */
const keywords: readonly (readonly [keyword: string, code: RefusalCode])[] = [
  ['adapter', 'internal'],
  ['timeout', 'timeout'],
  ['invalid', 'protocol_error'],
  ['missing capability', 'capability_denied'],
]
/** What the specification says of a Timeout that is known by its keyword alone. */
const timeout_ms = 30_000

export interface Mapped {
  readonly code: RefusalCode
  readonly details: { readonly keyword: string; readonly timeout_ms?: number }
}

/**
 * Undefined where the message holds no keyword. One that stands in the request as well counts for nothing: the caller may have
 * brought it there, and would choose the code it is refused with.
 */
export function mappedByKeyword(message: string, request: string): Mapped | undefined {
  const [message_text, request_text] = [message.toLowerCase(), request.toLowerCase()]
  const match = keywords.find(
    ([keyword]) => message_text.includes(keyword) && !request_text.includes(keyword),
  )
  if (!match) return undefined
  const [keyword, code] = match
  return { code, details: { keyword, ...(code === 'timeout' ? { timeout_ms } : {}) } }
}
