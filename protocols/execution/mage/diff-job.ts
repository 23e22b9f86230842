// What changed between two contents; on a worker, because comparing takes more than linear time.
import { formatPatch, structuredPatch } from 'diff'

/** Lines added and removed: beyond this, two texts have little in common. */
const edit_length_max = 2_000
const context_lines = 3
/** An answer has at most 128 levels, its own included. */
const depth_max = 100

export interface Compared {
  readonly format: 'text' | 'json'
  readonly from: string
  readonly to: string
  readonly names: readonly [from: string, to: string]
  readonly bytes_max: number
  readonly changes_max: number
}

export interface Change {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly from?: unknown
  readonly to?: unknown
}

/** `cut`: something is left out, because there is too much of it. */
export type Comparison =
  | { readonly format: 'text'; readonly unified: string; readonly cut: boolean }
  | { readonly format: 'json'; readonly changes: readonly Change[]; readonly cut: boolean }
  | { readonly format: 'bytes'; readonly cut: boolean }

export function compute(compared: Compared): Comparison {
  return compared.format === 'json' ? compareJson(compared) : compareText(compared)
}

function compareText({ from, to, names, bytes_max }: Compared): Comparison {
  const options = { context: context_lines, maxEditLength: edit_length_max }
  const patch = structuredPatch(names[0], names[1], from, to, undefined, undefined, options)
  if (!patch) return { format: 'bytes', cut: true }
  const hunks = patch.hunks.slice()
  let unified = formatPatch({ ...patch, hunks })
  // Whole hunks, so that what is told can be applied.
  while (hunks.length > 0 && Buffer.byteLength(unified) > bytes_max) {
    hunks.splice(Math.floor(hunks.length / 2))
    unified = formatPatch({ ...patch, hunks })
  }
  return {
    format: 'text',
    unified: patch.hunks.length === 0 ? '' : unified,
    cut: hunks.length < patch.hunks.length,
  }
}

function compareJson(compared: Compared): Comparison {
  const [from, to] = [readJson(compared.from), readJson(compared.to)]
  if (!from || !to) return compareText(compared)
  const changes: Change[] = []
  let [left, cut] = [compared.bytes_max, false]
  for (const change of changesOf('', from.value, to.value)) {
    if (changes.length >= compared.changes_max) return { format: 'json', changes, cut: true }
    const bytes = Buffer.byteLength(JSON.stringify(change))
    if (bytes > left) {
      cut = true
      continue
    }
    changes.push(change)
    left -= bytes
  }
  return { format: 'json', changes, cut }
}

/** Undefined: it is no JSON, or nested deeper than an answer may be. */
function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeper(value, depth_max) ? undefined : { value }
  } catch {
    return undefined
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (!isNested(value)) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}

/** Paths are JSON pointers. Lists are compared place by place. */
function* changesOf(path: string, from: unknown, to: unknown): Generator<Change> {
  if (!isNested(from) || !isNested(to) || Array.isArray(from) !== Array.isArray(to)) {
    if (from !== to) yield { path, change: 'changed', from, to }
    return
  }
  for (const name of namesIn(from)) {
    const below = pathBelow(path, name)
    if (Object.hasOwn(to, name)) yield* changesOf(below, from[name], to[name])
    else yield { path: below, change: 'removed', from: from[name] }
  }
  for (const name of namesIn(to))
    if (!Object.hasOwn(from, name)) yield { path: pathBelow(path, name), change: 'added', to: to[name] }
}

type Nested = Readonly<Record<string | number, unknown>>

function isNested(value: unknown): value is Nested {
  return typeof value === 'object' && value !== null
}

/** Numbers of a list are not turned into a list of texts: it can have a million. */
function namesIn(value: Nested): Iterable<string | number> {
  return Array.isArray(value) ? value.keys() : Object.keys(value)
}

function pathBelow(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
