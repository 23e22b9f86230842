import type { OperationFacts, ToolCategory } from '../operation-facts.ts'
import type { ServedPlace } from '../served-place.ts'

export interface ServedOperations {
  /** What this engine serves under that name, in its newest version. */
  find(protocol: string, operation: string): ServedOperation | undefined
  all(): readonly ServedOperation[]
  /** Where this engine invokes what it serves, and how those places are. */
  places(): readonly ServedPlace[]
  /** What the caller's tenant may ask of a protocol before anything slows it; undefined where it is not served here. */
  bucketOf(protocol: string): { readonly capacity: number; readonly refill_per_s: number } | undefined
}

export interface ServedOperation {
  readonly protocol: string
  readonly version: string
  readonly category: ToolCategory
  readonly operation: string
  readonly capability: string
  readonly facts: OperationFacts
  /** All of it happens in a service outside. */
  readonly is_external: boolean
}
