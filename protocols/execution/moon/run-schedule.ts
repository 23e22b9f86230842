// Scheduled workflows: each start is a call as the submitter, checked like any other.

import type { Database } from '@svc/contract/database'
import type { StandIn } from '@svc/contract/needs/stand-in'
import type { Vault } from '@svc/contract/needs/vault'
import { sql } from '@svc/database/sql'
import { openJson } from '../../cognition/content/api.ts'
import { claimDueSchedules, type DueSchedule, setNextRun } from './manifest-store.ts'
import type { ExternalEffect } from './run-effect.ts'
import type { Performed, Refused } from './run-outcome.ts'
import { nextRun } from './schedule.ts'

const schedules_at_once_max = 16
const start_ms_max = 30_000
const after_failure_ms = 60_000
/** Pauses the schedule: waiting does not restore the right to call. */
const pausing: ReadonlySet<string> = new Set(['unauthenticated', 'capability_denied', 'unknown_protocol'])

interface Starting {
  readonly db: Database
  readonly now: Date
  vaultOf(tenant_id: string): Vault
  perform(external_effect: ExternalEffect, signal: AbortSignal): Promise<Performed>
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown, ref: string) => void
}

/** Rows stay locked during the starts, so no two engines start the same run; repeated starts are one run. */
export async function startDueRuns({
  db,
  now,
  vaultOf,
  perform,
  signal,
  onFailure,
}: Starting): Promise<void> {
  await db.transaction(async (transaction) => {
    for (const due of await claimDueSchedules(transaction, now, schedules_at_once_max)) {
      const start = async (): Promise<Next> => {
        const next_at = nextRun(due.cron, due.time_zone, now)
        if (due.overlap === 'skip' && (await isUnderWay(transaction, due))) return { next_at, paused: null }
        const vault = vaultOf(due.tenant_id)
        const acting = openJson<StandIn>(vault, `acting ${due.ref}`, due.acting)
        const performed = await perform(startOf(due, acting, vault), signal)
        const paused = performed.kind === 'refused' ? pauseFor(performed) : null
        return { next_at: paused ? null : next_at, paused }
      }
      // One failing start must not block the others.
      const { next_at, paused } = await start().catch((error): Next => {
        onFailure(error, due.ref)
        return { next_at: new Date(now.getTime() + after_failure_ms), paused: null }
      })
      await setNextRun(transaction, due, next_at, paused)
    }
  })
}

interface Next {
  readonly next_at: Date | null
  readonly paused: string | null
}

function startOf({ tenant_id, ref, next_at }: DueSchedule, acting: StandIn, vault: Vault): ExternalEffect {
  // Nobody else can tell it: a run that was started under it before would stand in for this one.
  const run_key = `schedule ${vault.blind(`run of ${ref} at ${next_at.toISOString()}`)}`
  const input = { action: 'start', manifest_ref: ref, run_key }
  const workflow = { run: ref, path: 'schedule' }
  return {
    tenant_id,
    protocol: 'MOON',
    operation: 'execute_workflow',
    input,
    timeout_ms: start_ms_max,
    acting,
    workflow,
  }
}

/** Any other refusal is temporary. */
function pauseFor({ code, details }: Refused): string | null {
  return pausing.has(code) ? String(details.reason ?? code) : null
}

async function isUnderWay(db: Database, { tenant_id, ref }: DueSchedule): Promise<boolean> {
  return sql`SELECT 1 FROM moon_run
    WHERE tenant_id = ${tenant_id} AND manifest_ref = ${ref} AND ended_at IS NULL LIMIT 1`.exists(db)
}
