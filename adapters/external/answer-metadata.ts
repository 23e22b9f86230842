// What a service says beside its data: counted and kept only as far as the engine's own modules could.
import { canonicalJson } from '@svc/contract/signing/canonical-json'

/** The most tokens one call can be given: what one answer claims beyond it is not believed. */
const tokens_max = 1_000_000
const metadata_chars_max = 4_096

/** In and out; nothing where the service counts otherwise than in whole numbers. */
export function tokensIn(metadata: unknown): [tokens_in: number, tokens_out: number] {
  const { tokens_in, tokens_out } = objectOr(objectOr(metadata).usage)
  return [believed(tokens_in), believed(tokens_out)]
}

/** What goes into the record: all of it but the usage, or, where that is too much, how much it was. */
export function moduleMetadata(metadata: unknown): Record<string, unknown> {
  const { usage: _, ...rest } = objectOr(metadata)
  const chars = canonicalJson(rest).length
  return chars <= metadata_chars_max ? rest : { metadata_chars: chars }
}

function believed(count: unknown): number {
  return Number.isSafeInteger(count) && Number(count) > 0 ? Math.min(Number(count), tokens_max) : 0
}

function objectOr(value: unknown): Record<string, unknown> {
  const is_object = typeof value === 'object' && value !== null && !Array.isArray(value)
  return is_object ? (value as Record<string, unknown>) : {}
}
