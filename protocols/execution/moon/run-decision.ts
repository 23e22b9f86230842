// One decided turn: what it changes, the calls it begins, and how both are written.
import { asRefusal } from '@svc/database/as-refusal'
import { tellChildren } from './run-children.ts'
import { type ExternalEffect, effectFor } from './run-effect.ts'
import type { Claimed } from './run-lease.ts'
import { takeSignals } from './run-loading.ts'
import type { Performed } from './run-outcome.ts'
import type { Situation } from './run-progress.ts'
import { forgetRows, type Place, sealJournal, writeAttempts, writeJournal, writeRuns } from './run-store.ts'
import { type Turn, takeTurn } from './run-turn.ts'

export type Effects = ReadonlyMap<string, ExternalEffect | Performed>

export interface Decision {
  readonly situation: Situation
  readonly turn: Turn
  readonly effects: Effects
}

export function decideTurn(situation: Situation): Decision {
  const turn = takeTurn(situation)
  return { situation, turn, effects: effectsOf({ ...situation, plan: turn.plan }, turn) }
}

/** Writes only the run's row and rows of its steps, so it can be written together with those of other runs. */
export function isPlain({ forgotten, attempts, taken, adopted, called_off }: Turn): boolean {
  return [forgotten, attempts, adopted, called_off].every(({ length }) => length === 0) && taken.size === 0
}

export async function writeDecision(
  place: Place,
  { epoch, run_id }: Claimed,
  decision: Decision,
): Promise<void> {
  const { situation, turn, effects } = decision
  await forgetRows(place, run_id, turn.forgotten)
  await writeJournal(place, sealJournal(place.vault, run_id, turn.rows, effects))
  await writeAttempts(place, run_id, turn.attempts)
  await takeSignals(place, run_id, turn.taken)
  await tellChildren(place, run_id, turn, situation.run.cancel ?? 'compensate', situation.now)
  await writeRuns(place, [{ run_id, epoch, change: turn.change }])
}

/** The calls of a turn, or why one cannot be made; their inputs are committed with it. */
function effectsOf(situation: Situation, { begun, rows, forgotten }: Turn): Effects {
  if (begun.length === 0) return new Map()
  const journal = new Map(situation.rows)
  for (const path of forgotten) journal.delete(path)
  for (const row of rows) journal.set(row.path, row)
  return new Map(
    begun.map((path): [string, ExternalEffect | Performed] => {
      try {
        return [path, effectFor({ ...situation, rows: journal }, path)]
      } catch (thrown) {
        return [path, brokenBy(thrown)]
      }
    }),
  )
}

export function brokenBy(thrown: unknown): Performed {
  const { code, message, details } = asRefusal(thrown)
  return { kind: 'refused', code, message, details: { ...details }, record_id: null, elapsed_ms: 0 }
}
