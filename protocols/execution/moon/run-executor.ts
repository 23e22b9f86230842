// What workers need to carry runs, and the topics that wake them.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { Vault } from '@svc/contract/needs/vault'
import type { Plan } from '../recipes/api.ts'
import type { Manifest } from './manifest.ts'
import type { ExternalEffect } from './run-effect.ts'
import type { Performed } from './run-outcome.ts'

export interface Executor {
  transaction(tenant_id: string): {
    readonly db: Database
    commit(events: readonly AuditEntry[]): Promise<void>
    rollback(): Promise<void>
  }
  vaultOf(tenant_id: string): Vault
  planOf(manifest: Manifest, place: { db: Database; tenant_id: string; vault: Vault }): Promise<Plan>
  perform(external_effect: ExternalEffect, signal: AbortSignal): Promise<Performed>
  isOutside(protocol: string, operation: string): boolean
  readonly change_notifications: ChangeNotifications
  readonly clock: { now_ms(): number; uuid(): string }
}

/** Wakes whoever carries this run: something was asked of it. */
export function runTopic(run_id: string): string {
  return `moon:${run_id}`
}

/** Wakes whoever waits for this run to end, or to wait itself. */
export function restTopic(run_id: string): string {
  return `moon:${run_id}:rest`
}

/** Wakes whoever may carry runs that are due. */
export const work_topic = 'moon'
