// Formats citations for people and for programs.
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { faulty } from '../opinions/api.ts'

export const excerpt_length_max = 500
const title_length_max = 80

export interface Locator {
  readonly json_pointer?: string
  readonly char_range?: { readonly start: number; readonly end: number }
  readonly record_seq?: number
}

export interface Located {
  readonly body: unknown
  readonly text: string | null
  readonly seq: number | null
}

/** The text at the locator; null if redacted. Refused if the locator does not exist. */
export function excerptOf({ body, text, seq }: Located, locator: Locator = {}): string | null {
  if (Object.keys(locator).length > 1)
    throw faulty('one_place', '/locator', 'must name one of json_pointer, char_range, record_seq')
  const { json_pointer, char_range, record_seq } = locator
  if (record_seq !== undefined && record_seq !== seq)
    throw faulty('not_found', '/locator/record_seq', 'is not the record of this source')
  if (text === null) return null
  if (json_pointer !== undefined) {
    const value = valueAt(body, json_pointer)
    if (value === undefined)
      throw faulty('not_found', '/locator/json_pointer', 'leads nowhere in this source')
    return cut(typeof value === 'string' ? value : canonicalJson(value), excerpt_length_max)
  }
  if (char_range === undefined) return cut(text, excerpt_length_max)
  const { start, end } = char_range
  if (start >= end || end > text.length)
    throw faulty('not_found', '/locator/char_range', `is not a part of its ${text.length} characters`)
  return cut(text.slice(start, end), excerpt_length_max)
}

/** RFC 6901; undefined if it does not resolve. */
function valueAt(body: unknown, pointer: string): unknown {
  let value = body
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Never splits a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed()
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length).toWellFormed()
}

export interface Written {
  readonly citation_id: string
  readonly source_ref: string
  readonly kind: string
  readonly version: number
  readonly issuer_did: string
  readonly attested_at: string
  readonly status: string
  readonly title: string
  /** When it was read. */
  readonly accessed_at: string
}

/** One short line. */
export function titleOf(text: string | null): string {
  if (text === null) return '[redacted]'
  const line = text.replace(/\s+/gu, ' ').trim()
  return line.length > title_length_max ? `${cut(line, title_length_max - 1)}…` : line || '[untitled]'
}

export const citation_styles = ['short', 'apa', 'csl-json'] as const
export type CitationStyle = (typeof citation_styles)[number]

export function formatCitation(cited: Written, style: CitationStyle): string | Record<string, unknown> {
  if (style === 'csl-json') return asCsl(cited)
  return style === 'apa' ? asApa(cited) : asShort(cited)
}

function asShort({ source_ref, issuer_did, attested_at, status }: Written): string {
  const [, id = ''] = /\/([^/]+)$/.exec(source_ref) ?? []
  const mark = status === 'valid' ? '' : `, ${status}`
  return `[${source_ref.split(':')[0]} ${id.slice(0, 8)}, ${nameOf(issuer_did)}, ${attested_at.slice(0, 10)}${mark}]`
}

// biome-ignore format: a list of words
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December']

function asApa({ issuer_did, attested_at, title, version, kind, source_ref, status }: Written): string {
  const [year, month, day] = datePartsOf(attested_at)
  const mark = status === 'valid' ? '' : ` (${status})`
  const stop = /[.?!…]$/.test(title) ? '' : '.'
  return (
    `${nameOf(issuer_did)}. (${year}, ${months[month! - 1]} ${day}). ${title}${stop} ` +
    `(Version ${version}) [${kind}]${mark}. ${source_ref}`
  )
}

function asCsl(cited: Written): Record<string, unknown> {
  const { citation_id, issuer_did, attested_at, accessed_at, title, version, kind, source_ref, status } =
    cited
  return {
    id: citation_id,
    type: kind === 'report' ? 'report' : kind === 'dataset' ? 'dataset' : 'document',
    title,
    author: [{ literal: issuer_did }],
    issued: { 'date-parts': [datePartsOf(attested_at)] },
    accessed: { 'date-parts': [datePartsOf(accessed_at)] },
    genre: kind,
    version: String(version),
    status,
    URL: source_ref,
  }
}

function datePartsOf(time: string): number[] {
  return time.slice(0, 10).split('-').map(Number)
}

/** Its organization and kind, and enough of its hash to be distinct. */
function nameOf(did: string): string {
  const [, , tenant, kind, id = ''] = did.split(':')
  return `${tenant} ${kind} ${id.slice(0, 8)}`
}
