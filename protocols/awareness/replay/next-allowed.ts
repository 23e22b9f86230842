// At which hour after a refusal the same rules would have let the call pass.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { judgeGate, type RulesThen, type Situation, sceneOf } from './gate-again.ts'

const hour_ms = 3_600_000
const hours_of_week = 168
/** Policies times their characters: about a second at most. */
const work_characters_max = 8_000_000

/** The first full hour within a week; undefined where there is none, or the rules ignore the clock. */
export function nextAllowed(
  situation: Situation,
  record: AuditRecord,
  rules: RulesThen,
): string | 'too long' | undefined {
  const { set, cedar } = rules
  const scene = sceneOf(record)?.scene
  if (!set || !scene || cedar.unknownsOf(set, scene, ['hour', 'weekday']).length === 0) return undefined
  const characters = set.policies.reduce((sum, { body }) => sum + body.length, 1)
  if (characters * hours_of_week > work_characters_max) return 'too long'
  const hour_began_ms = situation.at_ms - (situation.at_ms % hour_ms)
  for (let hours = 1; hours <= hours_of_week; hours++) {
    const at_ms = hour_began_ms + hours * hour_ms
    if (judgeGate(record, { ...situation, at_ms }, rules).kind === 'passes')
      return new Date(at_ms).toISOString()
  }
  return undefined
}
