// Numbers, money and times as people read them. Pure, so that they can be tested.

const locale = 'en'
const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' })
const small_money = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
  maximumSignificantDigits: 2,
  roundingPriority: 'lessPrecision',
})
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const three = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })

/** Cents, or two digits of less than a cent. */
export function moneyText(usd: number | string): string {
  const amount = Number(usd)
  if (!Number.isFinite(amount)) return String(usd)
  return amount !== 0 && Math.abs(amount) < 0.01 ? small_money.format(amount) : money.format(amount)
}

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** A day in UTC, such as 2026-11-01: `Nov 1`. */
export function dayText(date: string): string {
  return day.format(Date.parse(`${date}T00:00:00Z`))
}

/** Minor units as a decimal number, exact: 1500000 with six decimals is 1.5. */
export function unitsText(minor: string, decimals: number): string {
  const [, sign = '', digits = '0'] = /^(-?)(\d+)$/.exec(minor) ?? []
  const padded = digits.padStart(decimals + 1, '0')
  const whole = padded.slice(0, padded.length - decimals)
  let end = padded.length
  while (end > whole.length && padded[end - 1] === '0') end--
  const rest = padded.slice(whole.length, end)
  return `${sign}${whole}${rest === '' ? '' : `.${rest}`}`
}

/** Units of the wire (UCUM) whose short form is not what people write. */
const unit_signs: Readonly<Record<string, string>> = {
  Cel: '°C',
  '[degF]': '°F',
  '%RH': '% RH',
  '1/min': 'rpm',
}

/** A measured value with its unit: `22.4 °C`, `48 % RH`. */
export function measureText(value: number, unit = ''): string {
  const sign = unit_signs[unit] ?? unit
  return `${three.format(value)}${sign === '' ? '' : ` ${sign}`}`
}

/** Complete up to 9,999; then 12.3K. */
export function countText(count: number): string {
  if (!Number.isInteger(count)) return three.format(count)
  return Math.abs(count) < 10_000 ? whole.format(count) : compact.format(count)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`
}

/** By the minute where less than one a second. */
export function rateText(per_second: number): string {
  return per_second < 1
    ? `${countText(Math.round(per_second * 60))} per minute`
    : `${three.format(per_second)} per second`
}

export const shareText = (part: number) => share.format(part)

const spans = [
  ['year', 365.25 * 86_400_000],
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const
const years_max = 10

/** Three digits at most; more than ten years is no forecast, so it says only that. */
export function durationText(ms: number): string {
  if (!(ms >= 0) || ms > years_max * spans[0][1]) return `${years_max}+ years`
  if (ms < 1000) return `${three.format(ms)} ms`
  if (ms < 60_000) return `${three.format(ms / 1000)} s`
  for (const [index, [unit, length]] of spans.entries()) {
    if (ms < length) continue
    const count = Math.floor(ms / length)
    const [below, below_length] = spans[index + 1] ?? ['s', 1000]
    const rest = Math.floor((ms - count * length) / below_length)
    const first = unit === 'year' || unit === 'day' ? plural(count, unit) : `${count} ${unit}`
    if (rest === 0) return first
    return `${first} ${below === 'day' ? plural(rest, below) : `${rest} ${below}`}`
  }
  return `${three.format(ms / 1000)} s`
}

const byte_units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytesText(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(byte_units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const size = bytes / 1024 ** step
  return `${step === 0 ? whole.format(size) : three.format(size)} ${byte_units[step]}`
}

const energy_units = [
  ['MWh', 1e6],
  ['kWh', 1e3],
  ['Wh', 1],
  ['mWh', 1e-3],
  ['µWh', 1e-6],
] as const

/** In the unit that leaves the fewest zeros. */
export function energyText(watt_hours: number): string {
  const [unit, size] = energy_units.find(([, least]) => Math.abs(watt_hours) >= least) ?? ['µWh', 1e-6]
  return watt_hours === 0 ? '0 Wh' : `${three.format(watt_hours / size)} ${unit}`
}

const steps = [
  ['year', 365.25 * 86_400],
  ['month', 30.44 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const
const now_seconds = 5

export function relativeText(at: string, now_ms: number): string {
  const seconds = (Date.parse(at) - now_ms) / 1000
  if (!Number.isFinite(seconds)) return at
  if (Math.abs(seconds) < now_seconds) return 'just now'
  const [unit, length] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps.at(-1)!
  return relative.format(Math.round(seconds / length), unit)
}

/** In the reader's zone, which it names. */
export function exactText(at: string): string {
  const ms = Date.parse(at)
  return Number.isFinite(ms) ? exact.format(ms) : at
}

/** How a figure changed against the period before; undefined where that had nothing. */
export function changeText(now: number, before: number): string | undefined {
  if (before === 0) return undefined
  const change = (now - before) / before
  if (Math.abs(change) < 0.005) return '±0%'
  return `${change > 0 ? '+' : '−'}${Math.abs(change) >= 10 ? `${compact.format(Math.abs(change))}×` : share.format(Math.abs(change))}`
}
