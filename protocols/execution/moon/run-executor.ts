// What workers need to execute runs, and the topics that wake them.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { Vault } from '@svc/contract/needs/vault'
import type { Ending } from '@svc/contract/operation-facts'
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
  isWrite(protocol: string, operation: string): boolean
  /** What the operation says of its answers. */
  endingOf(protocol: string, operation: string): Ending | undefined
  readonly change_notifications: ChangeNotifications
  readonly clock: { now_ms(): number; uuid(): string }
}

/** Wakes the worker of this run: it has a new request. */
export function runTopic(run_id: string): string {
  return `moon:${run_id}`
}

/** Wakes callers that wait for this run to end or to block. */
export function restTopic(run_id: string): string {
  return `moon:${run_id}:rest`
}

/** Wakes workers that can claim due runs. */
export const work_topic = 'moon'
