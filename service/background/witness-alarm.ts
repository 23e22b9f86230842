// Raises an alarm when a witness has seen another history of a chain: logs, counts and records it for everyone concerned.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'

const kept_max = 10_000
/** How often a continuing alarm is logged again. */
const said_every_ms = 60_000

export interface WitnessAlarm {
  readonly witness_name: string
  /** The owner of the chain. */
  readonly tenant_id: string
  readonly why: string
  readonly held_size: number
  readonly own_size: number
}

export interface Alarms {
  /** Recorded once until it ends: its own record extends the chain and would raise the alarm again. */
  raise(alarm: WitnessAlarm, also_tenant?: string): Promise<void>
  /** The witness cosigns this chain again. */
  end(witness_name: string, tenant_id: string): void
  readonly raised: number
}

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly engine_did: string
}

export function openAlarms(parts: Parts): Alarms {
  const said_ms = new Map<string, number>()
  let raised = 0
  return {
    async raise(alarm, also_tenant) {
      const key = `${alarm.witness_name} ${alarm.tenant_id}`
      const now_ms = parts.clock.monotonic_ms()
      const before_ms = said_ms.get(key)
      if (before_ms !== undefined && now_ms - before_ms < said_every_ms) return
      raised++
      parts.log.error({ ...alarm }, sentence)
      const is_new = before_ms === undefined
      if (is_new && said_ms.size >= kept_max) return
      for (const tenant_id of is_new ? [alarm.tenant_id, also_tenant] : [])
        if (tenant_id !== undefined) await record(parts, tenant_id, alarm)
      said_ms.set(key, now_ms)
    },
    end: (witness_name, tenant_id) => void said_ms.delete(`${witness_name} ${tenant_id}`),
    get raised() {
      return raised
    },
  }
}

const sentence =
  'A witness contradicts this chain: the chain was truncated or rewritten, or the witness lies; verify the audit log against the note of the witness.'

async function record(
  { db, clock, engine_did }: Parts,
  tenant_id: string,
  { tenant_id: chain_of, ...facts }: WitnessAlarm,
): Promise<void> {
  await leaveInOutbox(db, {
    id: clock.uuid(),
    event_type: 'SecurityViolation',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id,
    caller_did: engine_did,
    outcome: 'error',
    latency_ms: 0,
    meta: { reason: sentence, chain_of, ...facts },
  })
}
