// The evaluator itself: loaded when the first rule needs it, replaced when it fails, and never holding more sets than it should.
import { createRequire } from 'node:module'
import type * as CedarWasm from '@cedar-policy/cedar-wasm/nodejs'

export type Wasm = typeof CedarWasm

const module_name = '@cedar-policy/cedar-wasm/nodejs'

export interface CedarModule {
  /** Whatever is thrown out of the evaluator may have left its memory broken, so the next call gets a new one. */
  run<T>(work: (wasm: Wasm) => T): T
  /** Grows by one with each evaluator: what was prepared in another is gone. */
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

/** One evaluator each: what breaks one must not break another. */
function loadAnew(require: NodeJS.Require): Wasm {
  delete require.cache[require.resolve(module_name)]
  return require(module_name) as Wasm
}
