// The state of a history, and how its engines record.
import type { Random } from '../random.ts'
import type { World } from '../world.ts'
import type { Engine } from './engine.ts'
import { variedEntry } from './entry.ts'
import type { AuditLogModel, ModelRecord } from './model.ts'
import type { Moves } from './moves.ts'

export interface AuditLogState {
  readonly world: World
  readonly engines: readonly Engine[]
  readonly tenant_ids: readonly string[]
  readonly model: AuditLogModel
  readonly moves: Moves
  operators: number
  /** To which journals were moved. */
  hosts: number
}

export function openEngine({ engines }: AuditLogState, random: Random): Engine | undefined {
  const usable = engines.filter(({ audit_log, process }) => audit_log && !process?.is_paused)
  return usable.length > 0 ? random.pick(usable) : undefined
}

/** One turn; it is acknowledged once the journal says it is written. */
export function record(
  { world, model }: AuditLogState,
  engine: Engine,
  tenant_id: string,
  count: number,
): void {
  const audit_log = engine.audit_log
  const process = engine.process!
  if (!audit_log) return
  const records: ModelRecord[] = []
  const writer = { process_name: process.name, engine_name: engine.name }
  let correlation_id: string | undefined
  for (let i = 0; i < count; i++) {
    const entry = variedEntry(world, tenant_id, i % 3 > 0 ? correlation_id : undefined)
    correlation_id = entry.correlation_id
    const one = model.add(entry.id, tenant_id, writer)
    records.push(one)
    audit_log.record(entry)
  }
  const lied = engine.disk.lies_about_sync
  audit_log.written().then(
    () => {
      if (!process.is_alive) return
      model.addHead(tenant_id, audit_log.head(tenant_id))
      const is_synced = engine.fsync === 'always' && !lied && !engine.disk.lies_about_sync
      // Whoever has taken the journal over may have read past it: the process learns of that only when it commits.
      const may_be_lost = engine.process !== process
      for (const one of records) Object.assign(one, { outcome: 'acknowledged', is_synced, may_be_lost })
    },
    () => {
      for (const one of records) one.outcome = 'refused'
    },
  )
}
