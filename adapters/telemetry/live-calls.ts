// Recent calls of each tenant, in this process only, for the live feed. Memory per tenant is constant.
import { type LiveFigures, live_protocols_max } from '@svc/contract/live'
import { bounds_ms, bucketOf, quantileOf } from './latency-buckets.ts'

const tenants_max = 1_000
/** As many as there can be feeds: watched tenants are kept while others are forgotten. */
const watched_max = 200
/** Turns for which a tenant counts as watched after a read. */
const watched_turns = 3
const windows_max = 7
const turns_a_window = 10
/** The catalogue has fewer; additional ones of plugins share one line. */
const protocols_a_window_max = 64
const others = 'other'

export interface LiveCalls {
  called(protocol: string, outcome: string, code: string, latency_ms: number, tenant_id: string): void
  /** Called about once a second; every tenth turn begins a new window. */
  turn(now_ms: number): void
  /** The counts since the last call. */
  takeSecond(tenant_id: string): LiveFigures['second']
  minute(tenant_id: string, now_ms: number): LiveFigures['minute']
}

interface OfProtocol {
  calls: number
  refused: number
  errors: number
  readonly buckets: number[]
}

interface Window {
  readonly codes: Map<string, number>
  readonly protocols: Map<string, OfProtocol>
}

interface Tenant {
  /** Newest first; empty for a silent tenant. */
  windows: Window[]
  second: Second
  /** The turn in which its second was last taken. */
  looked_at: number
}

interface Second {
  calls: number
  readonly by_outcome: { success: number; refused: number; error: number }
  readonly codes: Map<string, number>
}

export function liveCalls(): LiveCalls {
  /** In order of use: the first is forgotten first. */
  let tenants = new Map<string, Tenant>()
  let turns = 0
  /** When each window began, the newest first. */
  let begun_ms: number[] = []
  const find = (tenant_id: string): Tenant => {
    const existing = tenants.get(tenant_id)
    if (existing) return existing
    if (tenants.size >= tenants_max) forgetOldest(tenants, turns - watched_turns)
    const fresh: Tenant = {
      windows: [emptyWindow()],
      second: emptySecond(),
      looked_at: Number.NEGATIVE_INFINITY,
    }
    tenants.set(tenant_id, fresh)
    return fresh
  }
  return {
    called(protocol, outcome, code, latency_ms, tenant_id) {
      const tenant = find(tenant_id)
      countSecond(tenant.second, outcome, code)
      countWindow(tenant.windows[0]!, protocol, outcome, code, latency_ms)
    },
    turn(now_ms) {
      if (begun_ms.length === 0) begun_ms = [now_ms]
      if (++turns % turns_a_window !== 0) return
      begun_ms = [now_ms, ...begun_ms].slice(0, windows_max)
      // Recent callers move to the end, and tenants silent for a minute are forgotten.
      const [silent, speaking] = [new Map<string, Tenant>(), new Map<string, Tenant>()]
      for (const [tenant_id, tenant] of tenants) {
        const spoke = tenant.windows[0]!.codes.size > 0
        tenant.windows = [emptyWindow(), ...tenant.windows].slice(0, windows_max)
        if (tenant.windows.some(({ codes }) => codes.size > 0))
          (spoke ? speaking : silent).set(tenant_id, tenant)
      }
      tenants = new Map([...silent, ...speaking])
    },
    takeSecond(tenant_id) {
      const tenant = tenants.get(tenant_id)
      const { calls, by_outcome, codes } = tenant?.second ?? emptySecond()
      if (tenant) {
        tenant.second = emptySecond()
        tenant.looked_at = turns
      }
      return { calls, by_outcome, by_code: Object.fromEntries(codes) }
    },
    minute(tenant_id, now_ms) {
      const windows = tenants.get(tenant_id)?.windows ?? []
      const seconds = Math.max(1, (now_ms - (begun_ms.at(-1) ?? now_ms)) / 1000)
      return describeMinute(windows, seconds)
    },
  }
}

/** A watched tenant moves to the end instead: many others must not distort its figures. */
function forgetOldest(tenants: Map<string, Tenant>, watched_since: number): void {
  for (let passed_over = 0; passed_over <= watched_max; passed_over++) {
    const [tenant_id, tenant] = tenants.entries().next().value!
    tenants.delete(tenant_id)
    if (tenant.looked_at < watched_since || passed_over === watched_max) return
    tenants.set(tenant_id, tenant)
  }
}

function emptyWindow(): Window {
  return { codes: new Map(), protocols: new Map() }
}

function emptySecond(): Second {
  return { calls: 0, by_outcome: { success: 0, refused: 0, error: 0 }, codes: new Map() }
}

function countSecond(second: Second, outcome: string, code: string): void {
  second.calls++
  second.by_outcome[outcome as keyof Second['by_outcome']]++
  second.codes.set(code, (second.codes.get(code) ?? 0) + 1)
}

function countWindow(
  { codes, protocols }: Window,
  protocol: string,
  outcome: string,
  code: string,
  latency_ms: number,
): void {
  codes.set(code, (codes.get(code) ?? 0) + 1)
  let of = protocols.get(protocol)
  if (!of) {
    const name = protocols.size < protocols_a_window_max ? protocol : others
    of = protocols.get(name) ?? emptyProtocol()
    protocols.set(name, of)
  }
  of.calls++
  if (outcome === 'refused') of.refused++
  else if (outcome === 'error') of.errors++
  of.buckets[bucketOf(latency_ms)]!++
}

function emptyProtocol(): OfProtocol {
  return { calls: 0, refused: 0, errors: 0, buckets: new Array<number>(bounds_ms.length + 1).fill(0) }
}

function describeMinute(windows: readonly Window[], seconds: number): LiveFigures['minute'] {
  const codes = new Map<string, number>()
  const protocols = new Map<string, OfProtocol>()
  const all = emptyProtocol()
  for (const window of windows) {
    for (const [code, count] of window.codes) codes.set(code, (codes.get(code) ?? 0) + count)
    for (const [protocol, of] of window.protocols) {
      const sum = protocols.get(protocol) ?? emptyProtocol()
      protocols.set(protocol, sum)
      for (const into of [sum, all]) add(into, of)
    }
  }
  const at = (share: number) => quantileOf(share, [...all.buckets])
  const busiest = [...protocols].sort(([, a], [, b]) => b.calls - a.calls).slice(0, live_protocols_max)
  return {
    calls: all.calls,
    per_second: all.calls / seconds,
    latency_ms: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    by_code: Object.fromEntries(codes),
    by_protocol: busiest.map(([protocol, { calls, refused, errors, buckets }]) => {
      return { protocol, calls, refused, errors, p95_ms: quantileOf(0.95, [...buckets]) }
    }),
  }
}

function add(into: OfProtocol, from: OfProtocol): void {
  into.calls += from.calls
  into.refused += from.refused
  into.errors += from.errors
  for (let bucket = 0; bucket < from.buckets.length; bucket++) into.buckets[bucket]! += from.buckets[bucket]!
}
