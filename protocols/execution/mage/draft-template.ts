// Mustache without logic: names are looked up in the data and nowhere else, nothing is called, nothing is included.
import { refuse } from '@svc/contract/refusal'
import mustache from 'mustache'
import { isJson, isMarkup } from './artifact-kind.ts'

export const template_length_max = 65_536
const rendered_bytes_max = 1024 * 1024
const steps_max = 100_000
/** No data is nested deeper than a request may be. */
const name_parts_max = 64
/** What is filled at once: in a millisecond or two. */
const length_at_once_max = 4_096
const at_once: Effort = { steps_max: 1_000, bytes_max: 65_536, writes_objects: false }
const in_thread: Effort = { steps_max, bytes_max: rendered_bytes_max, writes_objects: true }
/** The parser looks for the end of a tag anew at each blank of a run. */
const blanks_max = 1_000
const blanks_form = new RegExp(`\\s{${blanks_max + 1}}`)
const depth_max = 32
const unresolved_told_max = 50

/** As the parser gives them: its kind, its text or name, and for sections what is inside. */
type Token = readonly [kind: string, text: string, start: number, end: number, inside?: readonly Token[]]

/** How much may be done and written. */
interface Effort {
  readonly steps_max: number
  readonly bytes_max: number
  /** An object is written as JSON, whatever its size. */
  readonly writes_objects: boolean
}

interface Rendering {
  readonly effort: Effort
  readonly parts: string[]
  readonly unresolved: Set<string>
  readonly escape: (text: string) => string
  /** Each name of the template in its parts, which are taken apart once; undefined where there are too many. */
  readonly names: Map<string, readonly string[] | undefined>
  bytes: number
  steps: number
  /** It takes more than the effort allows. */
  is_spent: boolean
}

export interface Rendered {
  readonly text: string
  /** Names that the data does not have. */
  readonly unresolved: readonly string[]
}

export function renderTemplate(template: string, data: unknown, media_type: string): Rendered {
  return render(newRendering(media_type, in_thread), template, data)
}

/** Undefined where it takes more than a moment: then a thread shall do it. */
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

/** A writer of its own: the library's shared one would keep every template it ever saw. */
function parse(template: string): readonly Token[] {
  if (blanks_form.test(template)) throw faulty('template', `has more than ${blanks_max} blanks in a row`)
  try {
    return new mustache.Writer().parse(template) as readonly Token[]
  } catch (error) {
    throw faulty('template', `does not parse: ${(error as Error).message}`)
  }
}

/** Values are put in as text of the form around them; triple braces put them in as they are. */
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
  // Also a section with nothing in it is walked for each item.
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

/** The nearest scope that has the first of the names; only what the data itself holds. */
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

/** Escaping makes nothing shorter, so what is too long already is not escaped. */
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
