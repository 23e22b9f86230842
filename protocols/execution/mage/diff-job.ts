// What changed between two contents; on a worker, because comparing takes more than linear time.
import { formatPatch, structuredPatch } from 'diff'

/** Lines added and removed: beyond this, two texts have little in common. */
const edit_length_max = 2_000
const context_lines = 3
const depth_max = 32

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

function compareJson({ bytes_max, changes_max, ...compared }: Compared): Comparison {
  const read = [compared.from, compared.to].map(readJson)
  if (read.some((one) => !one)) return compareText({ ...compared, bytes_max, changes_max })
  const changes: Change[] = []
  let [left, cut] = [bytes_max, false]
  const note = (change: Change) => {
    const bytes = Buffer.byteLength(JSON.stringify(change))
    if (changes.length >= changes_max || bytes > left) cut = true
    else {
      changes.push(change)
      left -= bytes
    }
  }
  try {
    compareValues('', read[0]!.value, read[1]!.value, 0, note)
  } catch (error) {
    // Nested deeper than it can be written again.
    if (error instanceof RangeError) return compareText({ ...compared, bytes_max, changes_max })
    throw error
  }
  return { format: 'json', changes, cut }
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Paths are JSON pointers. Lists are compared place by place. */
function compareValues(
  path: string,
  from: unknown,
  to: unknown,
  depth: number,
  note: (change: Change) => void,
): void {
  const [before, after] = [membersOf(from), membersOf(to)]
  if (!before || !after || Array.isArray(from) !== Array.isArray(to) || depth >= depth_max) {
    if (JSON.stringify(from) !== JSON.stringify(to)) note({ path, change: 'changed', from, to })
    return
  }
  for (const [name, value] of before) {
    const below = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (after.has(name)) compareValues(below, value, after.get(name), depth + 1, note)
    else note({ path: below, change: 'removed', from: value })
  }
  for (const [name, value] of after)
    if (!before.has(name))
      note({
        path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        change: 'added',
        to: value,
      })
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined
}
