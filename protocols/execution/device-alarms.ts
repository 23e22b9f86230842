// What hostile or broken devices send is recorded, but no device may fill the book by it.
import { randomUUID } from 'node:crypto'
import { leaveInOutbox } from '@svc/audit/outbox'
import type { Database } from '@svc/contract/operation-context'

const again_after_ms = 600_000
const remembered_max = 10_000

export interface Alarm {
  /** Undefined where nobody's device is known to have sent it: then the operator's book has it. */
  readonly tenant_id: string | undefined
  readonly sender: string
  readonly reason: string
}

export interface DeviceAlarms {
  /** Once in ten minutes for each sender and reason; answers whether it was recorded. */
  raise(db: Database, alarm: Alarm, now: Date): Promise<boolean>
}

export function deviceAlarms(operator_tenant_id: string): DeviceAlarms {
  const raised = new Map<string, number>()
  return {
    async raise(db, { tenant_id = operator_tenant_id, sender, reason }, now) {
      const key = `${sender} ${reason}`
      const last_ms = raised.get(key)
      if (last_ms !== undefined && now.getTime() - last_ms < again_after_ms) return false
      // Whoever makes up ten thousand names is heard once more for each; forgetting some is cheaper than remembering all.
      if (raised.size >= remembered_max) raised.clear()
      raised.set(key, now.getTime())
      await leaveInOutbox(db, {
        id: randomUUID(),
        event_type: 'SecurityViolation',
        correlation_id: randomUUID(),
        timestamp: now.toISOString(),
        tenant_id,
        caller_did: sender,
        protocol: 'MOTE',
        outcome: 'refused',
        latency_ms: 0,
        meta: { reason, sender },
      })
      return true
    },
  }
}
