// What work that no call asked for is given: the moment it is judged by, and new ids. A call has both in its context.
export interface Tick {
  readonly now: Date
  /** A UUID of version 4. */
  newId(): string
}

/** Also a context of a call. */
export type NewIds = Pick<Tick, 'newId'>
