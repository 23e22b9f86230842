// What thinking needs beyond rows: the same four things for a handler and for the engine that hands them over.
import type { Compute } from './computation.ts'
import type { Embedder } from './embedding.ts'
import type { Model } from './model.ts'

export interface Faculties {
  /** Texts as vectors. */
  readonly embedder: Embedder
  /** Undefined where no model is configured: then the built-in path answers. */
  readonly model: Model | undefined
  /** Runs what takes long in a thread. */
  readonly compute: Compute
  /** Tokens as they are billed: o200k_base. */
  countTokens(texts: readonly string[]): Promise<number>
}
