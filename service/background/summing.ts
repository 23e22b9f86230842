// Refusals that are counted instead of recorded one by one: written periodically, and all of them before shutdown.
import { system_clock } from '@svc/adapters/clock/system'
import { refusalSums, settle_every_ms } from '@svc/engine/limits/refusal-sums'
import type { AuditLogPort, Log, RefusalSums } from '@svc/engine/ports'
import { every } from './tick.ts'

export function openSums(
  audit_log: Pick<AuditLogPort, 'record' | 'written'>,
  log: Log,
  closing: (() => Promise<unknown>)[],
  hasRoom?: () => boolean,
): RefusalSums {
  const sums = refusalSums({
    record: (entry) => audit_log.record(entry),
    written: () => audit_log.written(),
    clock: system_clock,
    ...(hasRoom && { hasRoom }),
  })
  const timer = every(settle_every_ms, async () => sums.settle(), log)
  closing.push(async () => {
    clearInterval(timer)
    sums.close()
    await audit_log.written()
  })
  return sums
}
