// The specification's router mapping of foreign errors by keywords in their message. Only for errors without one of
// our codes.
import type { RefusalCode } from '@svc/contract/refusal'

/** In the order of the specification; the first match counts. */
const keywords: readonly (readonly [keyword: string, code: RefusalCode])[] = [
  ['adapter', 'internal'],
  ['timeout', 'timeout'],
  ['invalid', 'protocol_error'],
  ['missing capability', 'capability_denied'],
]
/** The specification's rule for a Timeout that is known only by its keyword. */
const timeout_ms = 30_000

export interface Mapped {
  readonly code: RefusalCode
  readonly details: { readonly keyword: string; readonly timeout_ms?: number }
}

/**
 * Undefined if the message has no keyword. One that is also in the request does not count: otherwise the caller could
 * choose the code it is refused with.
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
