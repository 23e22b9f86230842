// RFC 6902 over RFC 6901, without mutating the input: applying patches and computing differences.

import { refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'

const pointer_length_max = 1_024
const pointer_depth_max = 32
const differences_max = 1_000
/** As deep as a request may be. Comparing and writing recurse, so nothing deeper is built. */
const depth_max = 64
const growing: ReadonlySet<string> = new Set(['add', 'replace', 'copy', 'move'])

export const Pointer = Type.String({
  pattern: '^(/([^~]|~[01])*)?$',
  maxLength: pointer_length_max,
  description: 'RFC 6901 JSON pointer; empty for the whole document.',
})

export const PatchStep = Closed({
  op: described(
    OneOf('add', 'remove', 'replace', 'move', 'copy', 'test'),
    'Step as RFC 6902 names it; test fails the whole patch if the value differs.',
  ),
  path: Pointer,
  from: Type.Optional(Pointer),
  value: Type.Optional(Type.Unknown({ description: 'For add, replace and test.' })),
})
export type PatchStep = Static<typeof PatchStep>

export interface Difference {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: unknown
}

type Json = unknown
type Tokens = readonly string[]

/**
 * All or nothing: refuses with the failing step. Copies of the whole double it each time, so every result is bounded before
 * the next step; parts are shared until then, so nothing large is built.
 */
export function applyPatch(document: Json, steps: readonly PatchStep[], bytes_max: number): Json {
  let result = document
  let bytes_most = bytesOf(document)
  for (const [place, step] of steps.entries()) {
    const before = result
    result = applyStep(before, step, place)
    if (!growing.has(step.op)) continue
    const is_within = step.op === 'copy' || step.op === 'move'
    const value = is_within ? find(before, tokensOf(step.from!), place) : step.value
    if (isDeeper(value, depth_max - tokensOf(step.path).length))
      throw failed(place, `it nests deeper than ${depth_max} levels`, 'too_large')
    // The whole is measured only where it may be too large: it is long, and steps are many.
    bytes_most += bytesOf(value) + bytesOf(step.path)
    if (bytes_most > bytes_max) bytes_most = bytesOf(result)
    if (bytes_most > bytes_max) throw failed(place, `it makes more than ${bytes_max} bytes`, 'too_large')
  }
  return result
}

function isDeeper(node: Json, levels: number): boolean {
  if (typeof node !== 'object' || node === null) return false
  return levels === 0 || Object.values(node).some((child) => isDeeper(child, levels - 1))
}

export function bytesOf(document: Json): number {
  return Buffer.byteLength(JSON.stringify(document))
}

function applyStep(document: Json, step: PatchStep, place: number): Json {
  const path = tokensOf(step.path)
  switch (step.op) {
    case 'add':
      return add(document, path, given(step, place), place)
    case 'remove':
      return remove(document, path, place)
    case 'replace':
      return replace(document, path, given(step, place), place)
    case 'test':
      if (isSame(find(document, path, place), given(step, place))) return document
      throw failed(place, `the test at ${named(step.path)} did not hold`, 'test_failed')
    case 'move':
    case 'copy':
      return transfer(document, step, path, place)
  }
}

function transfer(document: Json, { op, path, from }: PatchStep, to: Tokens, place: number): Json {
  if (from === undefined) throw failed(place, `${op} needs from`)
  if (op === 'move' && path.startsWith(`${from}/`)) throw failed(place, 'nothing can be moved into itself')
  const tokens = tokensOf(from)
  const value = find(document, tokens, place)
  // A move onto itself changes nothing, and the root could not be removed first.
  if (op === 'move' && path === from) return document
  const left = op === 'move' ? remove(document, tokens, place) : document
  return add(left, to, value, place)
}

function given(step: PatchStep, place: number): Json {
  if (Object.hasOwn(step, 'value')) return step.value
  throw failed(place, `${step.op} needs value`)
}

function add(node: Json, [token, ...rest]: Tokens, value: Json, place: number): Json {
  if (token === undefined) return value
  if (rest.length > 0) return within(node, token, place, (child) => add(child, rest, value, place))
  if (Array.isArray(node)) {
    const at = token === '-' ? node.length : indexOf(token, node.length, place)
    return node.toSpliced(at, 0, value)
  }
  return set(asObject(node, token, place), token, value)
}

function replace(node: Json, [token, ...rest]: Tokens, value: Json, place: number): Json {
  if (token === undefined) return value
  return within(node, token, place, (child) => replace(child, rest, value, place))
}

function remove(node: Json, [token, ...rest]: Tokens, place: number): Json {
  if (token === undefined) throw failed(place, 'the whole cannot be removed')
  if (rest.length > 0) return within(node, token, place, (child) => remove(child, rest, place))
  childOf(node, token, place)
  if (Array.isArray(node)) return node.toSpliced(Number(token), 1)
  return Object.fromEntries(Object.entries(node as object).filter(([key]) => key !== token))
}

/** The same node with one child changed. */
function within(node: Json, token: string, place: number, change: (child: Json) => Json): Json {
  const changed = change(childOf(node, token, place))
  if (Array.isArray(node)) return node.with(Number(token), changed)
  return set(node as object, token, changed)
}

/** `fromEntries` defines properties: `__proto__` is an ordinary key. */
function set(node: object, key: string, value: Json): Json {
  if (!Object.hasOwn(node, key)) return Object.fromEntries([...Object.entries(node), [key, value]])
  return Object.fromEntries(Object.entries(node).map(([name, old]) => [name, name === key ? value : old]))
}

function find(node: Json, tokens: Tokens, place: number): Json {
  let value = node
  for (const token of tokens) value = childOf(value, token, place)
  return value
}

function childOf(node: Json, token: string, place: number): Json {
  if (Array.isArray(node)) return node[indexOf(token, node.length - 1, place)]
  const object = asObject(node, token, place)
  if (!Object.hasOwn(object, token)) throw failed(place, `there is no ${named(token)} where it points`)
  return (object as Record<string, unknown>)[token]
}

function asObject(node: Json, token: string, place: number): object {
  if (typeof node === 'object' && node !== null && !Array.isArray(node)) return node
  throw failed(place, `what should hold ${named(token)} holds nothing`)
}

function indexOf(token: string, last: number, place: number): number {
  if (/^(0|[1-9]\d{0,8})$/.test(token) && Number(token) <= last) return Number(token)
  throw failed(place, `${named(token)} is no place in a list of ${last + 1}`)
}

export function tokensOf(pointer: string): Tokens {
  const tokens = pointer.split('/').slice(1)
  if (tokens.length > pointer_depth_max)
    throw refuse('invalid_payload', `A pointer may go ${pointer_depth_max} levels deep; shorten it.`, {
      reason: 'too_large',
    })
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function escaped(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Quoted and shortened. */
function named(token: string): string {
  return JSON.stringify(token.slice(0, 64))
}

function failed(place: number, why: string, reason = 'patch_failed') {
  return refuse('invalid_payload', `Step ${place} of the patch cannot be applied: ${why}; correct it.`, {
    reason,
    faults: [{ pointer: `/patch/${place}`, message: why }],
  })
}

function isSame(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

/** Removes these pointers; returns those that match nothing. In a list, null keeps the index. */
export function withoutPointers(
  document: Json,
  pointers: readonly string[],
): { readonly remainder: Json; readonly missing: readonly string[] } {
  const missing: string[] = []
  let remainder = document
  // Deepest first: removing a parent removes its children.
  for (const pointer of [...new Set(pointers)].sort((a, b) => tokensOf(b).length - tokensOf(a).length)) {
    const tokens = tokensOf(pointer)
    if (tokens.length === 0) remainder = {}
    else if (!isThere(document, tokens)) missing.push(pointer)
    else remainder = blank(remainder, tokens)
  }
  return { remainder, missing }
}

function isThere(node: Json, [token, ...rest]: Tokens): boolean {
  if (token === undefined) return true
  if (typeof node !== 'object' || node === null || !Object.hasOwn(node, token)) return false
  if (Array.isArray(node) && !/^\d+$/.test(token)) return false
  return isThere((node as Record<string, unknown>)[token], rest)
}

function blank(node: Json, [token, ...rest]: Tokens): Json {
  const parent = node as Record<string, unknown>
  if (rest.length > 0) {
    const child = blank(parent[token!], rest)
    return Array.isArray(node) ? node.with(Number(token), child) : set(parent, token!, child)
  }
  if (Array.isArray(node)) return node.with(Number(token), null)
  return Object.fromEntries(Object.entries(parent).filter(([key]) => key !== token))
}

/** A patch from one to the other; if too much differs, the whole is replaced. */
export function differencesOf(before: Json, after: Json): Difference[] {
  const differences: Difference[] = []
  compare(before, after, '', differences)
  return differences.length <= differences_max ? differences : [{ op: 'replace', path: '', value: after }]
}

function compare(before: Json, after: Json, path: string, differences: Difference[]): void {
  if (differences.length > differences_max) return
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(before, after, path, differences)
    return
  }
  if (!isPlain(before) || !isPlain(after)) {
    if (!isSame(before, after)) differences.push({ op: 'replace', path, value: after })
    return
  }
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) differences.push({ op: 'remove', path: `${path}/${escaped(key)}` })
  for (const [key, value] of Object.entries(after)) {
    const below = `${path}/${escaped(key)}`
    if (Object.hasOwn(before, key)) compare(before[key], value, below, differences)
    else differences.push({ op: 'add', path: below, value })
  }
}

function compareLists(before: Json[], after: Json[], path: string, differences: Difference[]): void {
  const both = Math.min(before.length, after.length)
  for (let at = 0; at < both; at++) compare(before[at], after[at], `${path}/${at}`, differences)
  for (let at = both; at < after.length; at++)
    differences.push({ op: 'add', path: `${path}/${at}`, value: after[at] })
  for (let at = before.length - 1; at >= both; at--) differences.push({ op: 'remove', path: `${path}/${at}` })
}

function isPlain(value: Json): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
