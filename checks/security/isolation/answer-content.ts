// What an answer says, without what differs between two engines that got the same requests.
import type { Answer } from '../../engines/running-engine.ts'

/** Drawn, signed or priced by each engine, wherever it stands in a text. */
const engine_made: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/[0-9a-f]{64}/g, '<hash>'],
  [/\b([0-9a-f]{32}|[0-9a-f]{12})\b/g, '<token>'],
  [/eyJ[\w-]+\.[\w-]*\.[\w-]+/g, '<signed>'],
  [/[\w+/-]{43,}={0,2}/g, '<signed>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/127\.0\.0\.1:\d+/g, '<engine>'],
  [/^-?\d+\.\d{6}$/, '<usd>'],
]
/** Numbers that depend on how long calls took, and on ids where their text is counted in tokens. */
const measured = /(_ms|_usd|^seconds|^watts_kWh|^runway_days|^tokens_in|^tokens_out)$/
/** Weights fade with time: two engines agree on this many digits. */
const digits = 6

export function contentOf({ status, body }: Answer): string {
  const { output, error, metadata } = body
  return JSON.stringify(comparable({ status, output, error, replayed: metadata?.replayed }))
}

function comparable(value: unknown, name = ''): unknown {
  // Null until the first record is written.
  if (name === 'audit_head') return '<hash>'
  if (name === 'key_id') return '<key>'
  if (name.endsWith('_salt')) return '<salt>'
  if (measured.test(name) && /^-?\d/.test(String(value))) return '<measured>'
  if (typeof value === 'number') return Number(value.toPrecision(digits))
  if (typeof value === 'string') {
    return engine_made.reduce((text, [pattern, kind]) => text.replace(pattern, kind), value)
  }
  // Many lists are in the order of their ids, which each engine draws anew.
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(comparable(item))).sort()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, comparable(inner, key)]))
}
