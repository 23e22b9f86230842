// The flags of svc mcp beyond those of svc invoke, and those that select tools, shared by list, serve and connect.
import type { Flags } from '../command.ts'
import { UsageError } from '../exit.ts'
import { textFlag } from '../settings.ts'

export const mcp_flags = {
  category: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  compact: { type: 'boolean' },
  'tools-max': { type: 'string' },
  transport: { type: 'string' },
  port: { type: 'string' },
  print: { type: 'boolean' },
  remote: { type: 'string' },
  dir: { type: 'string' },
} as const

const tools_min = 2
const tools_max = 128

export interface ViewFlags {
  /** As typed; empty for all. */
  readonly categories: readonly string[]
  readonly compact?: true
  readonly tools_max?: number
}

export function viewFlags(flags: Flags): ViewFlags {
  const value = textFlag(flags, 'tools-max')
  if (
    value !== undefined &&
    !(/^\d{1,3}$/.test(value) && Number(value) >= tools_min && Number(value) <= tools_max)
  )
    throw new UsageError(`--tools-max is a number from ${tools_min} to ${tools_max}, not ${value}.`)
  return {
    categories: categoryFlags(flags),
    ...(flags.compact ? { compact: true } : {}),
    ...(value === undefined ? {} : { tools_max: Number(value) }),
  }
}

export function categoryFlags({ category }: Flags): readonly string[] {
  return Array.isArray(category) ? category.map(String) : []
}
