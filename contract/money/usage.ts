// The usage of one call, as its audit record says.

export interface UsageEvent {
  readonly tenant_id: string
  readonly seq: number
  readonly event_id: string
  /** When it happened. */
  readonly at_ms: number
  /** When its record was made: the same, unless somebody reported it. */
  readonly recorded_ms: number
  readonly protocol: string
  readonly operation: string
  readonly caller_did: string
  /** Empty for none, like the next two. */
  readonly grant_name: string
  readonly origin: string
  readonly envelope_id: string
  /** Empty without a treaty. */
  readonly treaty_root: string
  /** Of a delegated call: whose limits it counts against, as `holder/capability`. Empty for none. */
  readonly grant_chain: readonly string[]
  readonly tokens_in: number
  readonly tokens_out: number
  readonly ms: number
  readonly uwh: number
  readonly bps: readonly [tokens: number, seconds: number, watts: number]
  readonly rate: number
  readonly quanta: bigint
}

export interface CountedEvent {
  readonly event: UsageEvent
  /** Later than it happened where its period was closed already. */
  readonly counted_ms: number
  readonly record_hash: string
}

/** Half-open. */
export interface Span {
  readonly from_ms: number
  readonly to_ms: number
}

/** One organization's usage that counts in a span, up to a record of its log; some pages at a time, in no order. */
export type UsageEvents = (span: Span, until_seq?: number) => AsyncIterable<readonly CountedEvent[]>
