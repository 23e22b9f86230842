// A memory cell: its four kinds, their fields, and its reference.
import { refuse } from '@svc/contract/refusal'
import { described, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

export const memory_kinds = ['working', 'episodic', 'semantic', 'procedural'] as const
export const MemoryKind = described(
  OneOf(...memory_kinds),
  'working: for now. episodic: what happened. semantic: what is true. procedural: how to do it.',
)
export type MemoryKind = Static<typeof MemoryKind>

export const Namespace = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Memories of one namespace do not evict those of another.',
})
export const Share = Type.Number({ minimum: 0, maximum: 1 })
export const CellRef = Type.String({
  pattern: '^[a-z]+://[a-z_]+/[A-Za-z0-9:._-]{1,200}$',
  description: 'A reference such as mind://cell/<id>.',
})

const ref_start = 'mind://cell/'
const text_length_max = 32_768
const leaves_max = 10_000

export function cellRef(memory_id: string): string {
  return `${ref_start}${memory_id}`
}

export function memoryIdOf(ref: string): string {
  return ref.startsWith(ref_start) ? ref.slice(ref_start.length) : ref
}

/** The text of a payload for the index: its strings in order, up to a limit. */
export function textOf(payload: unknown): string {
  const texts: string[] = []
  let length = 0
  const waiting: unknown[] = [payload]
  for (let read = 0; waiting.length > 0 && read < leaves_max && length < text_length_max; read++) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      texts.push(value)
      length += value.length + 1
    } else if (typeof value === 'object' && value !== null) waiting.push(...Object.values(value).reverse())
  }
  // Cutting a surrogate pair would leave text that cannot be sealed.
  return texts.join('\n').slice(0, text_length_max).toWellFormed()
}

/** A procedural memory must have steps. */
export function refuseWithoutSteps(payload: Readonly<Record<string, unknown>>): void {
  const { steps, recipe_id } = payload
  if (Array.isArray(steps) && steps.length > 0) return
  if (typeof recipe_id === 'string' && recipe_id.length > 0) return
  throw refuse(
    'invalid_payload',
    'A procedural memory needs steps; add a list of steps or a recipe_id to its payload.',
    { reason: 'missing steps', path: '/payload/steps' },
  )
}
