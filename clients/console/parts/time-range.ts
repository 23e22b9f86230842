// A time range in the address.

const hour_ms = 3_600_000
const lengths = { '1h': hour_ms, '24h': 24 * hour_ms, '7d': 168 * hour_ms, '30d': 720 * hour_ms } as const
/** The width of one bar: whole windows of the stored history. */
const steps = { '1h': hour_ms / 60, '24h': hour_ms / 2, '7d': 3 * hour_ms, '30d': 12 * hour_ms } as const

export type RangeWord = keyof typeof lengths

export interface TimeSpan {
  readonly word: RangeWord
  readonly from_ms: number
  readonly to_ms: number
}

export const range_words = Object.keys(lengths) as RangeWord[]

export function isRange(text: string | undefined): text is RangeWord {
  return text !== undefined && Object.hasOwn(lengths, text)
}

/** Ends at the next full step, so that a refresh moves the range only now and then. */
export function spanOf(word: RangeWord, now_ms: number): TimeSpan {
  const step_ms = stepOf(word)
  const to_ms = Math.ceil(now_ms / step_ms) * step_ms
  return { word, from_ms: to_ms - lengths[word], to_ms }
}

export function stepOf(word: RangeWord): number {
  return steps[word]
}

export function stepsOf({ word, from_ms }: TimeSpan): number[] {
  return Array.from({ length: lengths[word] / stepOf(word) }, (_, index) => from_ms + index * stepOf(word))
}

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  hourCycle: 'h23',
})

export function stepLabel(word: RangeWord, at_ms: number): string {
  return word === '1h' || word === '24h' ? clock.format(at_ms) : day.format(at_ms)
}
