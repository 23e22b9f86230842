// Measurements that tenants emit (MOTET). The tenant label is forced, and the series of a tenant are limited.
import type { Signal } from '@svc/contract/needs/telemetry'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { own_bounds } from './gathered-metrics.ts'

const series_per_tenant_max = 2000
/** Of all tenants; beyond it the tenant silent for longest leaves the page, but not the tables. */
const series_max_default = 50_000
/** A series without data for this long is evicted, as in the tables. */
const series_live_ms = 86_400_000
const sweep_every_ms = 60_000
const names_max = 10_000
/** Reserved by Prometheus; prom-client throws on some of them. */
const reserved_label = /^(__.*|le|quantile)$/
/** The engine's own metrics begin with this prefix. */
const reserved_name = /^svc_/

/** Far beyond real measurements; their sums stay within the range of a number. */
const value_max = 1e100

type Kind = Signal['kind']
type Labels = Readonly<Record<string, string>>
type Metric = Counter | Gauge | Histogram

/** A metric on the page, and its number of series. */
interface Shown {
  readonly key: string
  readonly metric: Metric
  held: number
}

interface Held {
  readonly name: string
  readonly kind: Kind
  readonly labels: Labels
  /** Undefined if the page is full. */
  readonly shown: Shown | undefined
  last: number
  fed_ms: number
}

/** The page of all tenants. */
interface Page {
  readonly metrics: Map<string, Shown>
  readonly registry: Registry
  held: number
}

/** What one tenant has emitted: the kind of each name, and each series. */
interface Own {
  readonly kinds: Map<string, Kind>
  readonly series: Map<string, Held>
  swept_ms: number
}

export interface TenantSeries {
  take(tenant_id: string, signal: Signal): { rejected?: string; created: boolean }
  /** Series of all tenants. */
  readonly size: number
}

export function tenantSeries(registry: Registry, series_max = series_max_default): TenantSeries {
  const page: Page = { metrics: new Map(), registry, held: 0 }
  /** In order of use: the first is evicted first. */
  const tenants = new Map<string, Own>()
  const other = new Counter({
    name: 'svc_tenant_other_total',
    help: 'Signals of tenants that already hold as many series as they may.',
    labelNames: ['tenant'],
    registers: [registry],
  })
  const forgetOldest = () => {
    const [tenant_id, own] = tenants.entries().next().value!
    tenants.delete(tenant_id)
    other.remove({ tenant: tenant_id })
    for (const series of own.series.values()) release(series, page)
  }
  return {
    get size() {
      return page.held
    },
    take(tenant_id, signal) {
      const { tenant: _forged, ...labels } = signal.labels
      const fed_ms = Date.parse(signal.received_at ?? signal.at)
      // To Prometheus, one name with different labels is a different metric; each label set gets its own.
      const name = `${signal.name}{${Object.keys(labels).sort().join(',')}}`
      const id = `${name}|${JSON.stringify(Object.entries(labels).sort())}`
      const own = tenants.get(tenant_id) ?? { kinds: new Map(), series: new Map(), swept_ms: fed_ms }
      const wrong = faultOf(signal, labels, own.kinds.get(name), own.series.get(id)?.last)
      if (wrong) return { rejected: wrong, created: false }
      const existing = own.series.get(id)
      if (!existing) forgetSilent(own, fed_ms, page)
      if (!existing && own.series.size >= series_per_tenant_max) {
        other.inc({ tenant: tenant_id })
        return {
          rejected: `cardinality: a tenant holds at most ${series_per_tenant_max} series`,
          created: false,
        }
      }
      tenants.delete(tenant_id)
      while (!existing && page.held >= series_max && tenants.size > 0) forgetOldest()
      const series = existing ?? hold({ name, labels: { tenant: tenant_id, ...labels } }, signal, page)
      const is_current = signal.received_at === undefined || signal.kind === 'counter'
      if (series.shown && is_current) apply(series.shown.metric, series.labels, signal.value, series.last)
      series.last = signal.value
      series.fed_ms = Math.max(series.fed_ms, fed_ms)
      own.kinds.set(name, signal.kind)
      own.series.set(id, series)
      tenants.set(tenant_id, own)
      return { created: !existing }
    },
  }
}

/** Tenants share a metric, distinguished by their label, only if they agree on its kind. */
function hold(
  { name, labels }: { readonly name: string; readonly labels: Labels },
  signal: Signal,
  page: Page,
): Held {
  const { metrics, registry } = page
  const { kind } = signal
  const key = `${kind} ${name}`
  let shown = metrics.get(key)
  // Names of some tenants must not exclude others: a series that does not fit is still in the tables.
  if (!shown && metrics.size < names_max) {
    shown = { key, metric: register(signal, labels, registry), held: 0 }
    metrics.set(key, shown)
  }
  if (shown) shown.held++
  page.held++
  return { name, kind, labels, shown, last: 0, fed_ms: 0 }
}

/** Only if a tenant is at its limit, and then not at every signal. */
function forgetSilent(own: Own, now_ms: number, page: Page): void {
  if (own.series.size < series_per_tenant_max || now_ms - own.swept_ms < sweep_every_ms) return
  own.swept_ms = now_ms
  for (const [id, series] of own.series) {
    if (series.fed_ms > now_ms - series_live_ms) continue
    own.series.delete(id)
    release(series, page)
  }
  own.kinds.clear()
  for (const { name, kind } of own.series.values()) own.kinds.set(name, kind)
}

function release({ labels, shown }: Held, page: Page): void {
  page.held--
  if (!shown) return
  shown.metric.remove(labels)
  if (--shown.held > 0) return
  page.metrics.delete(shown.key)
  page.registry.removeSingleMetric((shown.metric as unknown as { name: string }).name)
}

/** Checked before anything is registered, so that a rejected signal leaves no state. */
function faultOf(
  signal: Signal,
  labels: Labels,
  kind: Kind | undefined,
  last: number | undefined,
): string | undefined {
  if (reserved_name.test(signal.name)) return `${signal.name} is a name of the engine's own, as all with svc_`
  const reserved = Object.keys(labels).find((label) => reserved_label.test(label))
  if (reserved) return `label ${reserved} is reserved`
  const unwritable = Object.entries(labels).find(([, text]) => text.includes('\0') || !text.isWellFormed())
  if (unwritable) return `label ${unwritable[0]} is no text`
  if (Math.abs(signal.value) > value_max) return `a value must lie within ${value_max} of 0`
  if (kind && kind !== signal.kind) return `${signal.name} is a ${kind} already`
  // A counter's value is its running total.
  if (signal.kind === 'counter' && signal.value < (last ?? 0))
    return `counter ${signal.name} must not decrease; send its history before newer totals, oldest first`
  return undefined
}

function apply(metric: Metric, labels: Labels, value: number, last: number): void {
  if (metric instanceof Counter) metric.inc(labels, value - last)
  else if (metric instanceof Gauge) metric.set(labels, value)
  else metric.observe(labels, value)
}

function register(signal: Signal, labels: Labels, registry: Registry): Metric {
  // Label sets and kinds differ per tenant, so each variant gets a number once the plain name is taken.
  let name = `svc_tenant_${signal.name}`
  for (let variant = 2; registry.getSingleMetric(name); variant++)
    name = `svc_tenant_${signal.name}_${variant}`
  const definition = {
    name,
    help: `Emitted by tenants as ${signal.name}${signal.unit ? ` (${signal.unit})` : ''}.`,
    labelNames: Object.keys(labels),
    registers: [registry],
  }
  if (signal.kind === 'histogram') return new Histogram({ ...definition, buckets: [...own_bounds] })
  return new { counter: Counter, gauge: Gauge }[signal.kind](definition)
}
