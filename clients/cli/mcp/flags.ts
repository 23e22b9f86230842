// The flags that say which tools, read once for list, serve and connect.
import type { Flags } from '../command.ts'
import { UsageError } from '../exit.ts'
import { textFlag } from '../settings.ts'

const tools_min = 2
const tools_max = 128

export interface ViewFlags {
  /** As they were written; empty for all. */
  readonly categories: readonly string[]
  readonly compact?: true
  readonly tools_max?: number
}

export function viewFlags(flags: Flags): ViewFlags {
  const said = textFlag(flags, 'tools-max')
  if (
    said !== undefined &&
    !(/^\d{1,3}$/.test(said) && Number(said) >= tools_min && Number(said) <= tools_max)
  )
    throw new UsageError(`--tools-max is a number from ${tools_min} to ${tools_max}, not ${said}.`)
  return {
    categories: categoryFlags(flags),
    ...(flags.compact ? { compact: true } : {}),
    ...(said === undefined ? {} : { tools_max: Number(said) }),
  }
}

export function categoryFlags({ category }: Flags): readonly string[] {
  return Array.isArray(category) ? category.map(String) : []
}
