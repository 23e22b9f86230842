// A parser that strangers reach, and what must hold for every input.
import { Refusal } from '@svc/contract/refusal'

export interface Target {
  /** Path prefixes of the modules whose blocks count. */
  readonly files: readonly string[]
  readonly seeds: readonly string[]
  /** Words of its language that are not in these modules as texts. */
  readonly words?: readonly string[]
  /** Inputs are JSON texts. */
  readonly is_json?: boolean
  /** Classes it may throw besides our refusal; a subclass, such as TypeError for Error, is not meant. */
  readonly throws?: readonly ErrorClass[]
  /** Blocks that one input may run. */
  readonly steps_max?: number
  /** Loads the parser, so that nothing is loaded before it is instrumented. */
  load(): Promise<(input: string) => unknown>
}

type ErrorClass = abstract new (...args: never[]) => Error

/** In the message of an exception of the runtime: a parser that passes it on has not understood its input. */
export const runtime_words =
  /Cannot (?:read|set|convert|mix|access|destructure)|is not a function|is not iterable|is not defined|Maximum call|Invalid (?:array|string|typed)/

/** Whether it is one of the ways in which this parser says no, and means it. */
export function isRefusal(thrown: unknown, target: Target): boolean {
  if (thrown instanceof Refusal)
    return !(thrown.cause instanceof Error && runtime_words.test(thrown.cause.message))
  return target.throws?.some((error_class) => (thrown as object | null)?.constructor === error_class) ?? false
}
