// Values as large as a schema allows, and inputs with one such value.
import { type SchemaNode, variantsOf, wordsOf } from '@svc/catalogue/derive/schema-node'
import fc from 'fast-check'

const depth_max = 60
const nested_max = 6
const samples_max = 64
/** Characters and values: no request can carry more. */
const grown_max = 8 * 1024 * 1024

/**
 * How a value grows: lists, texts or both; from which piece; all equal or all different; by which variant.
 */
export interface Style {
  readonly grows: 'lists' | 'texts' | 'both' | 'least'
  readonly piece: string
  readonly is_alike: boolean
  readonly variant: number
}

export interface Place {
  /** A field by its name, `[]` an element, `{}` a member, `|n` the n-th variant. */
  readonly path: readonly string[]
  readonly node: SchemaNode
}

/** A schema with its references. */
export class Schema {
  readonly root: SchemaNode
  #left = 0
  constructor(root: SchemaNode) {
    this.root = root
  }

  resolve(node: SchemaNode): SchemaNode {
    if (node.$ref === undefined) return node
    const name = node.$ref.split('/').at(-1)!
    return name === '#' ? this.root : (this.root.$defs?.[name] ?? {})
  }

  /** Every place where a value can be put, the root first. */
  *places(node = this.root, path: readonly string[] = []): Generator<Place> {
    const own = this.resolve(node)
    yield { path, node: own }
    // Recursive schemas are entered once: deeper there is nothing new.
    if (node.$ref !== undefined && path.length > nested_max) return
    for (const [name, child] of Object.entries(own.properties ?? {}))
      yield* this.places(child, [...path, name])
    for (const child of Object.values(own.patternProperties ?? {}))
      if (Object.keys(child).length > 0) yield* this.places(child, [...path, '{}'])
    if (own.items) yield* this.places(own.items as SchemaNode, [...path, '[]'])
    if (!wordsOf(own))
      for (const [i, child] of variantsOf(own).entries()) yield* this.places(child, [...path, `|${i}`])
  }

  /** A copy of the input with this value in that place; missing parents are created as small as possible. */
  put(base: unknown, path: readonly string[], value: unknown, node = this.root): unknown {
    const [step, ...rest] = path
    if (step === undefined) return value
    const own = this.resolve(node)
    if (step.startsWith('|')) {
      const variant = this.resolve(variantsOf(own)[Number(step.slice(1))]!)
      const fits = typeOf(base) === variant.type && !variant.properties
      return this.put(fits ? base : this.grow(variant, least, 0), rest, value, variant)
    }
    if (step === '[]') {
      const first = Array.isArray(base) ? base[0] : undefined
      return [this.put(first, rest, value, own.items as SchemaNode)]
    }
    const object = typeOf(base) === 'object' ? (base as object) : (this.grow(own, least, 0) as object)
    if (step === '{}') {
      const [pattern, child] = Object.entries(own.patternProperties!)[0]!
      return { ...object, [matching(pattern, 0)]: this.put(undefined, rest, value, child) }
    }
    const inner = (object as Record<string, unknown>)[step]
    return { ...object, [step]: this.put(inner, rest, value, own.properties![step]!) }
  }

  /** A value for this schema; `scale` from 0 to 1 is its size. Undefined if that exceeds any request. */
  grow(node: SchemaNode, style: Style, scale: number, most = grown_max): unknown {
    this.#left = most
    const value = this.#grow(node, style, scale, 0, 0)
    return this.#left < 0 ? undefined : value
  }

  #grow(node: SchemaNode, style: Style, scale: number, turn: number, depth: number): unknown {
    if (--this.#left < 0) return undefined
    const own = this.resolve(node)
    const words = wordsOf(own)
    if (words) return words[(style.variant + (style.is_alike ? 0 : turn)) % words.length]
    const variants = variantsOf(own)
    if (variants.length > 0) {
      const chosen = depth > nested_max ? 0 : style.variant % variants.length
      return this.#grow(variants[chosen]!, style, scale, turn, depth)
    }
    const inner = (child: SchemaNode, at: number) => this.#grow(child, style, scale, at, depth + 1)
    if (own.type === 'object' || own.properties) return this.#object(own, style, scale, turn, depth, inner)
    if (own.type === 'array') {
      const length = lengthOf(
        own.minItems ?? 0,
        own.maxItems ?? 100_000,
        style.grows === 'texts',
        style,
        scale,
      )
      const items: unknown[] = []
      for (let at = 0; at < (depth > nested_max ? (own.minItems ?? 0) : length) && this.#left >= 0; at++)
        items.push(inner(own.items as SchemaNode, at))
      return items
    }
    if (own.type === 'string') {
      const grown = text(own, style, scale, turn)
      this.#left -= grown.length
      return grown
    }
    if (own.type === 'integer' || own.type === 'number') return number(own, style, turn)
    if (own.type === 'boolean') return style.variant % 2 === 0
    if (own.type === 'null') return null
    return this.#anything(style, scale)
  }

  #anything(style: Style, scale: number): unknown {
    const value = anything(style, scale)
    this.#left -= JSON.stringify(value).length
    return value
  }

  #object(
    own: SchemaNode,
    style: Style,
    scale: number,
    turn: number,
    depth: number,
    inner: (child: SchemaNode, at: number) => unknown,
  ): unknown {
    const required = new Set(own.required ?? [])
    const is_least = style.grows === 'least' || depth > nested_max
    const entries = Object.entries(own.properties ?? {})
      .filter(([name]) => required.has(name) || !is_least)
      .map(([name, child]): [string, unknown] => [name, inner(child, turn)])
    const [pattern, child] = Object.entries(own.patternProperties ?? {})[0] ?? []
    if (pattern === undefined || is_least) return Object.fromEntries(entries)
    if (Object.keys(child!).length === 0) return this.#anything(style, scale)
    const most = (own as { maxProperties?: number }).maxProperties ?? 3_900
    const length = lengthOf(own.minProperties ?? 0, most, style.grows === 'texts', style, scale)
    const names = Array.from({ length }, (_, at) => matching(pattern, at))
    return Object.fromEntries([
      ...entries,
      ...names.map((name, at): [string, unknown] => [name, inner(child!, at)]),
    ])
  }
}

const least: Style = { grows: 'least', piece: 'a', is_alike: true, variant: 0 }

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

function lengthOf(min: number, max: number, is_short: boolean, { grows }: Style, scale: number): number {
  if (grows === 'least') return min
  return is_short ? Math.max(min, Math.min(1, max)) : Math.max(min, Math.floor(max * scale))
}

function text(own: SchemaNode, style: Style, scale: number, turn: number): string {
  const { minLength: min = 0, maxLength: max = 1 << 20 } = own
  const length = Math.max(lengthOf(min, max, style.grows === 'lists', style, scale), 1)
  const head = style.is_alike ? '' : String(turn)
  const long = (head + style.piece.repeat(Math.ceil(length / style.piece.length))).slice(
    0,
    Math.max(length, head.length),
  )
  if (own.pattern === undefined) return long.slice(0, max)
  const form = new RegExp(own.pattern, 'u')
  return form.test(long) ? long : matching(own.pattern, style.is_alike ? 0 : turn)
}

function number(own: SchemaNode, style: Style, turn: number): number {
  const { minimum = 0, maximum = 1_000_000 } = own
  if (style.grows === 'least') return Math.max(minimum, Math.min(1, maximum))
  if (style.is_alike) return style.variant % 2 === 0 ? maximum : minimum
  return Math.min(maximum, minimum + turn)
}

/** For values without a schema: deep, wide, long or many. */
function anything({ grows, piece, is_alike, variant }: Style, scale: number): unknown {
  const many = (most: number) => Math.max(1, Math.floor(most * scale))
  if (grows === 'least') return {}
  if (grows === 'texts') return { [piece.slice(0, 8)]: piece.repeat(many(7_000_000 / piece.length)) }
  const items = Array.from({ length: many(48_000) }, (_, i) => (is_alike ? 1 : i))
  const shapes = [
    () => ({ list: items }),
    () => Object.fromEntries(items.slice(0, 3_900).map((_, i) => [`${piece.slice(0, 4)}${i}`, i])),
    () => ({ list: items.slice(0, 19_000).map((a) => ({ a })) }),
    () => ({ list: items.map(() => []) }),
    () => ({ [piece.repeat(many(900_000 / piece.length))]: 1 }),
    () => nested(is_alike ? {} : { a: piece.repeat(many(200_000 / piece.length)) }),
    () => ({ list: items.map((i) => `${piece.slice(0, 8)}${i}`) }),
  ]
  return shapes[variant % shapes.length]!()
}

export const anything_variants = 7

function nested(innermost: unknown): unknown {
  let value = innermost
  for (let depth = 0; depth < depth_max - nested_max; depth++) value = depth % 2 ? [value] : { a: value }
  return { a: value }
}

const sampled = new Map<string, readonly string[]>()

/** A text matching this pattern; it varies by turn, as far as generating it is fast. */
function matching(pattern: string, turn: number): string {
  let samples = sampled.get(pattern)
  if (!samples) {
    samples = pattern === '^.*$' ? [] : drawn(pattern)
    sampled.set(pattern, samples)
  }
  return samples.length ? samples[turn % samples.length]! : `k${turn}`
}

function drawn(pattern: string): readonly string[] {
  try {
    const all = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: samples_max, seed: 1 })
    return all.toSorted((a, b) => b.length - a.length)
  } catch {
    return []
  }
}
