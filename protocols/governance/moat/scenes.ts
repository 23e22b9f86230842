// What comes before the examples of MOAT: a treaty that both organizations sign, and an amendment of it.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

export const treaty_id = `sha256:${'7e'.repeat(32)}`
export const amendment_id = `sha256:${'4d'.repeat(32)}`

export const memory_treaty = {
  counterparty_did: stand_ins.partner_did,
  capability_schedule: [
    { capability: 'svc.mind.recall_memory', granted_to: 'counterparty' as const, caveats: ['time:09-17'] },
  ],
  rate_limits: { per_hour: 60 },
  expires_at: stand_ins.in_a_year,
}

export const higher_rate = {
  treaty_id,
  changes: { rate_limits: { per_hour: 100 } },
  reason: 'Our support team has grown and needs a higher call rate.',
}

export const treaty_proposed: readonly SceneStep[] = [
  { call: 'MOAT.propose', input: memory_treaty, answer: { treaty_id } },
]

export const treaty_in_force: readonly SceneStep[] = [
  ...treaty_proposed,
  { call: 'MOAT.sign', input: { treaty_id } },
  { as: 'partner', call: 'MOAT.sign', input: { treaty_id } },
]

export const amendment_proposed: readonly SceneStep[] = [
  ...treaty_in_force,
  { as: 'partner', call: 'MOAT.propose_amendment', input: higher_rate, answer: { amendment_id } },
]
