export interface Tokens {
  /** This call may use so many in all: they were reserved for it. */
  readonly max: number
  /** Tokens really used, counted apart for input and output; past `max` the call is refused. */
  use(tokens_in: number, tokens_out: number): void
  /** Tokens as they are billed: o200k_base. */
  count(texts: readonly string[]): Promise<number>
}
