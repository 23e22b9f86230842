// The life of an alert: it fires once, however often its rule is read, and resolves after a quiet time.

export interface OpenAlert {
  readonly alert_id: string
  /** Since when the value is at or below the threshold; null while it is above. */
  readonly quiet_since: Date | null
  readonly acknowledged_at: Date | null
  /** When people were told; null while the rule is silenced. */
  readonly told_at: Date | null
}

export interface Judged {
  readonly value: number
  readonly above: number
  readonly resolve_after_ms: number
  readonly silenced_until: Date | null
}

export type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'fire'; readonly tell: boolean }
  | { readonly kind: 'stay'; readonly quiet_since: Date | null; readonly tell: boolean }
  | { readonly kind: 'resolve'; readonly tell: boolean }

/** Whoever was told that it fired is told that it resolved, also during a silence that began in between. */
export function nextStep(alert: OpenAlert | undefined, judged: Judged, now: Date): Step {
  const is_above = judged.value > judged.above
  const is_silenced = judged.silenced_until !== null && judged.silenced_until > now
  if (!alert) return is_above ? { kind: 'fire', tell: !is_silenced } : { kind: 'none' }
  const is_untold = alert.told_at === null && alert.acknowledged_at === null
  if (is_above) return { kind: 'stay', quiet_since: null, tell: is_untold && !is_silenced }
  const quiet_since = alert.quiet_since ?? now
  const is_over = now.getTime() - quiet_since.getTime() >= judged.resolve_after_ms
  return is_over
    ? { kind: 'resolve', tell: alert.told_at !== null }
    : { kind: 'stay', quiet_since, tell: false }
}
