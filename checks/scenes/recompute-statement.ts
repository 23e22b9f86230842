// Recomputes a MEAL statement from an exported chain alone. Independent: it imports nothing of ours.
// node checks/scenes/recompute-statement.ts chain.jsonl 2026-11-01T00:00:00Z 2026-12-01T00:00:00Z
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

interface Recorded {
  readonly id: string
  readonly seq: number
  readonly event_type: string
  readonly timestamp: string
  readonly tenant_id: string
  readonly outcome: string
  readonly protocol?: string
  // biome-ignore lint/suspicious/noExplicitAny: a record's meta is whatever its event says
  readonly meta: any
}

interface Event {
  readonly id: string
  readonly at_ms: number
  readonly protocol: string
  readonly rate: number
  readonly tokens: bigint
  readonly ms: bigint
  readonly uwh: bigint
  readonly quanta: bigint
}

interface Rate {
  readonly version: number
  readonly from_ms: number
  readonly tokens: bigint
  readonly seconds: bigint
  readonly watts: bigint
}

interface Line {
  calls: bigint
  tokens: bigint
  ms: bigint
  uwh: bigint
  quanta: bigint
  amount_micro_usd: bigint
}

const base: Rate = {
  version: 0,
  from_ms: 0,
  tokens: 3_000_000n,
  seconds: 18_000_000_000n,
  watts: 420_000n,
}
const quanta_per_micro_usd = 10n ** 13n
const hour_ms = 3_600_000

export function recomputeStatement(lines: readonly string[], from: string, to: string) {
  const records = lines.flatMap((line) => (JSON.parse(line) as { record?: Recorded }).record ?? [])
  const tenant_id = (JSON.parse(lines[0]!) as { tenant_id: string }).tenant_id
  const rates = new Map([base, ...ratesIn(records, tenant_id)].map((rate) => [rate.version, rate]))
  const [from_ms, to_ms] = [Date.parse(from), Date.parse(to)]
  const events = eventsIn(records, tenant_id, rates).filter(({ at_ms }) => at_ms >= from_ms && at_ms < to_ms)
  const totals = sum(events)
  totals.amount_micro_usd = halfEven(totals.quanta)
  const protocols = [...new Set(events.map(({ protocol }) => protocol))].sort()
  const sums = protocols.map((protocol) => sum(events.filter((event) => event.protocol === protocol)))
  const shares = divide(
    totals.amount_micro_usd,
    sums.map(({ quanta }) => quanta),
  )
  const used = [...new Set(events.map(({ rate }) => rate))].sort((a, b) => a - b)
  const body = {
    totals,
    by_protocol: sums.map((line, place) => ({
      protocol: protocols[place],
      ...line,
      amount_micro_usd: shares[place]!,
    })),
    rate_versions: used.map((version) => rates.get(version)!),
    event_count: totals.calls,
    events_root: eventsRoot(events),
  }
  const period = { from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() }
  const hashed = canonical({ format: 'svc-statement/1', tenant_id, period, ...body })
  return { ...body, statement_hash: `sha256:${createHash('sha256').update(hashed).digest('hex')}` }
}

function ratesIn(records: readonly Recorded[], tenant_id: string): Rate[] {
  return records
    .filter(
      ({ event_type, meta }) => event_type === 'RateChanged' && meta.tenant_id === tenant_id && meta.rates,
    )
    .map(({ meta }) => ({
      version: meta.rate_version,
      from_ms: Date.parse(meta.effective_from),
      tokens: BigInt(meta.rates.tokens),
      seconds: BigInt(meta.rates.seconds),
      watts: BigInt(meta.rates.watts),
    }))
}

function eventsIn(
  records: readonly Recorded[],
  tenant_id: string,
  rates: ReadonlyMap<number, Rate>,
): Event[] {
  const closed = records
    .filter(({ event_type, meta }) => event_type === 'InvoiceIssued' && meta.tenant_id === tenant_id)
    .map(({ meta }) => ({ to_ms: Date.parse(meta.period.to), counted_seq: meta.counted_seq as number }))
  return records.flatMap(({ id, seq, event_type, timestamp, outcome, protocol, meta }) => {
    const { usage, reported } = meta
    const is_usage = event_type === 'ProtocolInvocation' || (event_type === 'UsageMetered' && reported)
    if (!is_usage || outcome !== 'success' || !usage?.bps) return []
    const happened_ms = Date.parse(reported?.occurred_at ?? timestamp)
    const closed_before = closed.filter(({ counted_seq }) => counted_seq < seq).map(({ to_ms }) => to_ms)
    const quanta = price(usage, rates.get(usage.rate)!)
    if (String(quanta) !== usage.quanta)
      throw new Error(`record ${seq} is priced ${usage.quanta}, not ${quanta}`)
    return [
      {
        id: reported?.event_id ?? id,
        at_ms: Math.max(happened_ms, ...closed_before),
        protocol: reported?.protocol ?? protocol,
        rate: usage.rate,
        tokens: BigInt(usage.tokens_in) + BigInt(usage.tokens_out),
        ms: BigInt(usage.ms),
        uwh: BigInt(usage.uwh),
        quanta,
      },
    ]
  })
}

function price(usage: Recorded['meta'], rate: Rate): bigint {
  const [tokens_bps, seconds_bps, watts_bps] = usage.bps.map(BigInt)
  const tokens = BigInt(usage.tokens_in) + BigInt(usage.tokens_out)
  return (
    tokens * rate.tokens * tokens_bps * 1000n +
    BigInt(usage.ms) * rate.seconds * seconds_bps +
    BigInt(usage.uwh) * rate.watts * watts_bps
  )
}

function sum(events: readonly Event[]): Line {
  const line: Line = { calls: 0n, tokens: 0n, ms: 0n, uwh: 0n, quanta: 0n, amount_micro_usd: 0n }
  for (const event of events) {
    line.calls += 1n
    for (const field of ['tokens', 'ms', 'uwh', 'quanta'] as const) line[field] += event[field]
  }
  return line
}

function halfEven(quanta: bigint): bigint {
  const whole = quanta / quanta_per_micro_usd
  const twice = (quanta % quanta_per_micro_usd) * 2n
  if (twice === quanta_per_micro_usd) return whole % 2n === 0n ? whole : whole + 1n
  return twice > quanta_per_micro_usd ? whole + 1n : whole
}

/** Each share rounded down, and one more for the largest remainders until nothing is left. */
function divide(total: bigint, weights: readonly bigint[]): bigint[] {
  const all = weights.reduce((a, b) => a + b, 0n)
  if (all === 0n) return weights.map(() => 0n)
  const shares = weights.map((weight) => (total * weight) / all)
  const by_rest = weights
    .map((weight, place) => ({ place, rest: (total * weight) % all }))
    .sort((a, b) => (b.rest > a.rest ? 1 : b.rest < a.rest ? -1 : a.place - b.place))
  const left = Number(total - shares.reduce((a, b) => a + b, 0n))
  for (const { place } of by_rest.slice(0, left)) shares[place]! += 1n
  return shares
}

function eventsRoot(events: readonly Event[]): string {
  const hours = Map.groupBy(events, ({ at_ms }) => Math.floor(at_ms / hour_ms))
  const roots = [...hours.keys()]
    .sort((a, b) => a - b)
    .map((hour) => {
      const ids = hours.get(hour)!.map(({ id }) => id.replaceAll('-', ''))
      return treeRoot(ids.sort().map((id) => Buffer.from(id, 'hex')))
    })
  return `sha256:${treeRoot(roots).toString('hex')}`
}

/** RFC 6962, section 2.1, by its definition. */
function treeRoot(entries: readonly Buffer[]): Buffer {
  if (entries.length === 0) return sha256()
  if (entries.length === 1) return sha256(Buffer.of(0), entries[0]!)
  let split = 1
  while (split * 2 < entries.length) split *= 2
  return sha256(Buffer.of(1), treeRoot(entries.slice(0, split)), treeRoot(entries.slice(split)))
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

/** Sorted keys; integers that may be large as strings. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}

if (import.meta.main) {
  const [path, from = '', to = ''] = process.argv.slice(2)
  if (!path || Number.isNaN(Date.parse(from)) || Number.isNaN(Date.parse(to))) {
    console.error('Name an exported chain and the period: recompute-statement.ts chain.jsonl <from> <to>')
    process.exit(1)
  }
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  const statement = recomputeStatement(lines, from, to)
  console.log(JSON.stringify(statement, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2))
}
