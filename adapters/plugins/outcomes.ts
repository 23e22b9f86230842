// The possible outcomes of a look, and how they are stored: once, for all engines that see the same.

import type { Database } from '@svc/contract/database'
import type { Clock, Log } from '@svc/engine/ports'
import { describe, keyOf, type Look, type Outcome } from './looks.ts'
import { Rejected } from './plugin-folder.ts'
import { keepSeen, type SeenPlugin } from './plugin-store.ts'

export const registered: Outcome = { state: 'Registered', reason: '', why: '' }
export const disabled: Outcome = {
  state: 'Disabled',
  reason: 'disabled',
  why: 'The operator turned it off.',
}
export const held_twice = new Rejected('twice', 'Another folder holds the same plugin and version.')

export function awaitsEnable(key: string): Outcome {
  return { state: 'Pending', reason: 'awaits enable', why: `Turn it on: svc-engine plugin enable ${key}` }
}

export function isSame(one: Outcome | Rejected, other: Outcome | Rejected | undefined): boolean {
  return other !== undefined && JSON.stringify(wordsOf(one)) === JSON.stringify(wordsOf(other))
}

/** A rejected plugin stays Pending. */
function wordsOf(outcome: Outcome | Rejected): Outcome {
  if (!(outcome instanceof Rejected)) return outcome
  return { state: 'Pending', reason: outcome.reason, why: outcome.message }
}

export interface Keeping {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  /** In the transaction that stores it: both commit, or neither. */
  onRejected(db: Database, plugin: SeenPlugin): Promise<void>
}

export async function keepOutcome(keeping: Keeping, look: Look, outcome: Outcome | Rejected): Promise<void> {
  const { clock, db, log, onRejected } = keeping
  const { name, version, digest, manifest } = look
  const accepted = !look.rejected && outcome !== held_twice
  const seen_plugin = { name, version, digest, ...wordsOf(outcome), ...describe(manifest), accepted }
  const changed = await db.transaction(async (trx) => {
    const changed = await keepSeen(trx, seen_plugin, new Date(clock.now_ms()).toISOString())
    if (changed && outcome instanceof Rejected) await onRejected(trx, seen_plugin)
    return changed
  })
  const { state, why } = seen_plugin
  if (changed && state !== 'Registered')
    log.warn({ plugin: keyOf(seen_plugin), state, why }, 'a plugin does not serve')
}
