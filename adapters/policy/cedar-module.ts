// The evaluator: loaded for the first rule, replaced after a failure, with a bounded number of sets.
import { createRequire } from 'node:module'
import type * as CedarWasm from '@cedar-policy/cedar-wasm/nodejs'

export type Wasm = typeof CedarWasm

const module_name = '@cedar-policy/cedar-wasm/nodejs'

export interface CedarModule {
  /** After an exception its memory may be corrupt, so the next call gets a new evaluator. */
  run<T>(work: (wasm: Wasm) => T): T
  /** Grows by one with each evaluator: sets prepared in another are gone. */
  readonly generation: number
}

export function cedarModule(): CedarModule {
  const require = createRequire(import.meta.url)
  let wasm: Wasm | undefined
  let generation = 0
  return {
    run(work) {
      wasm ??= loadAnew(require)
      try {
        return work(wasm)
      } catch (error) {
        wasm = undefined
        generation++
        throw error
      }
    },
    get generation() {
      return generation
    },
  }
}

/** Each caller has its own evaluator, so that one failure does not affect another. */
function loadAnew(require: NodeJS.Require): Wasm {
  delete require.cache[require.resolve(module_name)]
  return require(module_name) as Wasm
}
