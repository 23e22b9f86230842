import type { OperationFacts, ToolCategory } from '../operation-facts.ts'
import type { ServedPlace } from '../served-place.ts'

export interface ServedOperations {
  /** The newest version this engine serves under that name. */
  find(protocol: string, operation: string): ServedOperation | undefined
  all(): readonly ServedOperation[]
  /** Where this engine invokes what it serves, and the state of those endpoints. */
  places(): readonly ServedPlace[]
  /** The rate at which the caller's tenant may call a protocol before it is slowed; undefined where it is not served here. */
  bucketOf(protocol: string): { readonly capacity: number; readonly refill_per_s: number } | undefined
}

export interface ServedOperation {
  readonly protocol: string
  readonly version: string
  readonly category: ToolCategory
  readonly operation: string
  readonly capability: string
  readonly facts: OperationFacts
  /** All of it runs in an outside service. */
  readonly is_external: boolean
}
