// Effects of an operator: facts set, removed or incremented. Nothing else, so every change is predictable.
import { toCel } from '@svc/contract/expressions/expression-value'
import type { Scope } from './condition.ts'
import { type Fact, type FactPath, type Facts, readFact, setFact, unsetFact } from './facts.ts'
import { compileTemplate, type Template } from './template.ts'

const segments_max = 8

/** Paths are dotted names; `{name}` stands for that argument. */
export type EffectSource =
  | { readonly set: string; readonly to: unknown }
  | { readonly unset: string }
  | { readonly increment: string; readonly by?: unknown }

export interface Effect {
  readonly kind: 'set' | 'unset' | 'increment'
  path(args: Facts): FactPath
  readonly value: Template
}

export function compileEffect(source: EffectSource): Effect {
  const kind = 'set' in source ? 'set' : 'unset' in source ? 'unset' : 'increment'
  const text = 'set' in source ? source.set : 'unset' in source ? source.unset : source.increment
  const value = 'set' in source ? source.to : 'increment' in source ? (source.by ?? 1) : null
  return { kind, path: compilePath(text), value: compileTemplate(value) }
}

/** Throws an Error if it cannot be applied. All values are read before anything changes. */
export function applyEffects(effects: readonly Effect[], scope: Scope): Facts {
  const changes = effects.map(({ kind, path, value }) => ({
    kind,
    path: path(scope.args),
    value: toCel(value.fill(scope)) as Fact,
  }))
  let { state } = scope
  for (const { kind, path, value } of changes) {
    if (kind === 'unset') {
      state = unsetFact(state, path)
      continue
    }
    const next = setFact(state, path, kind === 'set' ? value : sumOf(readFact(state, path) ?? 0, value, path))
    if (!next) throw new Error(`${path.join('.')} lies below something that holds no facts`)
    state = next
  }
  return state
}

function sumOf(before: Fact, by: Fact, path: FactPath): number {
  if (typeof before === 'number' && typeof by === 'number' && Number.isFinite(before + by)) return before + by
  throw new Error(`${path.join('.')} cannot be counted up: it is no number`)
}

function compilePath(text: string): (args: Facts) => FactPath {
  const segments = text.split('.')
  if (segments.length > segments_max || segments.some((segment) => !/^([^{}]|\{[^{}]+\})+$/.test(segment)))
    throw new Error(`${text} is no path of at most ${segments_max} names with dots between them`)
  return (args) =>
    segments.map((segment) => segment.replace(/\{([^{}]+)\}/g, (_, name: string) => textOf(args, name)))
}

function textOf(args: Facts, name: string): string {
  const value = args.get(name)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new Error(`the argument ${name} of a path is no text`)
}
