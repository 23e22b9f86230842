// An operation is one literal: facts, schemas and handler. operations.json is derived from it.
import type { Static, TSchema } from 'typebox'
import type { Context } from './context.ts'

export interface OperationFacts {
  /** One sentence, for people and models. */
  readonly summary: string
  /** A write is idempotent by key and its input is retained; a read changes nothing. */
  readonly effect: 'read' | 'write'
  /** The required identity level: L0 none, L1 a known lineage, L2 an attested lineage. */
  readonly level?: 'L0' | 'L1' | 'L2'
  readonly meters?: readonly ('seconds' | 'watts')[]
  readonly deadline_ms?: number
  /** Rate limit tokens per call. */
  readonly rate_cost?: number
  readonly input: TSchema
  readonly output: TSchema
  /** A valid input: shown in the docs, and run by `svc-engine plugin test`. */
  readonly example: unknown
}

export interface Operation extends OperationFacts {
  handle(input: never, context: Context): unknown
}

export interface Plugin {
  readonly operations: Readonly<Record<string, Operation>>
}

/** Types a handler's input and output from its schemas. */
export function operation<I extends TSchema, O extends TSchema>(
  definition: Omit<OperationFacts, 'input' | 'output' | 'example'> & {
    readonly input: I
    readonly output: O
    readonly example: NoInfer<Static<I>>
    handle(input: NoInfer<Static<I>>, context: Context): NoInfer<Static<O>> | Promise<NoInfer<Static<O>>>
  },
): Operation {
  return definition as unknown as Operation
}

export function definePlugin<const P extends Plugin>(definition: P): P {
  return definition
}

/** operations.json: the facts without handlers, as deterministic text. */
export function operationsText({ operations }: Plugin): string {
  const facts = Object.entries(operations).map(([name, { handle: _code, ...rest }]) => [name, rest])
  return `${JSON.stringify(Object.fromEntries(facts), null, 2)}\n`
}
