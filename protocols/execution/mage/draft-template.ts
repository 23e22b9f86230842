// Logic-less Mustache: names are looked up only in the data; no calls, no includes.
import { refuse } from '@svc/contract/refusal'
import mustache from 'mustache'
import { isJson, isMarkup } from './artifact-kind.ts'

export const template_length_max = 65_536
const rendered_bytes_max = 1024 * 1024
const steps_max = 100_000
/** No data is nested deeper than a request may be. */
const name_parts_max = 64
/** Filled inline: takes a millisecond or two. */
const length_at_once_max = 4_096
const at_once: Effort = { steps_max: 1_000, bytes_max: 65_536, writes_objects: false }
const in_thread: Effort = { steps_max, bytes_max: rendered_bytes_max, writes_objects: true }
/** For each blank of a run, the parser searches for the end of the tag again. */
const blanks_max = 1_000
const blanks_form = new RegExp(`\\s{${blanks_max + 1}}`)
const depth_max = 32
const unresolved_told_max = 50

/** As parsed: kind, text or name, and the content of a section. */
type Token = readonly [kind: string, text: string, start: number, end: number, inside?: readonly Token[]]

/** Limits on work and output. */
interface Effort {
  readonly steps_max: number
  readonly bytes_max: number
  /** Objects are written as JSON of any size. */
  readonly writes_objects: boolean
}

interface Rendering {
  readonly effort: Effort
  readonly parts: string[]
  readonly unresolved: Set<string>
  readonly escape: (text: string) => string
  /** Each name of the template, split once; undefined if it has too many parts. */
  readonly names: Map<string, readonly string[] | undefined>
  bytes: number
  steps: number
  /** The effort limit is exceeded. */
  is_spent: boolean
}

export interface Rendered {
  readonly text: string
  /** Names missing in the data. */
  readonly unresolved: readonly string[]
}

export function renderTemplate(template: string, data: unknown, media_type: string): Rendered {
  return render(newRendering(media_type, in_thread), template, data)
}

/** Undefined if it takes too long: then a thread does it. */
export function renderAtOnce(template: string, data: unknown, media_type: string): Rendered | undefined {
  if (template.length > length_at_once_max) return undefined
  const rendering = newRendering(media_type, at_once)
  try {
    return render(rendering, template, data)
  } catch (error) {
    if (rendering.is_spent) return undefined
    throw error
  }
}

function newRendering(media_type: string, effort: Effort): Rendering {
  return {
    effort,
    parts: [],
    unresolved: new Set(),
    escape: escapingOf(media_type),
    names: new Map(),
    bytes: 0,
    steps: 0,
    is_spent: false,
  }
}

function render(rendering: Rendering, template: string, data: unknown): Rendered {
  renderTokens(rendering, parse(template), [data], 0)
  return { text: rendering.parts.join(''), unresolved: [...rendering.unresolved] }
}

/** A separate writer: the library's shared one caches every template. */
function parse(template: string): readonly Token[] {
  if (blanks_form.test(template)) throw faulty('template', `has more than ${blanks_max} blanks in a row`)
  try {
    return new mustache.Writer().parse(template) as readonly Token[]
  } catch (error) {
    throw faulty('template', `does not parse: ${(error as Error).message}`)
  }
}

/** Values are escaped for the format; triple braces insert them unchanged. */
function escapingOf(media_type: string): (text: string) => string {
  if (isMarkup(media_type)) return mustache.escape
  return isJson(media_type) ? (text) => JSON.stringify(text).slice(1, -1) : (text) => text
}

function renderTokens(
  rendering: Rendering,
  tokens: readonly Token[],
  scopes: readonly unknown[],
  depth: number,
): void {
  if (depth > depth_max) throw faulty('too_large', `is nested deeper than ${depth_max} sections`)
  // An empty section is also walked for each item.
  step(rendering)
  for (const token of tokens) {
    step(rendering)
    renderToken(rendering, token, scopes, depth)
  }
}

function step(rendering: Rendering): void {
  if (++rendering.steps > rendering.effort.steps_max)
    throw spent(rendering, `takes more than ${steps_max} steps`)
}

function renderToken(
  rendering: Rendering,
  [kind, text, , , inside = []]: Token,
  scopes: readonly unknown[],
  depth: number,
): void {
  const value = kind === 'text' ? text : lookUp(rendering, scopes, text)
  const goIn = (scope: readonly unknown[]) => renderTokens(rendering, inside, scope, depth + 1)
  if (kind === 'text') write(rendering, text)
  else if (kind === 'name') write(rendering, asText(rendering, text, value), rendering.escape)
  else if (kind === '&') write(rendering, asText(rendering, text, value))
  else if (kind === '>') throw faulty('partial', `includes ${text}; write it into the template itself`)
  else if (kind === '^' && isEmpty(value)) goIn(scopes)
  else if (kind === '#' && !isEmpty(value))
    for (const item of Array.isArray(value) ? value : [value]) goIn([...scopes, item])
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : !value
}

/** The nearest scope with the first name; own properties of the data only. */
function lookUp(rendering: Rendering, scopes: readonly unknown[], name: string): unknown {
  if (name === '.') return scopes.at(-1)
  const [first, ...rest] = partsOf(rendering, name) ?? []
  if (first === undefined) return undefined
  let value = ownOf(
    scopes.findLast((scope) => ownOf(scope, first) !== undefined),
    first,
  )
  for (const part of rest) value = ownOf(value, part)
  return value
}

function partsOf({ names }: Rendering, name: string): readonly string[] | undefined {
  if (names.has(name)) return names.get(name)
  const parts = name.split('.', name_parts_max + 1)
  const path = parts.length > name_parts_max ? undefined : parts
  names.set(name, path)
  return path
}

function ownOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function asText(rendering: Rendering, name: string, value: unknown): string {
  const { unresolved, effort } = rendering
  if (value === undefined && unresolved.size < unresolved_told_max) unresolved.add(name)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  if (!effort.writes_objects) throw spent(rendering, 'writes an object')
  return JSON.stringify(value)
}

/** Escaping never shortens text, so text that is already too long is not escaped. */
function write(rendering: Rendering, text: string, escaped = (plain: string) => plain): void {
  requireRoom(rendering, text.length)
  const written = escaped(text)
  const bytes = Buffer.byteLength(written)
  requireRoom(rendering, bytes)
  rendering.bytes += bytes
  rendering.parts.push(written)
}

function requireRoom(rendering: Rendering, bytes: number): void {
  if (rendering.bytes + bytes > rendering.effort.bytes_max)
    throw spent(rendering, `writes more than ${rendered_bytes_max} bytes`)
}

function spent(rendering: Rendering, message: string) {
  rendering.is_spent = true
  return faulty('too_large', message)
}

function faulty(reason: string, message: string) {
  return refuse('invalid_payload', `The template ${message}.`, {
    reason,
    path: '/template',
    faults: [{ pointer: '/template', message }],
  })
}
