// Metadata of a service's answer: counted and stored only within the limits of native modules.
import { canonicalJson } from '@svc/contract/signing/canonical-json'

/** The most tokens of one call: a claim above it is ignored. */
const tokens_max = 1_000_000
const metadata_chars_max = 4_096

/** Input and output; none if the service does not count in whole numbers. */
export function tokensIn(metadata: unknown): [tokens_in: number, tokens_out: number] {
  const { tokens_in, tokens_out } = objectOr(objectOr(metadata).usage)
  return [believed(tokens_in), believed(tokens_out)]
}

/** What is recorded: everything but the usage, or only its size if that is too much. */
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
