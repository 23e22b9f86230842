// Context of background work: its time and new ids. A call has both in its own context.
export interface Tick {
  readonly now: Date
  /** A UUID of version 4. */
  newId(): string
}

/** A call's context also fits. */
export type NewIds = Pick<Tick, 'newId'>
