// Where an engine invokes what it serves, as its protocols may see it.

/** One endpoint of one protocol version. */
export interface ServedPlace {
  readonly protocol: string
  readonly version: string
  /** `native`, or the address of an outside service: shown to the operator. */
  readonly endpoint: string
  readonly kind: 'native' | 'adapter' | 'external' | 'wasm'
  readonly healthy: boolean
  readonly breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
}
