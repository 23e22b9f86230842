// Work that may take long: a pure function in a module of its own, run in a worker, so that it blocks nobody and can be stopped.

/** Names a module that exports `compute(input, host)`. What goes in and out is copied between workers: plain data and typed arrays. */
export interface Computation<Input, Output> {
  /** Address of the module's file. */
  readonly module: string
  /** Never there: it ties the two types to the name. */
  readonly does?: (input: Input) => Output
}

export function computation<Input, Output>(module: URL): Computation<Input, Output> {
  return { module: module.href }
}

/** What a computation may ask of the worker it runs in. */
export interface ComputationHost {
  /** Milliseconds since it was asked for, waiting included; never goes back. */
  elapsed_ms(): number
}

/** For whom a computation runs: workers are shared out by tenant. */
export interface ComputeOwner {
  readonly tenant_id: string
}

/**
 * Refused with `timeout` when the deadline passes: the worker is ended, whatever it does. What names no owner is the
 * engine's own work and has a queue like a tenant's. A handler's calls are always its caller's, whatever it names.
 */
export type Compute = <Input, Output>(
  job: Computation<Input, Output>,
  input: Input,
  deadline_ms: number,
  owner?: ComputeOwner,
) => Promise<Output>
