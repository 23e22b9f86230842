// --json=seq,meta.code: the named fields of a result, in the shape they have there. A path goes through lists.
import { didYouMean } from '@svc/sdk/nearest'
import { UsageError } from '../exit.ts'

const fields_max = 100
const depth_max = 32

/** The paths of `--json=<fields>`; undefined for `--json` alone. */
export function readFields(flag: unknown): readonly string[] | undefined {
  if (typeof flag !== 'string') return undefined
  const fields = flag.split(',').map((field) => field.trim())
  if (fields.some((field) => field === '' || field.split('.').includes('')))
    throw new UsageError('--json takes names with commas between them, such as --json=seq,meta.code.')
  if (fields.length > fields_max || fields.some((field) => field.split('.').length > depth_max))
    throw new UsageError(`--json takes at most ${fields_max} names of ${depth_max} parts each.`)
  return fields
}

/** A part of `value`: what is not there is left out. */
export function selectFields(value: unknown, fields: readonly string[]): unknown {
  return select(value, branchesOf(fields))
}

type Branches = Map<string, Branches>

/** A path that ends selects all below it, whatever longer paths say. */
function branchesOf(fields: readonly string[]): Branches {
  const root: Branches = new Map()
  const whole = new Set(fields)
  for (const field of fields) {
    const names = field.split('.')
    if (names.some((_, i) => i < names.length - 1 && whole.has(names.slice(0, i + 1).join('.')))) continue
    let branch = root
    for (const name of names) {
      const next = branch.get(name) ?? new Map()
      branch.set(name, next)
      branch = next
    }
  }
  return root
}

function select(value: unknown, branches: Branches): unknown {
  if (branches.size === 0) return value
  if (Array.isArray(value)) return value.map((item) => select(item, branches))
  if (typeof value !== 'object' || value === null) return value
  const entries = [...branches].filter(([name]) => Object.hasOwn(value, name))
  return Object.fromEntries(
    entries.map(([name, below]) => [name, select((value as Record<string, unknown>)[name], below)]),
  )
}

/** A sentence for each path that leads nowhere in `value`; an optional field may just be absent. */
export function missingFields(value: unknown, fields: readonly string[]): string[] {
  return fields.flatMap((field) => {
    let objects = objectsIn(value)
    for (const name of field.split('.')) {
      const names = [...new Set(objects.flatMap(Object.keys))]
      if (objects.length > 0 && !names.includes(name)) {
        const near = didYouMean(name, names)
        return [`There is no field ${field} here.${near || ` There are ${names.join(', ') || 'none'}.`}`]
      }
      objects = objects.flatMap((object) => (Object.hasOwn(object, name) ? objectsIn(object[name]) : []))
    }
    return []
  })
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : []
}
