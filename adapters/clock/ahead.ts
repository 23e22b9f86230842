// A clock that is some days ahead, for development: what is due in two weeks can be seen today.
import type { Clock } from '@svc/engine/ports'

const day_ms = 86_400_000

export function clockAhead(clock: Clock, days: number): Clock {
  const ahead_ms = days * day_ms
  return { ...clock, now_ms: () => clock.now_ms() + ahead_ms }
}
