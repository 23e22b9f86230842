// A charter decides: a motion, positions, and a counted vote. Dissent is recorded.
import type { Agent } from './agent.ts'

export interface Bound {
  readonly protocol: string
  readonly operation: string
  readonly subject: string
}

export interface Voice {
  readonly member: Agent
  readonly position: 'for' | 'against'
  readonly reasoning: string
}

export interface Decided {
  readonly ref: string
  readonly outcome: string
  readonly dissent: readonly { readonly did: string; readonly reasoning: string }[]
}

const an_hour_ms = 3_600_000

export async function decide(
  mover: Agent,
  title: string,
  binds: readonly Bound[],
  voices: readonly Voice[],
): Promise<Decided> {
  const { motion_id } = await mover.call('MACE.convene', {
    motion: { title, text: title, charter_level: true, binds },
    quorum: 'supermajority',
    deadline_ms: an_hour_ms,
    composition_rules: { min_delegates: 1 },
  })
  for (const { member, position, reasoning } of voices)
    await member.call('MACE.deliberate', { motion_id, position, reasoning })
  return mover.call('MACE.tally', { motion_id })
}
