// Payloads may hold {"$ref":"steps.<name>.data.<field>"}, {"$ref":"input.<field>"}, in a loop {"$ref":"item.<field>"}, and {"$cel":"…"}.
// {"$literal":…} is passed on unchanged, since a payload may contain a recipe.

import { compileExpression, evaluate, newWork, type Scope } from '@svc/contract/expressions/expression'
import { refuse } from '@svc/contract/refusal'

const depth_max = 64

export type Reference =
  | { readonly from: 'input'; readonly tokens: readonly string[] }
  | { readonly from: 'item' | 'index'; readonly tokens: readonly string[] }
  | { readonly from: 'steps'; readonly name: string; readonly tokens: readonly string[] }

export type PayloadPart =
  | { readonly is: 'reference'; readonly text: string; readonly reference: Reference }
  | { readonly is: 'expression'; readonly text: string }
  | { readonly is: 'list'; readonly elements: readonly unknown[] }
  | { readonly is: 'object'; readonly members: readonly (readonly [string, unknown])[] }
  | { readonly is: 'literal'; readonly value: unknown }

/** The payload with every reference and expression replaced by its value. */
export function resolvePayload(payload: unknown, scope: Scope): unknown {
  return resolvePart(payload, { ...scope, work: newWork() }, '')
}

function resolvePart(payload: unknown, scope: Scope, pointer: string): unknown {
  const part = readPayloadPart(payload, pointer)
  switch (part.is) {
    case 'reference':
      return lookUp(part, scope, pointer)
    case 'expression':
      // Each position has its own seed: two uuid() in one payload must differ.
      return evaluate(compileExpression(part.text), { ...scope, seed: `${scope.seed}|${pointer}` })
    case 'list':
      return part.elements.map((element, at) => resolvePart(element, scope, `${pointer}/${at}`))
    case 'object':
      // fromEntries defines own properties, so a key `__proto__` stays data.
      return Object.fromEntries(
        part.members.map(([key, member]) => [
          key,
          resolvePart(member, scope, `${pointer}/${escapeToken(key)}`),
        ]),
      )
    case 'literal':
      return part.value
  }
}

/** Classifies one value of a payload; throws a refusal for an unreadable reference. */
export function readPayloadPart(value: unknown, pointer: string): PayloadPart {
  if (typeof value !== 'object' || value === null) return { is: 'literal', value }
  if (pointer.split('/').length > depth_max)
    throw refuseAt(pointer, `is nested deeper than ${depth_max} levels`)
  if (Array.isArray(value)) return { is: 'list', elements: value }
  const members = Object.entries(value)
  const computed = members.find(([key, member]) => isComputed(key, member))
  if (!computed) return { is: 'object', members }
  const [key, member] = computed
  if (members.length > 1) throw refuseAt(pointer, `has "${key}" beside other fields; let it stand alone`)
  if (key === '$literal') return { is: 'literal', value: member }
  const text = String(member)
  if (key === '$cel') return { is: 'expression', text }
  const reference = parseReference(text)
  if (reference) return { is: 'reference', text, reference }
  throw refuseAt(pointer, `refers to "${text}"; write steps.<name>.data.<field> or input.<field>`)
}

/** A `$ref` that starts with # is left alone: it belongs to a JSON Schema in the payload. */
function isComputed(key: string, member: unknown): boolean {
  if (key === '$literal') return true
  if (typeof member !== 'string') return false
  return key === '$cel' || (key === '$ref' && !member.startsWith('#'))
}

/** `data` is followed by dotted field names or a JSON Pointer. */
function parseReference(text: string): Reference | undefined {
  const read = /^(?:(input|item|index)|steps\.([a-z][a-z0-9_-]{0,62})\.data)(?:\.(.+))?$/s.exec(text)
  if (!read) return undefined
  const tokens = splitPlace(read[3])
  if (!tokens) return undefined
  return read[1]
    ? { from: read[1] as 'input' | 'item' | 'index', tokens }
    : { from: 'steps', name: read[2]!, tokens }
}

function splitPlace(place: string | undefined): string[] | undefined {
  if (place === undefined) return []
  if (!place.startsWith('/')) return place.split('.')
  return place
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function lookUp(
  { text, reference }: { text: string; reference: Reference },
  scope: Scope,
  pointer: string,
): unknown {
  const start = reference.from === 'steps' ? [reference.name, 'data'] : []
  let at: unknown = scope[reference.from]
  for (const [depth, token] of [...start, ...reference.tokens].entries()) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, token) || !isPlace(at, token))
      throw refuseAt(pointer, `refers to ${text}, but ${lackOf(reference, token, depth)}`)
    at = (at as Record<string, unknown>)[token]
  }
  if (at === undefined) throw refuseAt(pointer, `refers to ${text}, which has no value`)
  // A copy, so that changing a payload does not change the journal.
  return structuredClone(at)
}

function lackOf(reference: Reference, token: string, depth: number): string {
  if (reference.from === 'input') return `the input has no ${token}; give it, or do not refer to it`
  if (reference.from !== 'steps') return `the ${reference.from} of this round has no ${token}`
  if (depth < 2) return `the step ${reference.name} has no ${token}; it may have been skipped or have failed`
  return `the answer of the step ${reference.name} has no ${token}`
}

/** An array also has its own `length`, which is not part of JSON. */
function isPlace(holder: object, token: string): boolean {
  return !Array.isArray(holder) || /^(?:0|[1-9]\d*)$/.test(token)
}

function refuseAt(pointer: string, why: string): Error {
  const what = pointer === '' ? 'The value' : `The payload at "${pointer}"`
  return refuse('invalid_payload', `${what} ${why}.`, {
    reason: 'reference',
    path: pointer,
    faults: [{ pointer, message: why }],
  })
}
