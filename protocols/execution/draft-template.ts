// Mustache without logic: names are looked up in the data and nowhere else, nothing is called, nothing is included.
import { refuse } from '@svc/contract/refusal'
import mustache from 'mustache'
import { isJson, isMarkup } from './artifact-kind.ts'

export const template_length_max = 65_536
const rendered_bytes_max = 1024 * 1024
const steps_max = 100_000
/** The parser looks for the end of a tag anew at each blank of a run. */
const blanks_max = 1_000
const blanks_form = new RegExp(`\\s{${blanks_max + 1}}`)
const depth_max = 32
const unresolved_told_max = 50

/** As the parser gives them: its kind, its text or name, and for sections what is inside. */
type Token = readonly [kind: string, text: string, start: number, end: number, inside?: readonly Token[]]

interface Rendering {
  readonly parts: string[]
  readonly unresolved: Set<string>
  readonly escape: (text: string) => string
  bytes: number
  steps: number
}

export interface Rendered {
  readonly text: string
  /** Names that the data does not have. */
  readonly unresolved: readonly string[]
}

export function renderTemplate(template: string, data: unknown, media_type: string): Rendered {
  const rendering: Rendering = {
    parts: [],
    unresolved: new Set(),
    escape: escapingOf(media_type),
    bytes: 0,
    steps: 0,
  }
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
  if (++rendering.steps > steps_max) throw faulty('too_large', `takes more than ${steps_max} steps`)
}

function renderToken(
  rendering: Rendering,
  [kind, text, , , inside = []]: Token,
  scopes: readonly unknown[],
  depth: number,
): void {
  const value = kind === 'text' ? text : lookUp(scopes, text)
  const goIn = (scope: readonly unknown[]) => renderTokens(rendering, inside, scope, depth + 1)
  if (kind === 'text') write(rendering, text)
  else if (kind === 'name') write(rendering, rendering.escape(asText(rendering, text, value)))
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
function lookUp(scopes: readonly unknown[], name: string): unknown {
  if (name === '.') return scopes.at(-1)
  const [first = '', ...rest] = name.split('.')
  let value = ownOf(
    scopes.findLast((scope) => ownOf(scope, first) !== undefined),
    first,
  )
  for (const step of rest) value = ownOf(value, step)
  return value
}

function ownOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function asText({ unresolved }: Rendering, name: string, value: unknown): string {
  if (value === undefined && unresolved.size < unresolved_told_max) unresolved.add(name)
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function write(rendering: Rendering, text: string): void {
  rendering.bytes += Buffer.byteLength(text)
  if (rendering.bytes > rendered_bytes_max)
    throw faulty('too_large', `writes more than ${rendered_bytes_max} bytes`)
  rendering.parts.push(text)
}

function faulty(reason: string, message: string) {
  return refuse('invalid_payload', `The template ${message}.`, {
    reason,
    path: '/template',
    faults: [{ pointer: '/template', message }],
  })
}
