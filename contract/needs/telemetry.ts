export interface Signal {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly value: number
  readonly unit?: string
  readonly labels: Readonly<Record<string, string>>
  /** When it was measured, RFC 3339. */
  readonly at: string
  /** When it arrived, if it is history: it belongs to the past, and to no page of current values. */
  readonly received_at?: string
}

/** Where a tenant's own measurements go. Returns why a signal was refused, or undefined. */
export interface Telemetry {
  metric(tenant_id: string, signal: Signal): { rejected?: string; created: boolean }
  log(tenant_id: string, entry: Record<string, unknown>): void
  span(tenant_id: string, span: Record<string, unknown>): void
  /** Engine-owned counters. */
  count(name: 'audit_unknown_event' | 'svc_registry_hash_mismatch_total' | 'svc_meal_unbalanced_total'): void
}
