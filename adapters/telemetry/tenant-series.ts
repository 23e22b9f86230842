// Measurements that tenants emit (MOTET). The tenant label is forced, and a tenant can hold only so many series.
import type { Signal } from '@svc/contract/operation-context'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const series_per_tenant_max = 2000
const names_max = 10_000

type Metric = { kind: Signal['kind']; labels: readonly string[]; metric: Counter | Gauge | Histogram }

export interface TenantSeries {
  take(tenant_id: string, signal: Signal): { rejected?: string; created: boolean }
}

export function tenantSeries(registry: Registry): TenantSeries {
  const metrics = new Map<string, Metric>()
  const series = new Map<string, Map<string, number>>()
  return {
    take(tenant_id, signal) {
      const { tenant: _forged, ...labels } = signal.labels
      const label_names = ['tenant', ...Object.keys(labels).sort()]
      // Two signals of one name with other labels are other metrics to Prometheus; each set gets its own.
      const key = `${signal.name}{${label_names.join(',')}}`
      const known = metrics.get(key)
      if (known && known.kind !== signal.kind)
        return { rejected: `${signal.name} is a ${known.kind} already`, created: false }
      if (!known && metrics.size >= names_max) return { rejected: 'too many metric names', created: false }
      const own = series.get(tenant_id) ?? new Map<string, number>()
      const id = `${key}|${JSON.stringify(Object.entries(labels).sort())}`
      const created = !own.has(id)
      if (created && own.size >= series_per_tenant_max) {
        return {
          rejected: `cardinality: a tenant holds at most ${series_per_tenant_max} series`,
          created: false,
        }
      }
      const rejected = apply(
        known ?? register(metrics, key, signal, label_names, registry),
        { ...labels, tenant: tenant_id },
        signal,
        own.get(id),
      )
      if (rejected) return { rejected, created: false }
      own.set(id, signal.value)
      series.set(tenant_id, own)
      return { created }
    },
  }
}

function apply(
  metric: Metric,
  labels: Record<string, string>,
  signal: Signal,
  last: number | undefined,
): string | undefined {
  if (metric.metric instanceof Counter) {
    // A counter's value is its running total: what is added is the step since the last one.
    if (signal.value < (last ?? 0)) return `counter ${signal.name} must not decrease`
    metric.metric.inc(labels, signal.value - (last ?? 0))
  } else if (metric.metric instanceof Gauge) metric.metric.set(labels, signal.value)
  else metric.metric.observe(labels, signal.value)
  return undefined
}

function register(
  metrics: Map<string, Metric>,
  key: string,
  signal: Signal,
  labels: string[],
  registry: Registry,
): Metric {
  // Label sets differ per tenant, so each variant has its own name suffix once the plain name is taken.
  const variant = registry.getSingleMetric(`svc_tenant_${signal.name}`) ? `_${metrics.size}` : ''
  const definition = {
    name: `svc_tenant_${signal.name}${variant}`,
    help: `Emitted by tenants as ${signal.name}${signal.unit ? ` (${signal.unit})` : ''}.`,
    labelNames: labels,
    registers: [registry],
  }
  const make = { counter: Counter, gauge: Gauge, histogram: Histogram }[signal.kind]
  const metric: Metric = { kind: signal.kind, labels, metric: new make(definition) as Metric['metric'] }
  metrics.set(key, metric)
  return metric
}
