// Long work: a pure function in its own module, run in a worker, so that it blocks nobody and can be stopped.

/** Names a module that exports `compute(input, host)`. Input and output are copied between workers: plain data and typed arrays. */
export interface Computation<Input, Output> {
  /** Address of the module's file. */
  readonly module: string
  /** Never set: ties the two types to the name. */
  readonly does?: (input: Input) => Output
}

export function computation<Input, Output>(module: URL): Computation<Input, Output> {
  return { module: module.href }
}

/** What a computation may ask of its worker. */
export interface ComputationHost {
  /** Milliseconds since it was requested, including waiting; never decreases. */
  elapsed_ms(): number
}

/** The tenant a computation runs for: workers are shared fairly by tenant. */
export interface ComputeOwner {
  readonly tenant_id: string
}

/**
 * Refused with `timeout` when the deadline passes: the worker is ended. Without an owner it is the engine's own work, with a queue like a
 * tenant's. A handler's calls always belong to its caller.
 */
export type Compute = <Input, Output>(
  job: Computation<Input, Output>,
  input: Input,
  deadline_ms: number,
  owner?: ComputeOwner,
) => Promise<Output>
