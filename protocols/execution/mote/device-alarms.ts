// Bad messages from devices are recorded, at a limited rate so that no device can flood the audit log.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'

const again_after_ms = 600_000
const remembered_max = 10_000
/** There are fewer reasons than this, but some contain a part's name, which a sender can invent. */
const reasons_max = 32
/** For all unknown senders together. */
const strangers_max = 100

export interface Alarm {
  /** Undefined if the sender is unknown; then it is recorded in the operator's audit log. */
  readonly tenant_id: string | undefined
  readonly sender: string
  readonly reason: string
}

export interface DeviceAlarms {
  /** At most once in ten minutes per sender and reason, up to a limit; returns whether it was recorded. */
  raise(db: Database, alarm: Alarm, tick: Tick): Promise<boolean>
}

export function deviceAlarms(operator_tenant_id: string): DeviceAlarms {
  const raised = new Map<string, Map<string, number>>()
  return {
    async raise(db, { tenant_id, sender, reason }, { now, newId }) {
      const now_ms = now.getTime()
      // Unknown names can be invented at will, so they all count as one sender.
      const [who, what, max] =
        tenant_id === undefined ? ['', `${sender} ${reason}`, strangers_max] : [sender, reason, reasons_max]
      const reasons = raised.get(who) ?? new Map<string, number>()
      for (const [raised_reason, at_ms] of reasons)
        if (now_ms - at_ms >= again_after_ms) reasons.delete(raised_reason)
      if (reasons.has(what) || reasons.size >= max) return false
      await leaveInOutbox(db, {
        id: newId(),
        event_type: 'SecurityViolation',
        correlation_id: newId(),
        timestamp: now.toISOString(),
        tenant_id: tenant_id ?? operator_tenant_id,
        caller_did: tenant_id === undefined ? 'unauthenticated' : sender,
        protocol: 'MOTE',
        outcome: 'refused',
        latency_ms: 0,
        meta: { reason, ...(tenant_id === undefined ? { supplied: { sender } } : { sender }) },
      })
      // Only after the write: a failed alarm is raised again with the next message.
      if (raised.size >= remembered_max) raised.clear()
      raised.set(who, reasons.set(what, now_ms))
      return true
    },
  }
}
