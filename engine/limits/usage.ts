// The usage of a call, for its record and its caller.

import type { Usage } from '@svc/contract/dispatch'
import { energyOf, type Measured } from '@svc/contract/money/charge'
import { microUsdOf, usdText } from '@svc/contract/money/money'
import type { Used, Worst } from '../call.ts'
import { chargedEventMs } from '../handler/events.ts'
import type { RegisteredOperation } from '../routing/routing.ts'

/** At least a millisecond, and never more than reserved: the caller does not pay for a slow database. */
export function measure(
  { multipliers }: Pick<RegisteredOperation, 'multipliers'>,
  used: Used,
  reserved: Worst,
  watts_per_core: number,
): Measured {
  const worked_ms = Math.min(Math.max(1, Math.round(used.milliseconds)), reserved.ms)
  const ms = worked_ms + Math.min(chargedEventMs(used.event_bytes ?? 0), reserved.event_ms ?? 0)
  const counts_tokens = multipliers[0] > 0
  // Spec: hybrids are metered in watts only on the agent path.
  const counts_watts = used.path !== 'protocol'
  return {
    ms,
    tokens_in: counts_tokens ? used.tokens_in : 0,
    tokens_out: counts_tokens ? used.tokens_out : 0,
    uwh: counts_watts ? energyOf(worked_ms, watts_per_core) : 0,
  }
}

export function usageOf(measured: Measured, quanta: bigint, waited_ms = 0): Usage {
  return {
    tokens_in: measured.tokens_in,
    tokens_out: measured.tokens_out,
    seconds: measured.ms / 1000,
    watt_hours: measured.uwh / 1_000_000,
    amount_usd: usdText(microUsdOf(quanta)),
    ...(waited_ms > 0 && { waiting_seconds: waited_ms / 1000 }),
  }
}
