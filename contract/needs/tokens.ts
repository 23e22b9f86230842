export interface Tokens {
  /** The tokens reserved for this call, in all. */
  readonly max: number
  /** Tokens used, counted separately for input and output; past `max` the call is refused. */
  use(tokens_in: number, tokens_out: number): void
  /** Tokens as they are billed: o200k_base. */
  count(texts: readonly string[]): Promise<number>
}
