// Measurements that tenants emit (MOTET). The tenant label is forced, and a tenant can hold only so many series.
import type { Signal } from '@svc/contract/operation-context'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { own_bounds } from './gathered-metrics.ts'

const series_per_tenant_max = 2000
const names_max = 10_000
/** Prometheus keeps these for itself; prom-client throws at some of them. */
const reserved_label = /^(__.*|le|quantile)$/
/** What the engine measures is kept beside what tenants do, under names that begin so. */
const reserved_name = /^svc_/

/** Far beyond what is measured, and sums of it never leave what a number can hold. */
const value_max = 1e100

type Kind = Signal['kind']
type Labels = Readonly<Record<string, string>>
type Metric = Counter | Gauge | Histogram

/** What one tenant has emitted: the kind of each name, the last value of each series. */
interface Own {
  readonly kinds: Map<string, Kind>
  readonly last: Map<string, number>
}

export interface TenantSeries {
  take(tenant_id: string, signal: Signal): { rejected?: string; created: boolean }
}

export function tenantSeries(registry: Registry): TenantSeries {
  const metrics = new Map<string, Metric>()
  const tenants = new Map<string, Own>()
  const other = new Counter({
    name: 'svc_tenant_other_total',
    help: 'Signals of tenants that already hold as many series as they may.',
    labelNames: ['tenant'],
    registers: [registry],
  })
  return {
    take(tenant_id, signal) {
      const { tenant: _forged, ...labels } = signal.labels
      // Two signals of one name with other labels are other metrics to Prometheus; each set gets its own.
      const name = `${signal.name}{${Object.keys(labels).sort().join(',')}}`
      const id = `${name}|${JSON.stringify(Object.entries(labels).sort())}`
      const own = tenants.get(tenant_id) ?? { kinds: new Map(), last: new Map() }
      const wrong = faultOf(signal, labels, own.kinds.get(name), own.last.get(id))
      if (wrong) return { rejected: wrong, created: false }
      const created = !own.last.has(id)
      if (created && own.last.size >= series_per_tenant_max) {
        other.inc({ tenant: tenant_id })
        return {
          rejected: `cardinality: a tenant holds at most ${series_per_tenant_max} series`,
          created: false,
        }
      }
      // Tenants share a metric, told apart by their label, only where they agree on its kind.
      const key = `${signal.kind} ${name}`
      if (!metrics.has(key) && metrics.size >= names_max) {
        return { rejected: 'too many metric names', created: false }
      }
      const metric = metrics.get(key) ?? register(signal, labels, registry)
      metrics.set(key, metric)
      apply(metric, { tenant: tenant_id, ...labels }, signal.value, own.last.get(id) ?? 0)
      own.kinds.set(name, signal.kind)
      own.last.set(id, signal.value)
      tenants.set(tenant_id, own)
      return { created }
    },
  }
}

/** Asked before anything is registered, so that a rejected signal leaves nothing behind. */
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
    return `counter ${signal.name} must not decrease`
  return undefined
}

function apply(metric: Metric, labels: Labels, value: number, last: number): void {
  if (metric instanceof Counter) metric.inc(labels, value - last)
  else if (metric instanceof Gauge) metric.set(labels, value)
  else metric.observe(labels, value)
}

function register(signal: Signal, labels: Labels, registry: Registry): Metric {
  // Label sets and kinds differ per tenant, so each variant has its own number once the plain name is taken.
  let name = `svc_tenant_${signal.name}`
  for (let variant = 2; registry.getSingleMetric(name); variant++)
    name = `svc_tenant_${signal.name}_${variant}`
  const definition = {
    name,
    help: `Emitted by tenants as ${signal.name}${signal.unit ? ` (${signal.unit})` : ''}.`,
    labelNames: ['tenant', ...Object.keys(labels)],
    registers: [registry],
  }
  if (signal.kind === 'histogram') return new Histogram({ ...definition, buckets: [...own_bounds] })
  return new { counter: Counter, gauge: Gauge }[signal.kind](definition)
}
