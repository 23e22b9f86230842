// Councils in a rehearsal of MACE, or of a protocol that uses its verdicts (with MACE among the others).
import { asCaller, type Party } from './organizations.ts'
import type { Output, Rehearsal } from './rehearse.ts'

export const day_ms = 86_400_000

export const convening = (motion: object, more: object = {}) => ({
  motion: { title: 'A motion', text: 'Let it be so.', ...motion },
  quorum: 'majority',
  deadline_ms: day_ms,
  composition_rules: {},
  ...more,
})

/** A motion that allows one envelope of MANA. */
export const binding = (department: string, more: object = {}) => ({
  binds: [{ protocol: 'MANA', operation: 'allocate', subject: department }],
  ...more,
})

export function councilOf(stage: Rehearsal) {
  const run = (who: Party, operation: string, input: unknown): Promise<Output> =>
    stage.run(`MACE.${operation}`, input, asCaller(who))
  const vote = (who: Party, motion_id: string, position: string, reasoning = `I am ${position}.`) =>
    run(who, 'deliberate', { motion_id, position, reasoning })
  const tally = (who: Party, motion_id: string) => run(who, 'tally', { motion_id })
  return {
    vote,
    tally,
    /** A verdict of the whole charter; the last member votes `last`. */
    async decide(charter: readonly Party[], motion: object, position = 'for', last = position) {
      const [convener] = charter as [Party]
      const { motion_id } = await run(convener, 'convene', convening(motion))
      for (const [place, member] of charter.entries())
        await vote(member, motion_id, place === charter.length - 1 ? last : position)
      return tally(convener, motion_id)
    },
  }
}
