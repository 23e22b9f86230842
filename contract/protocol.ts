// A protocol is one literal with each operation's facts, schemas and handler. It runs, and everything else is derived from it.

import type { Static, TSchema } from 'typebox'
import type { PlacedRecord, RecordName, Supplied } from './audit/audit-event.ts'
import type { Need } from './needs/needs.ts'
import type { OperationContext } from './operation-context.ts'
import type { OperationFacts, ToolCategory } from './operation-facts.ts'

export const planes = [
  'identity',
  'cognition',
  'truth',
  'governance',
  'execution',
  'economic',
  'awareness',
] as const
export type Plane = (typeof planes)[number]
export type Estate = 'protocol' | 'agent' | 'hybrid' | 'adapter'
export type RateClass = 'infrastructure' | 'standard' | 'heavy'

export interface Operation extends OperationFacts {
  /** What its handler uses besides the context. */
  readonly needs?: readonly Need[]
  handle(input: never, context: OperationContext<Need>): Promise<unknown> | unknown
  /** Turns the handler's result into the answer, see `recordingOperation`. */
  finish?(stored: Stored, committed: PlacedRecord | undefined): unknown
}

/** Result of a handler whose answer refers to a record written with its own rows. */
export interface Stored {
  /** Absent where there is no such record this time. */
  readonly pending?: RecordName | undefined
}

export interface ProtocolFacts {
  readonly id: string
  readonly version: string
  readonly plane: Plane
  readonly estate: Estate
  readonly rate: RateClass
  readonly category: ToolCategory
  readonly summary: string
  /** For one that runs outside: whether its service signs each answer. */
  readonly answers?: 'signed' | 'unsigned'
}

/** A protocol version by its facts alone: all that is known of one that runs elsewhere. */
export interface Declaration extends ProtocolFacts {
  readonly operations: Readonly<Record<string, OperationFacts>>
}

export interface Protocol extends Declaration {
  readonly operations: Readonly<Record<string, Operation>>
}

/** Types a handler's input and output by its schemas. */
export function operation<I extends TSchema, O extends TSchema, N extends Need = never>(
  definition: Omit<OperationFacts, 'input' | 'output' | 'example'> & {
    readonly needs?: readonly N[]
    readonly input: I
    readonly output: O
    // NoInfer: inferring a schema back from a value is a hundred times slower to type-check, and never useful.
    readonly example: NoInfer<Static<I>>
    // A property and not a method, so that a handler that uses more than its needs does not compile.
    readonly handle: (
      input: NoInfer<Static<I>>,
      context: OperationContext<NoInfer<N>>,
    ) => Promise<NoInfer<Static<O>>> | NoInfer<Static<O>>
  },
): Operation {
  return definition as unknown as Operation
}

/**
 * An operation whose answer names the place of a record. The record and the handler's result are committed together; the place is known
 * only afterwards, so `finish` fills it in then, and again on each replay.
 */
export function recordingOperation<
  I extends TSchema,
  O extends TSchema,
  K extends Stored,
  N extends Need = never,
>(
  definition: Omit<OperationFacts, 'input' | 'output' | 'example'> & {
    readonly needs?: readonly N[]
    readonly input: I
    readonly output: O
    readonly example: NoInfer<Static<I>>
    readonly handle: (input: NoInfer<Static<I>>, context: OperationContext<NoInfer<N>>) => Promise<K> | K
    finish(stored: NoInfer<K>, committed: PlacedRecord | undefined): NoInfer<Static<O>>
  },
): Operation {
  return definition as unknown as Operation
}

export function protocol<const P extends Protocol>(definition: P): P {
  return definition
}

/** A module's answer: `data` goes to the caller, the rest to the audit record only. */
export interface ModuleResponse {
  readonly data: unknown
  readonly metadata?: Record<string, unknown>
  /** What an outside service reported beside its data. */
  readonly supplied?: Supplied
}

/** The spec's in-process module: what the router invokes, whether native, external or WASM. */
export interface ProtocolModule {
  readonly protocol_name: string
  readonly version: string
  readonly operations: readonly string[]
  /** A value rather than a promise where the module had nothing to wait for. */
  invoke(
    operation: string,
    payload: unknown,
    context: OperationContext<Need>,
  ): ModuleResponse | Promise<ModuleResponse>
  /** Undefined where the handler's result is the answer. */
  finish(operation: string): Operation['finish']
}

/** The literal as the module interface of the spec. */
export function asModule(definition: Protocol): ProtocolModule {
  return {
    protocol_name: definition.id,
    version: definition.version,
    operations: Object.keys(definition.operations),
    invoke(operation, payload, context) {
      const data = definition.operations[operation]!.handle(payload as never, context)
      if (data instanceof Promise) return data.then((value) => ({ data: value, metadata: context.metadata }))
      return { data, metadata: context.metadata }
    },
    finish: (operation) => definition.operations[operation]!.finish,
  }
}
